"""Builds what the two mechanisms of Jaiswal 2021, Publication I, share.

This is the circuit, the cylinder, the start state and the settings.
"""

from __future__ import annotations

import math

from simcore.cases.one_cylinder import (
    GRAVITY,
    MODEL_ERROR,
    PISTON,
    ROD,
    SUPPLY_PARAMETERS,
    circuit_parameters,
    fluid,
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
from simcore.model.case import Chosen, Parameter
from simcore.model.elements import Body, Cylinder, Loop, Machine, Mount
from simcore.model.equilibrium import at_rest
from simcore.model.quantity import printed, reconstructed

_START_LENGTH = math.sqrt(2)  # m
_TUBE = 1.1  # m

PARAMETERS = (
    *SUPPLY_PARAMETERS,
    *circuit_parameters(4.71e-5, ("printed", "flow area of the throttle between hose and cylinder")),
    *seal_parameters("none", "passive", "assumed"),
    *reduction_parameters("series"),
    Parameter(
        "start",
        "equilibrium",
        "",
        "printed",
        "the piston-side pressure starts at the value that holds the machine still",
        choices=("equilibrium",),
        label="start state",
    ),
)


def cylinder(chosen: Chosen, base: Mount, rod: Mount) -> Cylinder:
    """The published cylinder between two points; length of the piston chamber at the start: s₀ - l."""
    return Cylinder(
        name="cylinder",
        base=base,
        rod=rod,
        chamber_a=PISTON,
        chamber_b=ROD,
        bore=printed(0.080, "m"),
        rod_diameter=printed(0.035, "m"),
        tube_length=printed(_TUBE, "m"),
        reference_length=printed(_START_LENGTH, "m", "length at the start"),
        chamber_a_at_reference=printed(_START_LENGTH - _TUBE, "m", "start length minus tube length"),
        wall_bulk_modulus=chosen.quantity("wall_bulk_modulus"),
        friction=seal(chosen),
    )


def machine(
    name: str,
    chosen: Chosen,
    bodies: tuple[Body, ...],
    loops: tuple[Loop, ...],
    driven: Cylinder,
    independent: str,
) -> Machine:
    """A mechanism with the published circuit, at rest."""
    described = Machine(
        name=name,
        gravity=GRAVITY,
        bodies=bodies,
        loops=loops,
        independent=(independent,),
        fluid=fluid(chosen),
        volumes=oil(chosen, reconstructed(5e6, "Pa")),
        sources=supply(chosen),
        orifices=(throttle(chosen),),
        valves=(valve(chosen),),
        cylinders=(driven,),
        outputs=outputs(tuple(body.name for body in bodies), independent),
        solver=solver(chosen, 1e-2),
        model_error=MODEL_ERROR,
    )
    return reduced(chosen, at_rest(described))
