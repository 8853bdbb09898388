"""Small circuits for tests of the netlist: a hinged arm on a cylinder, and whatever feeds it."""

from __future__ import annotations

import math
from dataclasses import replace

from simcore import registry
from simcore.model.elements import (
    GROUND,
    Air,
    Beam,
    Body,
    CheckValve,
    Compensator,
    Control,
    CounterbalanceValve,
    Curve,
    Cylinder,
    DirectionalValve,
    EndDamper,
    Fluid,
    Leakage,
    Machine,
    Mount,
    Orifice,
    Output,
    PressureSource,
    Pump,
    ReliefValve,
    Revolute,
    TwoWayValve,
    Volume,
)
from simcore.model.quantity import Vector, assumed, place

_RIG = registry.get("four-bar-b").build()
_LAMINAR = assumed(1e5, "Pa")
_COEFFICIENT = assumed(3e-7, "m³/(s √Pa)")
AIR = Air(assumed(0.005, "-"), assumed(1e5, "Pa"), assumed(1.2, "-"), assumed(500.0, "Pa"))


def volume(name: str, start: float, litres: float = 0.2) -> Volume:
    return Volume(name, name, assumed(litres * 1e-3, "m³"), assumed(8e8, "Pa"), assumed(start, "Pa"))


def arm(name: str, mass: float, start: float, at: tuple[float, float, float] = (0, 0, 0)) -> Body:
    inertia = Vector((0.01, mass / 12, mass / 12), "kg m²", "assumed")
    bar = Beam(assumed(1.0, "m"), assumed(0.1, "m"), assumed(0.1, "m"))
    hinge = Revolute(GROUND, place(*at), (0.0, 0.0, 1.0), assumed(start, "rad"), assumed(0.0, "rad/s"))
    return Body(name, hinge, assumed(mass, "kg"), place(0.5, 0, 0), inertia, (bar,))


def cylinder(chamber_a: str, chamber_b: str, damper: EndDamper | None = None) -> Cylinder:
    """Between (0.5, -1) on the ground and the middle of the arm."""
    return Cylinder(
        name="cylinder",
        base=Mount(GROUND, place(0.5, -1, 0)),
        rod=Mount("arm", place(0.5, 0, 0)),
        chamber_a=chamber_a,
        chamber_b=chamber_b,
        bore=assumed(0.063, "m"),
        rod_diameter=assumed(0.036, "m"),
        tube_length=assumed(0.8, "m"),
        reference_length=assumed(1.0, "m"),
        chamber_a_at_reference=assumed(0.4, "m"),
        wall_bulk_modulus=assumed(3e10, "Pa"),
        friction=None,
        end_damper=damper,
    )


def command(name: str) -> Output:
    return Output(f"{name}.command", name, "command", name, "input")


def pressure(name: str) -> Output:
    return Output(f"{name}.p", name, "pressure", name, "estimate")


