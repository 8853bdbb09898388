"""Defines the crane of Rahikainen 2019, Publication III: one cylinder lifts a boom with a hanging load.

A pump supplies the oil. Parameters, their provenance and measured results are in docs/cases/crane.md.
"""

from __future__ import annotations

import math
from dataclasses import replace

from simcore.cases.one_cylinder import (
    GRAVITY,
    HOSE,
    MODEL_ERROR,
    PISTON,
    ROD,
    Z_AXIS,
    beam,
    circuit_parameters,
    fluid,
    oil,
    reduced,
    reduction_parameters,
    solver,
    throttle,
    valve,
)
from simcore.cases.power_pack import PUMP_LINE, pack_parameters, power_pack, pump_pressure
from simcore.cases.seals import seal, seal_parameters
from simcore.model.case import Case, Chosen, Parameter, adapted
from simcore.model.elements import (
    GROUND,
    Beam,
    Body,
    Cylinder,
    EndDamper,
    Fixed,
    JointSpring,
    Machine,
    Mount,
    Output,
    Payload,
    Revolute,
)
from simcore.model.equilibrium import at_rest
from simcore.model.quantity import Quantity, Vector, assumed, place, printed, reconstructed

_BOOM, _HANGER = 1.0, 0.5  # m
_BEARING_X = math.sqrt(3) / 2  # m, of the cylinder

PARAMETERS = (
    Parameter("hook_load", 100.0, "kg", "printed", "point mass at the end of the hanger", 1.0, 1000.0),
    Parameter(
        "boom_mass",
        200.0,
        "kg",
        "printed",
        "mass of the boom, evenly distributed over its length of 1 m",
        0.1,
        1e4,
    ),
    Parameter("tip_mass", 250.0, "kg", "printed", "point mass at the boom's tip", 0.0, 1e4),
    Parameter(
        "swing_damping",
        0.0,
        "N m s/rad",
        "assumed",
        "damping in the hanger's hinge; the publication mentions none",
        0.0,
        1e4,
    ),
    *pack_parameters(
        Parameter(
            "pump_flow", 2.5e-4, "m³/s", "assumed", "15 l/min, 20 % more than the cylinder needs", 0.0, 0.1
        ),
        Parameter(
            "pump_volume",
            5e-4,
            "m³",
            "assumed",
            "oil volume of the pump line",
            1e-6,
            0.1,
            label="pump line volume",
        ),
    ),
    *adapted(
        circuit_parameters(
            4.71e-5,
            (
                "reconstructed",
                "flow area of the throttle; not published, so taken from the same circuit in Jaiswal"
                " 2021, Publication I",
            ),
        ),
        Parameter(
            "p_B_start",
            3.5e6,
            "Pa",
            "assumed",
            "rod chamber pressure at t = 0; not published, so taken from the same circuit in Jaiswal 2021,"
            " Publication I",
            1e5,
            5e7,
            label="rod chamber pressure at the start",
        ),
        Parameter(
            "valve_coefficient",
            1.069e-8,
            "m³/(s √Pa V)",
            "printed",
            "flow coefficient of each valve edge",
            0.0,
            1e-6,
        ),
        Parameter(
            "tau",
            1 / (70 * math.pi),
            "s",
            "printed",
            "time constant of a spool that lags its command by 45° at 35 Hz",
            1e-4,
            1.0,
            label="spool time constant",
        ),
        Parameter("hose_bulk_modulus", 1.5e8, "Pa", "printed", "bulk modulus of the hose walls", 1e7, 1e12),
        Parameter(
            "hose_volume",
            4.71e-5,
            "m³",
            "reconstructed",
            "oil volume of the hose; the published 7.85e-7 m³ would make the hose too stiff",
            1e-8,
            1e-2,
        ),
    ),
    *seal_parameters("efficiency", "passive", "reconstructed"),
    *reduction_parameters("series"),
    Parameter(
        "start",
        "equilibrium",
        "",
        "assumed",
        "the piston-side pressure starts at the value that holds the crane still",
        choices=("equilibrium",),
        label="start state",
    ),
)


def _point_mass(name: str, joint: Revolute | Fixed, mass: Quantity, at: float, length: float) -> Body:
    """Point mass at a distance along x from the joint at the origin."""
    thin = assumed(0.04, "m", "display")
    return Body(
        name=name,
        joint=joint,
        mass=mass,
        centre=place(at, 0, 0),
        inertia=Vector((0.0, 0.0, 0.0), "kg m²", "printed", "point mass"),
        shapes=(Beam(assumed(length, "m", "display"), thin, thin),),
    )


def _bodies(chosen: Chosen) -> tuple[Body, ...]:
    """Boom at 30°, hanger straight down (270° from x), and the mass welded to the tip of the boom."""
    tip = place(_BOOM, 0, 0)
    hinge = Revolute(
        "boom",
        tip,
        Z_AXIS,
        printed(math.radians(270 - 30), "rad", "straight down"),
        printed(0.0, "rad/s", "at rest"),
    )
    weld = Fixed("boom", tip, Vector((0.0, 0.0, 0.0), "rad", "printed"))
    return (
        beam("boom", (GROUND, place(0, 0, 0)), chosen.quantity("boom_mass"), _BOOM, 30.0, 0.0, _BOOM / 2),
        _point_mass("hanger", hinge, chosen.quantity("hook_load"), _HANGER, _HANGER),
        _point_mass("tip mass", weld, chosen.quantity("tip_mass"), 0.0, 0.1),
    )


