"""Defines a four-bar that moves freely, without hydraulics or losses (docs/cases/four-bar-free.md)."""

from __future__ import annotations

import math

from simcore.cases.bare import bar, mechanism
from simcore.model.case import Case, Chosen, Gauge, Parameter
from simcore.model.elements import GROUND, Body, CutRevolute, Machine, Mount, Revolute
from simcore.model.geometry import Array
from simcore.model.quantity import Quantity, assumed, place, reconstructed

_Z = (0.0, 0.0, 1.0)

PARAMETERS = (
    Parameter("crank", 0.4, "m", "assumed", "length of the crank", 0.01, 100.0, label="crank length"),
    Parameter("coupler", 1.0, "m", "assumed", "length of the coupler", 0.01, 100.0, label="coupler length"),
    Parameter("rocker", 0.8, "m", "assumed", "length of the rocker", 0.01, 100.0, label="rocker length"),
    Parameter(
        "ground",
        1.0,
        "m",
        "assumed",
        "distance between the two ground bearings",
        0.01,
        100.0,
        label="bearing distance",
    ),
    Parameter("mass_per_length", 1.0, "kg/m", "assumed", "mass per length of each bar", 1e-3, 1e4),
    Parameter(
        "crank_start",
        math.radians(60.0),
        "rad",
        "assumed",
        "crank angle at t = 0",
        -7.0,
        7.0,
        label="crank angle at the start",
    ),
    Parameter(
        "crank_rate",
        2.0,
        "rad/s",
        "assumed",
        "angular velocity of the crank at t = 0",
        -100.0,
        100.0,
        label="crank angular velocity at the start",
    ),
    Parameter("gravity", 9.81, "m/s²", "assumed", "acts vertically downwards (along -y)", 0.0, 100.0),
)


def assemble(chosen: Chosen) -> Machine:
    """The four-bar, with crank bearing at the origin, rocker bearing on the x axis and coupler above."""
    names = ("crank", "coupler", "rocker")
    crank, coupler, rocker = lengths = [chosen.number(name) for name in names]
    ground, start = chosen.number("ground"), chosen.number("crank_start")
    across = complex(ground, 0) - crank * complex(math.cos(start), math.sin(start))
    reach = abs(across)
    share = (coupler**2 + reach**2 - rocker**2) / (2 * coupler * reach)
    lift = math.acos(min(max(share, -1.0), 1.0))
    up = math.atan2(across.imag, across.real) + lift
    end = across - coupler * complex(math.cos(up), math.sin(up))
    down = math.atan2(end.imag, end.real)
    note = "closes the loop with the coupler above"
    starts: list[Quantity] = [
        chosen.quantity("crank_start"),
        reconstructed(up - start, "rad", note),
        reconstructed(down - up, "rad", note),
    ]
    rates = [chosen.quantity("crank_rate"), *[reconstructed(0.0, "rad/s", "follows from the crank")] * 2]
    bodies: list[Body] = []
    for i, name in enumerate(names):
        parent, at = (names[i - 1], lengths[i - 1]) if i else (GROUND, 0.0)
        joint = Revolute(parent, place(at, 0, 0, "assumed"), _Z, starts[i], rates[i])
        mass = assumed(chosen.number("mass_per_length") * lengths[i], "kg", "mass per length times length")
        bodies.append(bar(name, joint, lengths[i], mass))
    bearing = CutRevolute(
        "rocker bearing",
        Mount(GROUND, place(ground, 0, 0, "assumed")),
        Mount("rocker", place(rocker, 0, 0, "assumed")),
        _Z,
        _Z,
    )
    return mechanism(
        "four-bar-free", chosen.quantity("gravity"), tuple(bodies), (bearing,), independent=("crank",)
    )


def _crank(machine: Machine, z: Array) -> Array:
    return z[:1]


FOUR_BAR_FREE = Case(
    name="four-bar-free",
    sentence="Four-bar linkage that moves freely without damping; used to measure the errors of crank angle"
    " and loop closure",
    parameters=PARAMETERS,
    assemble=assemble,
    command_schedule=((0.0, {}),),
    dt=1e-3,
    t_end=1.0,
    gauge=Gauge("crank_rad", _crank),
)
