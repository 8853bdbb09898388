"""Defines a synthetic excavator for benchmarks: six bodies, one loop, three cylinders, ten pressures.

It does not represent a real machine: every number is assumed. Parameters and measured results are in
docs/cases/digger-rig.md.
"""

from __future__ import annotations

import math

from simcore.cases import digger_oil
from simcore.cases.digger_oil import Actuator, command
from simcore.cases.power_pack import power_pack, pump_pressure
from simcore.model.case import Case, Chosen, CommandSchedule, Parameter
from simcore.model.elements import (
    GROUND,
    Axis,
    Beam,
    Body,
    CutRevolute,
    Fluid,
    JointSpring,
    Machine,
    ModelError,
    Mount,
    Output,
    Revolute,
    Solver,
)
from simcore.model.equilibrium import at_rest
from simcore.model.quantity import Quantity, Vector, assumed, place

_UP: Axis = (0.0, 1.0, 0.0)
_ACROSS: Axis = (0.0, 0.0, 1.0)
_ROCKER, _LINK = 0.34, 0.46  # m
_HOLD = 0.02  # s, for which a command is held
_T_END = 10.0  # s

PARAMETERS = (
    Parameter(
        "platform_mass", 2500.0, "kg", "assumed", "mass of the upper carriage with counterweight", 0.1, 1e5
    ),
    Parameter("boom_mass", 300.0, "kg", "assumed", "mass of the boom, which is 2.5 m long", 0.1, 1e4),
    Parameter("dipper_mass", 150.0, "kg", "assumed", "mass of the dipper, which is 1.4 m long", 0.1, 1e4),
    Parameter("bucket_mass", 200.0, "kg", "assumed", "mass of the bucket with a little soil in it", 0.1, 1e4),
    Parameter("rocker_mass", 15.0, "kg", "assumed", "mass of the rocker in the bucket linkage", 0.1, 1e3),
    Parameter("link_mass", 12.0, "kg", "assumed", "mass of the link in the bucket linkage", 0.1, 1e3),
    Parameter(
        "swing_rate",
        0.3,
        "rad/s",
        "assumed",
        "angular velocity of the platform at t = 0",
        -2.0,
        2.0,
        label="swing rate at the start",
    ),
    Parameter(
        "swing_damping", 500.0, "N m s/rad", "assumed", "viscous damping in the slewing ring", 0.0, 1e6
    ),
    Parameter("gravity", 9.81, "m/s²", "assumed", "acts vertically downwards (along -y)", 0.0, 100.0),
    *digger_oil.PARAMETERS,
)


def _at(x: float, y: float) -> Vector:
    """A point in the plane of the arm."""
    return place(x, y, 0.0, "assumed")


_ACTUATORS = (
    Actuator(
        "lift", Mount("platform", _at(0.75, 0.45)), Mount("boom", _at(1.2, -0.05)),
        bore=0.09, rod_diameter=0.05, tube=0.75, reference=1.19, chamber_a=0.4,
    ),
    Actuator(
        "crowd", Mount("boom", _at(1.2, 0.35)), Mount("dipper", _at(-0.35, 0.1)),
        bore=0.08, rod_diameter=0.045, tube=0.8, reference=1.35, chamber_a=0.4,
    ),
    Actuator(
        "curl", Mount("dipper", _at(0.2, 0.3)), Mount("rocker", _at(_ROCKER, 0.0)),
        bore=0.07, rod_diameter=0.04, tube=0.5, reference=0.9, chamber_a=0.2,
    ),
)  # fmt: skip


def _bar(
    name: str,
    on: tuple[str, Vector],
    start: float,
    mass: Quantity,
    length: float,
    side: float,
    centre: Vector,
) -> Body:
    """Body on a hinge across the arm, with the inertia of a square bar. start: angle to parent, degrees."""
    across = float(mass) * (length**2 + side**2) / 12
    along = float(mass) * side**2 / 6
    thick = assumed(side, "m")
    return Body(
        name=name,
        joint=Revolute(
            *on, _ACROSS, assumed(math.radians(start), "rad"), assumed(0.0, "rad/s", "at rest")
        ),
        mass=mass,
        centre=centre,
        inertia=Vector((along, across, across), "kg m²", "assumed", "uniform bar"),
        shapes=(Beam(assumed(length, "m"), thick, thick),),
    )  # fmt: skip


def _platform(chosen: Chosen) -> Body:
    size = assumed(1.5, "m", "display")
    return Body(
        name="platform",
        joint=Revolute(
            GROUND, _at(0, 0), _UP, assumed(0.0, "rad", "straight ahead"), chosen.quantity("swing_rate")
        ),
        mass=chosen.quantity("platform_mass"),
        centre=_at(-0.4, 0.6),
        inertia=Vector((900.0, 1200.0, 900.0), "kg m²", "assumed"),
        shapes=(Beam(size, size, size),),
    )


