"""Newton's method at valves that open suddenly: unknowns that turn back are enclosed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simcore import registry
from simcore.model.elements import Machine
from simcore.model.quantity import assumed
from simcore.run.simulation import Simulation
from tests.twins_at_work import PERIOD, description, exactly_solved, telemetry

_STEP = 2e-3
_SECONDS = 5.0


def _pressures(machine: Machine, commands: list[dict[str, float]]) -> tuple[np.ndarray, Simulation]:
    sim = Simulation(machine, dt=_STEP)
    at, count = int(sim.plan.head[0]["at_p"]), len(machine.volumes)
    course = []
    for command in commands:
        sim.command(command)
        sim.advance(round(PERIOD / _STEP))
        course.append(sim.state[at : at + count].copy())
    return np.array(course), sim


@pytest.mark.long
def test_enclosed_steps_reach_the_solution_of_divided_ones() -> None:
    """Without enclosure a step that jumps to and fro is divided; both must follow exactly solved steps."""
    machine = description("excavator")
    names = [output.name for output in machine.outputs if output.role == "input"]
    commands = [{name: sample[name] for name in names} for sample in telemetry("excavator", _SECONDS)]
    plain = replace(machine, solver=replace(machine.solver, enclosed=False))
    exact, _ = _pressures(exactly_solved(plain), commands)
    enclosed, ours = _pressures(machine, commands)
    divided, theirs = _pressures(plain, commands)
    assert ours.newton()["failed_steps"] < theirs.newton()["failed_steps"]
    scale = float(np.max(exact))
    assert np.sqrt(np.mean((enclosed - exact) ** 2)) < 1e-3 * scale
    assert np.sqrt(np.mean((divided - exact) ** 2)) < 1e-3 * scale


def test_tolerances_grow_with_the_square_of_the_step_unless_they_are_published() -> None:
    machine, case = registry.get("excavator").build(), registry.get("four-bar-b").build()
    for name in ("tol_z", "tol_p", "tol_x", "tol_torque", "tol_fill"):
        one, two = (float(Simulation(machine, dt=dt).plan.head[0][name]) for dt in (1e-3, 2e-3))
        assert two == pytest.approx(4 * one)
        assert len({float(Simulation(case, dt=dt).plan.head[0][name]) for dt in (1e-3, 2e-3)}) == 1
    tight = replace(machine.solver, torque_tolerance=assumed(1e-3, "N m"))
    assert float(Simulation(replace(machine, solver=tight)).plan.head[0]["tol_torque"]) == 1e-3
