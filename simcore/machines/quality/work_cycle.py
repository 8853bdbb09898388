"""Runs a full work cycle of a machine twice: with its normal time step and with half that step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simcore.machines.model import MachineModel
from simcore.model.case import Case, Value
from simcore.model.elements import ReliefValve
from simcore.model.tree import expand
from simcore.model.workspace import Array
from simcore.operate.operator import perform, repeat
from simcore.run.case_run import simulate
from simcore.run.recording import Run
from simcore.run.simulation import Simulation


@dataclass(frozen=True)
class Cycle:
    """A work cycle and its runs."""

    name: str
    seconds: float
    coarse: list[Run]
    fine: list[Run]


def cycle(case: Case, overrides: Mapping[str, Value]) -> Cycle:
    """The operator's first work cycle; for a case without an operator, its command schedule."""
    dt = case.dt
    if isinstance(case, MachineModel) and case.cycles:
        name = next(iter(case.cycles))
        machine = case.build(**overrides)
        done = perform(Simulation(machine, dt), case.cycle(name))
        return Cycle(name, done.seconds, list(repeat(machine, done, dt)), list(repeat(machine, done, dt / 2)))
    runs = [simulate(case, overrides, dt=step) for step in (dt, dt / 2)]
    return Cycle("published commands", case.t_end, runs[:1], runs[1:])


def energy_error(done: Cycle) -> float:
    """Unexplained energy in per cent of the supplied energy; the worst stretch between two load changes."""
    return 100 * max(_left_over(run.energy) for run in done.coarse)


def _left_over(energy: Mapping[str, Any]) -> float:
    drift = float(energy["drift_max_J"]) / float(energy["work_max_abs_J"])
    given = max(abs(float(energy["given_J"])), float(energy["work_max_abs_J"]))
    return max(drift, abs(float(energy["left_over_J"])) / given)


def step_error(done: Cycle) -> dict[str, float]:
    """Change of the end state with half the step, relative to the range of each quantity in the cycle."""
    return {
        "coordinates": _change(
            np.concatenate([run.coordinates for run in done.coarse]),
            done.coarse[-1].coordinates[-1],
            done.fine[-1].coordinates[-1],
            _bounded(done.coarse[0]),
        ),
        "pressures": _change(
            np.concatenate([run.pressures for run in done.coarse]),
            done.coarse[-1].pressures[-1],
            done.fine[-1].pressures[-1],
        ),
    }


def _bounded(run: Run) -> list[bool]:
    """Coordinates with a limited range, that is, all but the shafts of engines."""
    shafts = {diesel.shaft for diesel in run.machine.diesels}
    return [single.owner not in shafts for single in expand(run.machine).singles]


def _change(course: Array, coarse: Array, fine: Array, counted: list[bool] | None = None) -> float:
    spread = np.ptp(course, axis=0)
    counts = (spread > 0) & np.array([True] * len(spread) if counted is None else counted)
    return float(np.max(np.abs(coarse - fine)[counts] / spread[counts]))


@dataclass(frozen=True)
class Pressures:
    """Extreme pressures of a cycle and their limits, Pa."""

    lowest: float
    highest: float
    vapour: float
    relief: float

    @property
    def used(self) -> float:
        """Used share of the allowed pressure range, upwards or downwards; 1 at a limit."""
        below = 0.0 if self.lowest > self.vapour else 2.0
        return max(self.highest / (1.2 * self.relief), below)


def pressures(done: Cycle) -> Pressures:
    machine = done.coarse[0].machine
    fed = {valve.supply for valve in machine.valves}
    reliefs = [float(e.setting) for e in machine.elements if isinstance(e, ReliefValve) and e.a in fed]
    tank = min(float(s.pressure) for s in machine.sources)
    strongest = max(float(s.pressure) for s in machine.sources)
    air = machine.fluid.air
    return Pressures(
        min(float(run.pressures.min()) for run in done.coarse),
        max(float(run.pressures.max()) for run in done.coarse),
        float(air.vapour_pressure) if air is not None else 0.0,
        max([*(tank + each for each in reliefs), strongest]),
    )
