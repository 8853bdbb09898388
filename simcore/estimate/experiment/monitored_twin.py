"""Runs a live twin with its monitor over a recording, sample by sample, as a runner does."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from simcore.estimate.biases import bias_values
from simcore.estimate.experiment.result import DatedFinding, FilterResult, filter_places
from simcore.estimate.monitor.fault_rules import HEALTHY
from simcore.estimate.sensors import Sensor, equipped
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.estimate.twin.twin_core import GATE
from simcore.model.elements import Machine
from simcore.model.plan import Records
from simcore.model.workspace import Array


def run_monitored_twin(
    machine: Machine, readings: Array, sensors: Sequence[Sensor], schedule: Array, model: int, dt: float
) -> FilterResult:
    """Let a live twin of the machine follow readings by step and channel; NaN means no reading.

    The covariance is updated at every step, so that every step can be evaluated.
    """
    measured = equipped(machine, sensors, dt)
    monitored = _MonitoredTwin(LiveTwin(measured, round(dt * 1e6), sensors, model, stride=1), len(readings))
    for step, heard in enumerate(readings):
        due = int(np.searchsorted(schedule[:, 0], step, side="right")) if len(schedule) else 0
        monitored.take(step, schedule[due - 1, 1:] if due else None, heard)
    return monitored.result()


class _MonitoredTwin:
    """A live twin and the record of its run."""

    def __init__(self, twin: LiveTwin, steps: int) -> None:
        self._twin, engine = twin, twin.engine
        self._names = [channel.name for channel in engine.channels]
        self._inputs = {int(engine.plan.channels[engine.position(c.name)]["index"]): c.name
                        for c in engine.channels if c.role == "input"}  # fmt: skip
        self._places, self._units = filter_places(engine)
        self._columns = [engine.position(s.channel) for s in twin.sensor_monitor.sensors]
        n, learned = len(self._places), len(twin.biases)
        self._states, self._covariances = np.zeros((steps, n)), np.zeros((steps, n, n))
        self._innovations = np.full((steps, len(self._names)), np.nan)
        self._biases, self._spreads = np.zeros((2, steps, learned))
        self._findings: list[DatedFinding] = []
        self._taken = 0.0

    def take(self, step: int, commands: Array | None, heard: Array) -> None:
        """Take one step with these valve commands, then a correction if there are readings at its end."""
        twin = self._twin
        given = {} if commands is None else {name: float(commands[v]) for v, name in self._inputs.items()}
        known = [int(k) for k in np.flatnonzero(np.isfinite(heard))]
        sample = {self._names[k]: float(heard[k]) for k in known}
        excluded = twin.sensor_monitor.rows["fault"] != HEALTHY
        begin = time.process_time()
        twin.command(given)
        twin.advance(1)
        if sample:
            twin.correct(sample)
        self._taken += time.process_time() - begin
        if sample:
            self._note_innovations(step, known, excluded)
        self._note(step)

    def _note_innovations(self, step: int, known: list[int], excluded: Records) -> None:
        """Record the innovations of healthy sensors that are within the gate."""
        off, sigma = self._twin.innovations()
        row = np.full(len(off), np.nan)
        row[known] = off[known] / sigma[known]
        row[[column for column, left_out in zip(self._columns, excluded, strict=True) if left_out]] = np.nan
        self._innovations[step] = np.where(np.abs(row) > GATE, np.nan, row)
        known_ones = {(old.finding.kind, old.finding.channel) for old in self._findings}
        found = self._twin.findings()
        self._findings += [
            DatedFinding(self._twin.engine.time, f) for f in found if (f.kind, f.channel) not in known_ones
        ]

    def _note(self, step: int) -> None:
        twin, n = self._twin, len(self._places)
        self._states[step] = twin.engine.state[self._places] / self._units
        self._covariances[step] = twin.covariance[:n, :n]
        self._biases[step] = bias_values(twin.engine.condition, twin.biases)
        self._spreads[step] = np.sqrt(np.diag(twin.covariance)[n:]) * twin.biases["unit"]

    def result(self) -> FilterResult:
        return FilterResult(
            self._states, self._covariances, self._innovations, self._biases, self._spreads,
            tuple(self._findings), self._taken / max(len(self._states), 1) * 1e6,
        )  # fmt: skip
