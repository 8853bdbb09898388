"""Small machines for tests of engines and digging: a wheel on a shaft, a blade on a slide. No oil."""

from __future__ import annotations

from simcore import registry
from simcore.model.elements import (
    GROUND,
    Beam,
    Body,
    Diesel,
    Digging,
    FuelMap,
    FullLoad,
    Ground,
    Joint,
    Machine,
    Mount,
    Output,
    Prismatic,
    Revolute,
    Soil,
    Twist,
)
from simcore.model.quantity import Quantity, Vector, assumed, place

_RIG = registry.get("four-bar-b").build()
_BAR = Beam(assumed(1.0, "m"), assumed(0.1, "m"), assumed(0.1, "m"))


def number(value: float) -> Quantity:
    return assumed(value, "SI")


def engine(tau: float = 0.2) -> Diesel:
    """Nothing at 200 rad/s, all from 180 rad/s on."""
    return Diesel(
        "engine", "wheel", number(200.0), number(20.0), number(40.0), number(tau),
        FullLoad((100.0, 150.0, 210.0), (400.0, 600.0, 480.0), "assumed"),
        FuelMap(
            (100.0, 150.0, 210.0), (100.0, 300.0, 600.0),
            ((8e-8, 6.5e-8, 6.0e-8), (7.5e-8, 6.2e-8, 5.8e-8), (8.5e-8, 6.6e-8, 6.1e-8)),
            (2e-4, 4e-4, 8e-4), "assumed",
        ),
    )  # fmt: skip


def _machine(body: Body, **more: object) -> Machine:
    return Machine(
        name="shaft rig",
        gravity=Vector((0.0, -9.81, 0.0), "m/s²", "assumed"),
        bodies=(body,),
        loops=(),
        independent=(body.name,),
        fluid=_RIG.fluid,
        volumes=(),
        sources=(),
        orifices=(),
        valves=(),
        cylinders=(),
        solver=_RIG.solver,
        model_error=_RIG.model_error,
        **more,  # type: ignore[arg-type]
    )


def _body(name: str, joint: Joint, mass: float, inertia: float) -> Body:
    moments = Vector((inertia, inertia, inertia), "kg m²", "assumed")
    return Body(name, joint, assumed(mass, "kg"), place(0, 0, 0), moments, (_BAR,))


def wheel(load: float, speed: float, inertia: float = 3.0, tau: float = 0.2) -> Machine:
    """An engine that turns a wheel against a constant torque."""
    hinge = Revolute(GROUND, place(0, 0, 0), (0.0, 0.0, 1.0), assumed(0.0, "rad"), number(speed))
    brake = Twist("brake", GROUND, "wheel", Vector((0.0, 0.0, -load), "N m", "assumed"), GROUND)
    return _machine(
        _body("wheel", hinge, 0.0, inertia),
        links=(brake,),
        diesels=(engine(tau),),
        outputs=(
            Output("wheel.speed", "Speed", "speed", "wheel", "estimate"),
            Output("engine.torque", "Torque", "torque", "engine", "estimate"),
            Output("engine.fuel", "Fuel", "fuel", "engine", "estimate"),
        ),
    )


def soil(weight: float = 4e4, cohesion: float = 2e4, surcharge: float = 0.0, swell: float = 1.2) -> Soil:
    return Soil(
        "test", number(weight), number(cohesion), number(surcharge), number(0.3), number(swell),
        number(1600.0), number(0.4),
    )  # fmt: skip


def blade(
    ground: Soil, depth: float = 0.2, speed: float = 3.0, mass: float = 800.0, capacity: float = 5.0
) -> Machine:
    """A blade of 1.1 m that slides through level ground along x, its mouth upwards."""
    slide = Prismatic(GROUND, place(0, 0.7 - depth, 0), (1.0, 0.0, 0.0), assumed(0.0, "m"), number(speed))
    edge = Digging(
        "edge", Mount("blade", place(0, -0.7, 0)), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), place(-0.3, 0.1, 0),
        number(1.1), number(capacity), Ground(place(0, 0, 0), (0.0, 1.0, 0.0)), ground, number(0.02),
        number(0.05), number(0.2), number(0.4),
    )  # fmt: skip
    return _machine(
        _body("blade", slide, mass, 10.0),
        digging=(edge,),
        outputs=(
            Output("blade.at", "Place", "slide", "blade", "estimate"),
            Output("blade.rate", "Speed", "slide_rate", "blade", "estimate"),
            Output("blade.fill", "Fill", "fill", "edge", "model"),
            Output("blade.force", "Resistance", "digging", "edge", "estimate"),
        ),
    )