def _bodies(chosen: Chosen) -> tuple[Body, ...]:
    """Platform, boom, dipper, bucket, rocker and link; the end of the link closes the loop at the bucket."""

    def bar(name: str, on: tuple[str, Vector], start: float, length: float, side: float) -> Body:
        mass = chosen.quantity(f"{name}_mass")
        return _bar(name, on, start, mass, length, side, _at(length / 2, 0))

    return (
        _platform(chosen),
        bar("boom", ("platform", _at(0.3, 0.8)), 40.0, 2.5, 0.2),
        bar("dipper", ("boom", _at(2.5, 0)), -80.0, 1.4, 0.16),
        bar("bucket", ("dipper", _at(1.4, 0)), -50.0, 0.7, 0.4),
        bar("rocker", ("dipper", _at(1.15, 0.05)), 100.0, _ROCKER, 0.05),
        bar("link", ("rocker", _at(_ROCKER, 0)), -125.0, _LINK, 0.05),
    )


def _pin() -> CutRevolute:
    """Where the link meets the ear of the bucket, 0.22 m from the bucket's hinge."""
    ear = _at(0.22 * math.cos(math.radians(100.0)), 0.22 * math.sin(math.radians(100.0)))
    return CutRevolute("bucket pin", Mount("bucket", ear), Mount("link", _at(_LINK, 0)), _ACROSS, _ACROSS)


def _outputs() -> tuple[Output, ...]:
    encoder, gyro = assumed(math.radians(0.25), "rad", "encoder"), assumed(0.01, "rad/s", "gyroscope")
    joints: list[Output] = []
    for name in ("platform", "boom", "dipper", "bucket"):
        title = name.capitalize()
        joints.append(Output(f"{name}.angle", f"{title} angle", "angle", name, "sensor", encoder))
        joints.append(Output(f"{name}.rate", f"{title} rate", "rate", name, "sensor", gyro))
    pump = pump_pressure(assumed(5e4, "Pa", "0.5 bar"))
    return *joints, pump, *(output for actuator in _ACTUATORS for output in digger_oil.outputs(actuator))


_SOLVER = Solver(
    penalty=assumed(1e11, "N/m", "as in the published cases"),
    position_tolerance=assumed(1e-6, "rad", "an eighth of the error of a 1 ms step"),
    pressure_tolerance=assumed(1e3, "Pa", "the same"),
    max_iterations=20,
    friction_tolerance=assumed(1e-7, "m", "the same"),
)
_MODEL_ERROR = ModelError(
    acceleration=assumed(0.03, "rad/s²/√Hz"),
    pressure_rate=assumed(3e5, "Pa/s/√Hz"),
    input_fresh=assumed(0.05, "s", "one lost sample of 50 Hz telemetry, and some jitter"),
    input_memory=assumed(3.0, "s", "an operator's stroke lasts about that long"),
    start_position=assumed(0.1, "rad"),
    start_rate=assumed(0.2, "rad/s"),
    start_pressure=assumed(2e6, "Pa"),
)


def assemble(chosen: Chosen) -> Machine:
    """The rig with the chosen parameters: its cylinders hold the arm still while the platform turns."""
    pack = power_pack(chosen, chosen.quantity("hose_bulk_modulus"), chosen.quantity("relief_pressure"))
    machine = Machine(
        name="digger-rig",
        gravity=Vector((0.0, -chosen.number("gravity"), 0.0), "m/s²", "assumed"),
        bodies=_bodies(chosen),
        loops=(_pin(),),
        independent=("platform", "boom", "dipper", "bucket"),
        fluid=Fluid(chosen.quantity("density"), chosen.quantity("oil_bulk_modulus")),
        volumes=(*(v for a in _ACTUATORS for v in digger_oil.volumes(chosen, a)), pack.volume),
        sources=(pack.tank,),
        orifices=tuple(digger_oil.throttle(chosen, a) for a in _ACTUATORS),
        valves=tuple(digger_oil.valve(chosen, a) for a in _ACTUATORS),
        cylinders=tuple(digger_oil.cylinder(chosen, a) for a in _ACTUATORS),
        outputs=_outputs(),
        solver=_SOLVER,
        model_error=_MODEL_ERROR,
        elements=pack.elements,
        links=(
            JointSpring(
                "slewing ring",
                "platform",
                stiffness=assumed(0.0, "N m/rad", "free to turn"),
                damping=chosen.quantity("swing_damping"),
                rest=assumed(0.0, "rad"),
            ),
        ),
    )
    return at_rest(machine)


def _commands() -> CommandSchedule:
    """Valve commands, V: sine waves for boom and bucket, steps for the dipper, as in digging and dumping."""
    rows = []
    for k in range(round(_T_END / _HOLD)):
        t = (k + 0.5) * _HOLD
        commands = {
            command("lift"): 9.0 * math.sin(2 * math.pi * t / 5.0),
            command("crowd"): _steps(t),
            command("curl"): 8.0 * math.sin(2 * math.pi * t / 2.5),
        }
        rows.append((k * _HOLD, commands))
    return tuple(rows)


def _steps(t: float) -> float:
    """Steps of the dipper command: out, rest, in, rest."""
    if t < 1.0 or t > 9.0:
        return 0.0
    return (6.0, 0.0, -6.0, 0.0)[int((t - 1.0) / 2.0)]


DIGGER_RIG = Case(
    name="digger-rig",
    sentence="Synthetic excavator for benchmarks, with six bodies, one closed linkage, three cylinders and"
    " ten oil pressures",
    parameters=PARAMETERS,
    assemble=assemble,
    command_schedule=_commands(),
    dt=1e-3,
    t_end=_T_END,
)
