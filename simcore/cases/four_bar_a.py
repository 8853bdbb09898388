"""Defines the hydraulic four-bar of Jaiswal 2021, Publication I: a cylinder at the rocker lifts a boom.

The boom is 9 m long. Parameters, their provenance and measured results are in docs/cases/four-bar-a.md.
"""

from __future__ import annotations

import math

from simcore.cases import jaiswal_i
from simcore.cases.one_cylinder import Z_AXIS, beam, ground
from simcore.model.case import Case, Chosen, Parameter
from simcore.model.elements import GROUND, CutRevolute, Machine, Mount
from simcore.model.quantity import place

_ROOT_2 = math.sqrt(2)

PARAMETERS = (
    Parameter("boom_mass", 225.0, "kg", "printed", "mass of the boom, which is 9 m long", 0.1, 1e4),
    Parameter("link_mass", 35.0, "kg", "printed", "mass of the link, which is √2 m long", 0.1, 1e4),
    Parameter("rocker_mass", 50.0, "kg", "printed", "mass of the rocker, which is 2 m long", 0.1, 1e4),
    *jaiswal_i.PARAMETERS,
)


def assemble(chosen: Chosen) -> Machine:
    """The machine with the chosen parameters."""
    bodies = (
        beam("boom", (GROUND, place(0, 0, 0)), chosen.quantity("boom_mass"), 9.0, 0.0, 0.0, 4.5),
        beam(
            "link", ("boom", place(3, 0, 0)), chosen.quantity("link_mass"), _ROOT_2, -135.0, 0.0, _ROOT_2 / 2
        ),
        beam("rocker", ("link", place(_ROOT_2, 0, 0)), chosen.quantity("rocker_mass"), 2.0, -45.0, 0.0, 1.0),
    )
    bearing = CutRevolute("rocker bearing", ground(0, -1), Mount("rocker", place(2, 0, 0)), Z_AXIS, Z_AXIS)
    middle = Mount("rocker", place(1, 0, 0, "printed", "centre of mass of the rocker"))
    cylinder = jaiswal_i.cylinder(chosen, ground(0, -2), middle)
    return jaiswal_i.machine("four-bar-a", chosen, bodies, (bearing,), cylinder, "rocker")


FOUR_BAR_A = Case(
    name="four-bar-a",
    sentence="Boom of 9 m on a four-bar linkage, lifted by one cylinder (published in Jaiswal 2021,"
    " Publication I)",
    parameters=PARAMETERS,
    assemble=assemble,
    command_schedule=(
        (0.0, {"valve.command": 0.0}),
        (1.0, {"valve.command": 10.0}),
        (2.5, {"valve.command": 0.0}),
        (5.0, {"valve.command": -10.0}),
        (8.0, {"valve.command": 0.0}),
    ),
    dt=1e-3,
    t_end=10.0,
)
