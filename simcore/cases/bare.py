"""Builds the bars of the cases without hydraulics, and assembles bodies to a machine."""

from __future__ import annotations

from simcore.model.elements import (
    Beam,
    Body,
    Fluid,
    Loop,
    Machine,
    ModelError,
    Output,
    Revolute,
    Solver,
)
from simcore.model.quantity import Quantity, Vector, assumed, place, printed


def bar(name: str, joint: Revolute, length: float, mass: Quantity) -> Body:
    """Slender bar along x from its joint: J = m L²/12 about y and z, zero about x."""
    across = float(mass) * length**2 / 12
    thin = assumed(0.04, "m", "display")
    return Body(
        name=name,
        joint=joint,
        mass=mass,
        centre=place(length / 2, 0, 0, "printed", "middle of the bar"),
        inertia=Vector((0.0, across, across), "kg m²", "printed", "m L²/12"),
        shapes=(Beam(printed(length, "m"), thin, thin),),
    )


def mechanism(
    name: str,
    gravity: Quantity,
    bodies: tuple[Body, ...],
    loops: tuple[Loop, ...] = (),
    independent: tuple[str, ...] = (),
) -> Machine:
    """Machine without hydraulics: the bodies under gravity along -y, with a channel for every joint angle."""
    return Machine(
        name=name,
        gravity=Vector((0.0, -float(gravity), 0.0), "m/s²", gravity.origin, gravity.note),
        bodies=bodies,
        loops=loops,
        independent=independent,
        fluid=Fluid(assumed(850.0, "kg/m³", "no oil"), assumed(1.5e9, "Pa", "no oil")),
        volumes=(),
        sources=(),
        orifices=(),
        valves=(),
        cylinders=(),
        outputs=tuple(
            Output(f"{b.name}.angle", f"{b.name.capitalize()} angle", "angle", b.name, "model")
            for b in bodies
        ),
        solver=Solver(
            penalty=assumed(1e11, "N/m", "as in the published cases"),
            position_tolerance=assumed(1e-9, "rad"),
            pressure_tolerance=assumed(1e-2, "Pa"),
            max_iterations=20,
        ),
        model_error=ModelError(
            acceleration=assumed(0.03, "rad/s²/√Hz"),
            pressure_rate=assumed(0.0, "Pa/s/√Hz"),
            input_fresh=assumed(0.05, "s", "the machine has no input"),
            input_memory=assumed(1.0, "s", "the machine has no input"),
            start_position=assumed(0.1, "rad"),
            start_rate=assumed(0.2, "rad/s"),
            start_pressure=assumed(1.0, "Pa"),
        ),
    )
