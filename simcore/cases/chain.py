"""Defines a chain of slender links that falls from a horizontal position (docs/cases/chain.md)."""

from __future__ import annotations

from simcore.cases.bare import bar, mechanism
from simcore.errors import BadParameter
from simcore.model.case import Case, Chosen, Gauge, Parameter
from simcore.model.elements import GROUND, Machine, Mount, Revolute
from simcore.model.geometry import Array, point, poses
from simcore.model.outlines import corners
from simcore.model.quantity import assumed, place

_AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))

PARAMETERS = (
    Parameter("n", 6.0, "-", "assumed", "number of links", 1, 100, label="number of links"),
    Parameter(
        "spatial",
        0.0,
        "-",
        "assumed",
        "0: all hinge axes are parallel; 1: each hinge axis is at 90° to the previous one",
        0,
        1,
        label="spatial chain (0: no, 1: yes)",
    ),
    Parameter("length", 0.5, "m", "assumed", "length of each link", 0.01, 100.0, label="link length"),
    Parameter("mass", 1.0, "kg", "assumed", "mass of each link", 1e-3, 1e5, label="link mass"),
    Parameter("gravity", 9.81, "m/s²", "assumed", "acts vertically downwards (along -y)", 0.0, 100.0),
)


def assemble(chosen: Chosen) -> Machine:
    """Links along x, at rest, with hinges about z, or alternately about z and y."""
    n, spatial, length = chosen.number("n"), chosen.number("spatial"), chosen.number("length")
    if n != int(n) or spatial not in (0.0, 1.0):
        raise BadParameter(
            f"n = {n:g}, spatial = {spatial:g}: n must be a whole number, and spatial must be 0 or 1"
        )
    bodies = []
    for i in range(int(n)):
        joint = Revolute(
            parent=f"link{i}" if i else GROUND,
            at=place(length if i else 0.0, 0, 0, "assumed"),
            axis=_AXES[i % 2 if spatial else 0],
            start=assumed(0.0, "rad", "horizontal"),
            rate=assumed(0.0, "rad/s", "at rest"),
        )
        bodies.append(bar(f"link{i + 1}", joint, length, chosen.quantity("mass")))
    return mechanism("chain", chosen.quantity("gravity"), tuple(bodies))


def _tip(machine: Machine, z: Array) -> Array:
    last = machine.bodies[-1]
    return point(poses(machine, z), Mount(last.name, place(*corners(last.shapes[0])[-1])))


CHAIN = Case(
    name="chain",
    sentence="Chain of slender links that falls in a plane or in space; used to measure the position error of"
    " the chain's tip",
    parameters=PARAMETERS,
    assemble=assemble,
    command_schedule=((0.0, {}),),
    dt=1e-3,
    t_end=1.0,
    gauge=Gauge("tip_m", _tip),
)
