"""A twin that follows a recording: the filter of a live twin over readings that are all there already."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from simcore.engine import Engine
from simcore.errors import BadChannel, SimcoreError
from simcore.estimate.biases import bias_values, biases_of, put_biases
from simcore.estimate.error_state_ekf import FULL, PUBLISHED
from simcore.estimate.follow import follow
from simcore.estimate.guard import CHUNK, Guard, Named
from simcore.estimate.sensors import Sensor, check_sensors
from simcore.estimate.slopes import slopes_at
from simcore.estimate.starting import start_sigmas
from simcore.estimate.vigil import no_vigil
from simcore.model.elements import Machine
from simcore.work import Array

DT = 1e-3  # s, of the twin
FILTERS = ("published", "full", "bias")


@dataclass(frozen=True)
class Following:
    """What a filter made of the readings, at the end of every step."""

    states: Array  # estimates by time: rad, rad/s, MPa
    covariances: Array
    innovations: Array  # over their standard deviations, by time and channel; NaN where nothing was fused
    biases: Array  # by time, SI units
    bias_sigmas: Array  # by time, SI units
    named: tuple[Named, ...]  # what its watch found, each finding once
    us_per_cycle: float  # model step, prediction and correction


def without_biases(machine: Machine) -> Machine:
    """The machine for a filter that learns nothing but states."""
    none = replace(
        machine.model_error, unexplained_torque=None, valve_gain=None, supply_pressure=None, payload=None
    )
    return replace(machine, model_error=none)


def estimate(
    machine: Machine,
    readings: Array,
    sensors: Sequence[Sensor],
    schedule: Array,
    kind: str,
    gate: float = np.inf,
    guarded: bool = False,
) -> Following:
    """Let a twin of the machine follow readings, with the filter of that kind.

    readings: by step and channel, NaN where there is none. gate: standard deviations beyond which a reading
    is left out. guarded: it watches its sensors and itself while it runs, and acts on what it finds.
    """
    twin = OfflineTwin(machine, sensors, kind, gate)
    twin.refuse(readings)
    guard = Guard(twin.biases, machine, sensors, gate) if guarded else None
    return twin.follow(readings, schedule, guard)


class OfflineTwin:
    """Model, filter and scratch memory of one run."""

    def __init__(self, machine: Machine, sensors: Sequence[Sensor], kind: str, gate: float) -> None:
        if kind not in FILTERS:
            raise SimcoreError(f"filter {kind!r}: allowed are {', '.join(FILTERS)}")
        if not gate > 0:
            raise SimcoreError(f"gate = {gate}: must be more than zero")
        check_sensors(machine, sensors, DT)
        machine = machine if kind == "bias" else without_biases(machine)
        self.engine = Engine(machine, DT)
        self.engine.refuse_redundant("the filter")
        plan = self.engine.plan
        self.biases, self.gate = biases_of(machine, plan), gate
        self._model = PUBLISHED if kind == "published" else FULL
        self.n, self._channels = int(plan.head[0]["states"]), len(self.engine.channels)
        m, sides = self.n + len(self.biases), 2 * int(plan.head[0]["valves"])
        self.start = start_sigmas(self.engine)
        self.covariance = np.diag(np.append(self.start, np.ones(m - self.n)) ** 2)
        self.columns = [self.engine.position(s.channel) for s in sensors]
        self.sigmas = np.zeros(self._channels)
        self.sigmas[self.columns] = [float(s.noise) for s in sensors]
        self._slope = np.zeros((2, self.n + self._channels, m + 1))
        self._tie, self._ages = np.zeros((m, sides)), np.full(sides // 2, -np.inf)  # commands are known
        self._dx, self._seen = np.zeros(m), np.full((self._channels, 2), np.nan)
        self._scratch = np.zeros((self.n + m + 2 + sides, 2 * self.n + m + sides))
        slopes_at(plan, self.biases, self.engine.state, self.engine.work, self._slope[0])

    def refuse(self, readings: Array) -> None:
        """Before anything is fused: readings of the right shape that are finite, or NaN for none."""
        if readings.ndim != 2 or readings.shape[1] != self._channels:
            raise BadChannel(
                f"readings have shape {readings.shape}: a column for each of {self._channels} channels "
                "is needed"
            )
        wrong = np.argwhere(np.isinf(readings))
        if len(wrong):
            step, k = wrong[0]
            name = self.engine.channels[k].name
            raise BadChannel(f"channel {name!r}: {readings[step, k]} at step {step} is not a finite number")
        strange = set(np.flatnonzero(np.any(np.isfinite(readings), axis=0))) - set(self.columns)
        if strange:
            name = self.engine.channels[min(strange)].name
            raise BadChannel(f"channel {name!r} has readings but no sensor")

    def follow(self, readings: Array, schedule: Array, guard: Guard | None) -> Following:
        """Every step, in one go or with a look at its health after every chunk."""
        steps, learned = len(readings), len(self.biases)
        log = np.zeros((steps, self.n + self.n**2 + 2 * self._channels + 2 * learned))
        normalised = np.empty((steps, self._channels))
        self._take(readings[:0], schedule[:0], log[:0])  # loads the kernel before time is taken
        chunk, taken = CHUNK if guard else max(steps, 1), 0.0
        for first in range(0, steps, chunk):
            rows = slice(first, min(first + chunk, steps))
            part, before = _part(schedule, first), self._saved()
            begin = time.process_time()
            self._take(readings[rows], part, log[rows])
            taken += time.process_time() - begin
            _, _, innovations, variances, *_ = self._split(log[rows])
            if guard:
                if self._lets_go(guard, before, innovations, variances):
                    self._take(readings[rows], part, log[rows])
                times = DT * np.arange(rows.start + 1, rows.stop + 1, dtype=np.float64)
                normalised[rows] = guard.look(self, times, readings[rows], innovations, variances)
            else:
                normalised[rows] = innovations / np.sqrt(variances)
        normalised[np.abs(normalised) > self.gate] = np.nan
        states, covariances, _, _, values, spreads = self._split(log)
        return Following(
            states, covariances.reshape(steps, self.n, self.n), normalised, values,
            np.sqrt(spreads) * self.biases["unit"], tuple(guard.named) if guard else (),
            taken / max(steps, 1) * 1e6,
        )  # fmt: skip

    def _saved(self) -> tuple[Array, ...]:
        """All that a step changes."""
        values = bias_values(self.engine.plan, self.biases)
        return values, *(part.copy() for part in self._parts())

    def _parts(self) -> tuple[Array, ...]:
        engine = self.engine
        return engine.state, engine.counters, self.covariance, self._slope, self._tie, self._ages

    def _lets_go(self, guard: Guard, before: tuple[Array, ...], innovations: Array, variances: Array) -> bool:
        """Go back to the start of a chunk in which another payload was seen, ready for any."""
        if not guard.surprised(self, innovations, variances):
            return False
        values, *parts = before
        put_biases(self.engine.plan, self.biases, values)
        for part, old in zip(self._parts(), parts, strict=True):
            part[:] = old
        guard.let_go(self)
        return True

    def _take(self, readings: Array, schedule: Array, log: Array) -> None:
        engine, steps = self.engine, len(readings)
        done = follow(
            engine.plan, self.biases, self._model, engine.state, self.covariance, self._slope, self._tie,
            self._ages, self._dx, self._scratch, engine.work, DT, steps, schedule, readings, self.sigmas,
            self.gate, self._seen, log, engine.counters, 1, True, no_vigil(),
        )  # fmt: skip
        if done < steps:
            raise engine.diverged()

    def _split(self, log: Array) -> list[Array]:
        """States, covariances, innovations and their variances, biases and their variances."""
        sizes = [self.n, self.n**2, self._channels, self._channels, len(self.biases)]
        return list(np.split(log, np.cumsum(sizes), axis=1))


def _part(schedule: Array, first: int) -> Array:
    """The schedule counted from a later step; what is over already is given at once."""
    if not len(schedule):
        return schedule
    part = schedule.copy()
    part[:, 0] -= first
    begun = max(int(np.searchsorted(part[:, 0], 0, side="right")) - 1, 0)
    return np.asarray(part[begun:])
