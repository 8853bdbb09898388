"""What a twin does about its own health while it follows a recording.

It leaves out sensors that its watch names, doubts itself when it is lost, and lets go of the payload when
something was picked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from simcore.estimate.biases import PAYLOAD
from simcore.estimate.sensors import Sensor
from simcore.estimate.watch import Finding, SensorWatch
from simcore.model.elements import Machine
from simcore.model.plan import Records
from simcore.work import Array

CHUNK = 50  # steps between two looks
_WATCH_GATE = 5.0  # standard deviations, where the filter has no gate of its own
_DEAF = 1e4  # times its noise: a sensor that is left out is still compared, but carries no weight
_SURPRISE = 4.0  # mean square of normalised innovations in a chunk, one expected
_WITNESSES = 2  # sensors that must be surprised: one alone is its own fault


class Named(NamedTuple):
    """A finding of the watch, and when it was first made."""

    at: float  # s
    finding: Finding


class Guarded(Protocol):
    """What a guard sees of a twin, and what it may change."""

    n: int
    start: Array  # standard deviations of the states where nothing is known
    covariance: Array
    sigmas: Array  # of the readings, by channel
    columns: list[int]  # channels of the sensors


class Guard:
    """Looks at every chunk of a run."""

    def __init__(self, biases: Records, machine: Machine, sensors: Sequence[Sensor], gate: float) -> None:
        self._gate = gate if np.isfinite(gate) else _WATCH_GATE
        self._watch = SensorWatch(sensors, self._gate)
        self._noise = np.array([float(s.noise) for s in sensors])
        self._deaf = np.zeros(len(sensors), dtype=bool)
        self._payloads = np.flatnonzero(biases["kind"] == PAYLOAD)
        payload = machine.model_error.payload
        self._change = 0.0 if payload is None else float(payload.change) / float(payload.known)
        self.named: list[Named] = []  # each finding once

    def surprised(self, twin: Guarded, innovations: Array, variances: Array) -> bool:
        """Whether several sensors contradict the model at once: it may carry another load."""
        normalised = self._normalised(twin, innovations, variances)[:, ~self._deaf]
        heard = np.any(np.isfinite(normalised), axis=0)
        if not len(self._payloads) or not np.any(heard):
            return False
        cut = np.minimum(normalised[:, heard] ** 2, self._gate**2)
        return int(np.sum(np.nanmean(cut, axis=0) > _SURPRISE)) >= _WITNESSES

    def let_go(self, twin: Guarded) -> None:
        """Allow for any other payload.

        The chunk that surprised should then be taken again: else other biases have taken their share of it
        before anybody noticed.
        """
        at = twin.n + self._payloads
        twin.covariance[at, at] += self._change**2

    def _normalised(self, twin: Guarded, innovations: Array, variances: Array) -> Array:
        """Innovations by sensor, as if every sensor carried its weight."""
        loud = np.where(self._deaf, (_DEAF**2 - 1.0) * self._noise**2, 0.0)
        spread = variances[:, twin.columns] - loud
        heard = np.isfinite(innovations[:, twin.columns])
        return np.asarray(innovations[:, twin.columns] / np.sqrt(np.where(heard, spread, 1.0)))

    def look(
        self, twin: Guarded, times: Array, readings: Array, innovations: Array, variances: Array
    ) -> Array:
        """After a chunk, all by time and channel.

        Returns innovations over their standard deviations, NaN where the reading carried no weight.
        """
        normalised, readings = self._normalised(twin, innovations, variances), readings[:, twin.columns]
        heard = np.full(variances.shape, np.nan)
        heard[:, twin.columns] = np.where(self._deaf, np.nan, normalised)
        rows = zip(times, normalised, readings, innovations[:, twin.columns], strict=True)
        for t, nu, reading, innovation in rows:
            if np.any(np.isfinite(reading)):
                self._watch.feed(float(t), nu, reading, reading - innovation)
        self._listen(twin, float(times[-1]))
        return heard

    def _listen(self, twin: Guarded, now: float) -> None:
        """Act on what the watch has found."""
        found = self._watch.findings()
        known = {(old.finding.kind, old.finding.sensor) for old in self.named}
        self.named += [Named(now, f) for f in found if (f.kind, f.sensor) not in known]
        names = {f.sensor for f in found}
        self._deaf = np.array([s.name in names for s in self._watch.sensors])
        twin.sigmas[twin.columns] = self._noise * np.where(self._deaf, _DEAF, 1.0)
        if any(f.kind == "diverged" for f in found):
            states = np.arange(twin.n)
            twin.covariance[states, states] += twin.start**2
            self._watch.forget()
