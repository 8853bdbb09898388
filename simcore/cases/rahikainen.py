"""Defines two parallelogram four-bars with one cylinder: cases rahikainen-a and rahikainen-b.

Case a comes from Rahikainen 2018, Publication I, case b from Publication II. Parameters, their provenance and
measured results are in docs/cases/rahikainen.md.
"""

from __future__ import annotations

from functools import partial

from simcore.cases.one_cylinder import (
    GRAVITY,
    MODEL_ERROR,
    PISTON,
    ROD,
    SUPPLY_PARAMETERS,
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
from simcore.model.case import Case, Chosen, Parameter
from simcore.model.elements import GROUND, CutRevolute, Cylinder, Machine, Mount
from simcore.model.equilibrium import at_rest
from simcore.model.quantity import place, printed, reconstructed

_THROTTLE = (
    "reconstructed",
    "flow area of the throttle; not published, so taken from the same circuit in Jaiswal 2021, Publication I",
)


def _parameters(hose_volume: float) -> tuple[Parameter, ...]:
    return (
        Parameter("mass_1", 50.0, "kg", "printed", "mass of the lower arm", 0.1, 1e4, label="lower arm mass"),
        Parameter("mass_2", 50.0, "kg", "printed", "mass of the coupler", 0.1, 1e4, label="coupler mass"),
        Parameter("mass_3", 250.0, "kg", "printed", "mass of the long arm", 0.1, 1e4, label="long arm mass"),
        *SUPPLY_PARAMETERS,
        *circuit_parameters(hose_volume, _THROTTLE),
        *seal_parameters("efficiency", "printed", "printed"),
        *reduction_parameters("published"),
        Parameter(
            "start",
            "equilibrium",
            "",
            "printed",
            "“equilibrium”: the piston-side pressure starts at the value that holds the machine still;"
            " “printed”: it starts at the published 4.14 MPa",
            choices=("equilibrium", "printed"),
            label="start state",
        ),
    )


def _assemble(name: str, chosen: Chosen) -> Machine:
    """The machine with the chosen parameters."""
    bodies = (
        beam("arm", (GROUND, place(0, 0, 0)), chosen.quantity("mass_1"), 1.0, -30.0, 0.05, 0.5),
        beam("coupler", ("arm", place(1, 0, 0)), chosen.quantity("mass_2"), 1.0, 30.0, 0.05, 0.5),
        # hinged to the coupler 1 m from its ground bearing, 1.5 m before its free end
        beam("boom", ("coupler", place(1, 0, 0)), chosen.quantity("mass_3"), 2.5, 150.0, 0.05, -0.25),
    )
    cylinder = Cylinder(
        name="cylinder",
        base=ground(0, -1),
        rod=Mount("arm", place(0.5, 0, 0)),
        chamber_a=PISTON,
        chamber_b=ROD,
        bore=printed(0.080, "m"),
        rod_diameter=printed(0.035, "m"),
        tube_length=printed(0.7, "m"),
        reference_length=reconstructed(0.75**0.5, "m", "published 0.866; length at the start"),
        chamber_a_at_reference=printed(0.2, "m"),
        wall_bulk_modulus=chosen.quantity("wall_bulk_modulus"),
        friction=seal(chosen),
    )
    machine = Machine(
        name=name,
        gravity=GRAVITY,
        bodies=bodies,
        loops=(
            CutRevolute(
                "boom bearing",
                Mount(GROUND, place(1, 0, 0, "reconstructed", "not published; closes the loop")),
                Mount("boom", place(1, 0, 0, "reconstructed")),
                Z_AXIS,
                Z_AXIS,
            ),
        ),
        independent=("arm",),
        fluid=fluid(chosen),
        volumes=oil(chosen, printed(4.14e6, "Pa")),
        sources=supply(chosen),
        orifices=(throttle(chosen),),
        valves=(valve(chosen),),
        cylinders=(cylinder,),
        outputs=outputs(("arm", "coupler", "boom"), "arm"),
        solver=solver(chosen, 1e2, "norm"),
        model_error=MODEL_ERROR,
    )
    if chosen.word("start") == "equilibrium":
        machine = at_rest(machine)
    return reduced(chosen, machine)


def _case(name: str, sentence: str, hose_volume: float) -> Case:
    return Case(
        name=name,
        sentence=sentence,
        parameters=_parameters(hose_volume),
        assemble=partial(_assemble, name),
        command_schedule=(
            (0.0, {"valve.command": 0.0}),
            (0.5, {"valve.command": 10.0}),
            (2.8, {"valve.command": 0.0}),
            (4.5, {"valve.command": -10.0}),
            (6.0, {"valve.command": 0.0}),
        ),
        dt=1e-3,
        t_end=7.0,
    )


RAHIKAINEN_A = _case(
    "rahikainen-a",
    "Parallelogram linkage lifted by one cylinder, with three oil volumes (published in Rahikainen 2018,"
    " Publication I)",
    4.71e-5,
)
RAHIKAINEN_B = _case(
    "rahikainen-b",
    "Parallelogram linkage lifted by one cylinder, with a hose so small that it can be left out of the"
    " model (published in Rahikainen 2018, Publication II)",
    7.85e-7,
)
