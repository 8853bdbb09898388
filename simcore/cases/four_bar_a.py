"""Hydraulic four-bar of Jaiswal 2021, Publication I: a long boom lifted by a cylinder on its linkage.

Parameters, their provenance and measured results: docs/cases/four-bar-a.md.
"""

from __future__ import annotations

import math

from simcore.cases.case import Case, Chosen, Parameter
from simcore.cases.one_cylinder import (
    GRAVITY,
    MODEL_ERROR,
    PISTON,
    ROD,
    Z_AXIS,
    beam,
    circuit_parameters,
    fluid,
    ground,
    oil,
    outputs,
    reduced,
    reduction_parameters,
    solver,
    supply,
    throttle,
    valve,
)
from simcore.cases.seals import seal, seal_parameters
from simcore.model.elements import GROUND, CutRevolute, Cylinder, Machine, Mount
from simcore.model.equilibrium import at_rest
from simcore.model.quantity import place, printed, reconstructed

_ROOT_2 = math.sqrt(2)

PARAMETERS = (
    Parameter("boom_mass", 225.0, "kg", "printed", "boom of 9 m", 0.1, 1e4),
    Parameter("link_mass", 35.0, "kg", "printed", "link of √2 m", 0.1, 1e4),
    Parameter("rocker_mass", 50.0, "kg", "printed", "rocker of 2 m", 0.1, 1e4),
    *circuit_parameters(4.71e-5, ("printed", "throttle between hose and cylinder")),
    *seal_parameters("none", "passive", "assumed"),
    *reduction_parameters("series"),
    Parameter(
        "start",
        "equilibrium",
        "",
        "printed",
        "piston-side pressure that holds the machine",
        choices=("equilibrium",),
    ),
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
    cylinder = Cylinder(
        name="cylinder",
        base=ground(0, -2),
        rod=Mount("rocker", place(1, 0, 0, "printed", "centre of mass of the rocker")),
        chamber_a=PISTON,
        chamber_b=ROD,
        bore=printed(0.080, "m"),
        rod_diameter=printed(0.035, "m"),
        tube_length=printed(1.1, "m"),
        reference_length=printed(_ROOT_2, "m", "length at the start"),
        chamber_a_at_reference=printed(_ROOT_2 - 1.1, "m", "start length minus tube length"),
        wall_bulk_modulus=chosen.quantity("wall_bulk_modulus"),
        friction=seal(chosen),
    )
    machine = Machine(
        name="four-bar-a",
        gravity=GRAVITY,
        bodies=bodies,
        loops=(
            CutRevolute("rocker bearing", ground(0, -1), Mount("rocker", place(2, 0, 0)), Z_AXIS, Z_AXIS),
        ),
        independent=("rocker",),
        fluid=fluid(chosen),
        volumes=oil(chosen, reconstructed(5e6, "Pa")),
        sources=supply(chosen),
        orifices=(throttle(chosen),),
        valves=(valve(chosen),),
        cylinders=(cylinder,),
        outputs=outputs(("boom", "link", "rocker"), "rocker"),
        solver=solver(chosen, 1e-2),
        model_error=MODEL_ERROR,
    )
    return reduced(chosen, at_rest(machine))


FOUR_BAR_A = Case(
    name="four-bar-a",
    sentence="Boom of 9 m on a four-bar linkage, lifted by one cylinder (Jaiswal 2021, I)",
    parameters=PARAMETERS,
    assemble=assemble,
    drive=(
        (0.0, {"valve.command": 0.0}),
        (1.0, {"valve.command": 10.0}),
        (2.5, {"valve.command": 0.0}),
        (5.0, {"valve.command": -10.0}),
        (8.0, {"valve.command": 0.0}),
    ),
    dt=1e-3,
    t_end=10.0,
)