def _cylinder(chosen: Chosen) -> Cylinder:
    return Cylinder(
        name="cylinder",
        base=Mount(GROUND, place(_BEARING_X, 0, 0)),
        rod=Mount("boom", place(_BOOM / 2, 0, 0)),
        chamber_a=PISTON,
        chamber_b=ROD,
        bore=printed(0.080, "m"),
        rod_diameter=printed(0.035, "m"),
        tube_length=printed(0.3, "m"),
        reference_length=printed(0.5, "m", "length at the start"),
        chamber_a_at_reference=printed(0.05, "m"),
        wall_bulk_modulus=chosen.quantity("wall_bulk_modulus"),
        friction=seal(chosen),
        end_damper=EndDamper(printed(0.008, "m"), printed(1e7, "N/m"), printed(5e3, "N s/m")),
    )


_GAUGE = assumed(5e4, "Pa", "0.5 bar")
_OUTPUTS = (
    Output(
        "boom.angle", "Boom angle", "angle", "boom", "sensor", assumed(math.radians(0.25), "rad", "encoder")
    ),
    Output("boom.rate", "Boom rate", "rate", "boom", "sensor", assumed(0.01, "rad/s", "gyroscope")),
    Output("hanger.angle", "Hanger angle relative to the boom", "angle", "hanger", "estimate"),
    Output("hanger.rate", "Hanger angular velocity relative to the boom", "rate", "hanger", "estimate"),
    pump_pressure(_GAUGE),
    Output("hose.p", "Hose pressure", "pressure", HOSE, "estimate"),
    Output("cylinder.p_A", "Piston chamber pressure", "pressure", PISTON, "sensor", _GAUGE),
    Output("cylinder.p_B", "Rod chamber pressure", "pressure", ROD, "sensor", _GAUGE),
    Output("cylinder.length", "Cylinder length", "length", "cylinder", "estimate"),
    Output("cylinder.force", "Cylinder force", "force", "cylinder", "estimate"),
    Output("valve.command", "Valve command", "command", "valve", "input"),
    Output("valve.spool", "Valve spool", "spool", "valve", "model"),
)


_MODEL_ERROR = replace(
    MODEL_ERROR,
    acceleration=assumed(0.01, "rad/s²/√Hz", "errors of the weights are estimated as biases"),
    pressure_rate=assumed(1e5, "Pa/s/√Hz", "bulk modulus is known to a few per cent"),
    unexplained_torque=assumed(150.0, "N m", "a twentieth of the torque of boom and tip weight"),
    unexplained_on=("boom",),
    torque_memory=assumed(1000.0, "s", "weights do not change"),
    valve_gain=assumed(0.1, "-", "a valve's flow is known to a tenth"),
    payload=Payload(
        "hanger",
        known=assumed(2.0, "kg", "a hook without a load can be weighed"),
        change=assumed(150.0, "kg", "typical load of such a crane"),
    ),
    bias_memory=assumed(100.0, "s", "slower than any movement"),
)


def assemble(chosen: Chosen) -> Machine:
    """The crane with the chosen parameters."""
    pack = power_pack(chosen, chosen.quantity("hose_bulk_modulus"), chosen.quantity("relief_pressure"))
    machine = Machine(
        name="crane",
        gravity=GRAVITY,
        bodies=_bodies(chosen),
        loops=(),
        independent=("boom", "hanger"),
        fluid=fluid(chosen),
        volumes=(*oil(chosen, reconstructed(4.6e6, "Pa")), pack.volume),
        sources=(pack.tank,),
        orifices=(throttle(chosen),),
        valves=(valve(chosen, PUMP_LINE),),
        cylinders=(_cylinder(chosen),),
        outputs=_OUTPUTS,
        solver=solver(chosen, 1e-2),
        model_error=_MODEL_ERROR,
        elements=pack.elements,
        links=(
            JointSpring(
                "hook hinge",
                "hanger",
                stiffness=assumed(0.0, "N m/rad", "it hangs"),
                damping=chosen.quantity("swing_damping"),
                rest=assumed(0.0, "rad"),
            ),
        ),
    )
    return reduced(chosen, at_rest(machine))


CRANE = Case(
    name="crane",
    sentence="Boom with a hanging load, one cylinder and a pump with a relief valve (based on"
    " Rahikainen 2019, Publication III)",
    parameters=PARAMETERS,
    assemble=assemble,
    command_schedule=(
        (0.0, {"valve.command": 0.0}),
        (1.0, {"valve.command": 10.0}),
        (4.0, {"valve.command": 0.0}),
        (6.0, {"valve.command": -10.0}),
        (8.0, {"valve.command": 0.0}),
    ),
    dt=1e-3,
    t_end=10.0,
)