def rig(**changes: object) -> Machine:
    """A pump with relief valve, a 4/3 valve with curves, a counterbalance valve and an arm to lift."""
    dull = Curve((2.0, 6.0, 10.0), (2e-9, 1e-7, 2e-7), "assumed")
    keen = Curve((1.0, 10.0), (3e-8, 2.5e-7), "assumed")
    machine = Machine(
        name="oil rig",
        gravity=Vector((0.0, -9.81, 0.0), "m/s²", "assumed"),
        bodies=(arm("arm", 200.0, 0.1),),
        loops=(),
        independent=("arm",),
        fluid=Fluid(assumed(860.0, "kg/m³"), assumed(1.4e9, "Pa"), assumed(8.0, "-"), AIR),
        volumes=(
            volume("supply", 2e6),
            volume("line", 2.3e6, 0.1),
            volume("base", 2.3e6, 0.05),
            volume("rod side", 5e5, 0.05),
        ),
        sources=(PressureSource("tank", assumed(1e5, "Pa")),),
        orifices=(),
        valves=(
            DirectionalValve(
                "valve",
                "supply",
                "tank",
                "line",
                "rod side",
                assumed(1e-8, "m³/(s √Pa V)"),
                assumed(0.01, "s"),
                assumed(10.0, "V"),
                _LAMINAR,
                curves=(dull, keen, keen, dull),
                smooth=True,
            ),
        ),
        cylinders=(cylinder("base", "rod side", EndDamper(*_damper())),),
        outputs=(
            Output("arm.angle", "arm", "angle", "arm", "estimate"),
            *(pressure(name) for name in ("supply", "line", "base", "rod side")),
            command("valve"),
            command("pump"),
        ),
        solver=replace(_RIG.solver, max_iterations=30, pressure_tolerance=assumed(1.0, "Pa")),
        model_error=_RIG.model_error,
        elements=(
            pump(speed=150.0),
            ReliefValve(
                "relief", "supply", "tank", assumed(1.8e7, "Pa"), assumed(1e6, "Pa"), _COEFFICIENT, _LAMINAR
            ),
            CounterbalanceValve(
                "holding",
                "base",
                "line",
                "rod side",
                assumed(1.2e7, "Pa"),
                assumed(4.0, "-"),
                assumed(2e6, "Pa"),
                _COEFFICIENT,
                assumed(2e4, "Pa"),
                _LAMINAR,
            ),
            CheckValve(
                "refill", "tank", "rod side", assumed(0.0, "Pa"), assumed(2e4, "Pa"), _COEFFICIENT, _LAMINAR
            ),
            Leakage("seal leak", "base", "rod side", assumed(1e-14, "m³/(s Pa)")),
        ),
    )
    return replace(machine, **changes)  # type: ignore[arg-type]


def _damper() -> tuple:
    return assumed(0.03, "m"), assumed(2e6, "N/m"), assumed(5e4, "N s/m")


def pump(speed: float | None = None, shaft: str | None = None, fixed: bool = False) -> Pump:
    return Pump(
        "pump",
        "tank",
        "supply",
        assumed(4e-6, "m³/rad"),
        shaft,
        None if speed is None else assumed(speed, "rad/s"),
        assumed(0.93, "-"),
        assumed(0.9, "-"),
        assumed(150.0, "rad/s"),
        assumed(2e7, "Pa"),
        None if fixed else Control(assumed(0.05, "s")),
    )


def flywheel_rig() -> Machine:
    """A flywheel that drives a fixed pump against a throttle: all its energy ends as heat."""
    wheel = arm("wheel", 0.0, 0.0)
    wheel = replace(
        wheel,
        inertia=Vector((0.5, 0.5, 1.0), "kg m²", "assumed"),
        centre=place(0, 0, 0),
        joint=replace(wheel.joint, rate=assumed(150.0, "rad/s")),
    )
    throttle = Orifice(
        "throttle", "supply", "tank", assumed(3e-6, "m²"), assumed(0.7, "-"), _LAMINAR, smooth=True
    )
    return rig(
        bodies=(wheel,),
        independent=("wheel",),
        volumes=(volume("supply", 2e5),),
        valves=(),
        orifices=(throttle,),
        cylinders=(),
        elements=(pump(shaft="wheel", fixed=True),),
        outputs=(Output("wheel.rate", "wheel", "rate", "wheel", "estimate"), pressure("supply")),
    )


def metering_rig(setting: float = 1e6) -> Machine:
    """Pressure source, compensator, metering 2/2 valve and a load pressure that a test may choose."""
    compensator = Compensator(
        "compensator",
        "pump",
        "between",
        "between",
        "load",
        assumed(setting, "Pa"),
        assumed(2e5, "Pa"),
        assumed(1e-6, "m³/(s √Pa)"),
        _LAMINAR,
    )
    meter = TwoWayValve(
        "meter",
        "between",
        "load",
        assumed(2e-8, "m³/(s √Pa V)"),
        assumed(0.01, "s"),
        assumed(10.0, "V"),
        assumed(1e4, "Pa"),
    )
    still = replace(
        arm("arm", 1.0, 0.0), joint=replace(arm("arm", 1.0, 0.0).joint, start=assumed(-math.pi / 2, "rad"))
    )
    return rig(
        bodies=(still,),
        sources=(PressureSource("pump", assumed(2e7, "Pa")), PressureSource("load", assumed(5e6, "Pa"))),
        volumes=(volume("between", 6e6),),
        valves=(),
        cylinders=(),
        elements=(compensator, meter),
        outputs=(pressure("between"), command("meter")),
    )
