"""Simulates readings of a known motion with noise, loss, delay, wrong order and sensor faults.

The same seed gives the same readings. Readings of one sensor do not depend on the other sensors: each sensor
has its own random generators, seeded with its name, one for each kind of disturbance.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simcore.errors import BadSensor
from simcore.estimate.sensors import Sensor, steps_between
from simcore.model.workspace import Array

Integers = npt.NDArray[np.int64]
NEVER = math.inf
_SHARES = ("loss", "doubled", "swapped", "outliers")
_CHANCES = ("noise", *_SHARES)


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults of one sensor. Shares refer to all its readings; times are in s."""

    loss: float = 0.0
    doubled: float = 0.0  # arrive again one period later
    swapped: float = 0.0  # arrive in each other's place, two neighbours
    outliers: float = 0.0
    outlier_size: float = 50.0  # in standard deviations of the noise, either side
    stuck_from: float = NEVER  # from then on it repeats its last reading
    step_from: float = NEVER
    step: float = 0.0  # bias from then on, unit of the channel
    drift_from: float = NEVER
    drift: float = 0.0  # growth of the bias from then on, unit of the channel per s


class Arrival(NamedTuple):
    """One reading as it arrives, including mounting, bias and noise."""

    taken: float  # s
    arrived: float  # s
    sensor: str
    value: float


class _Stream(NamedTuple):
    """Readings that one sensor sends, in the order in which they were taken."""

    sensor: Sensor
    steps: Integers
    values: Array
    arrived: Array  # s
    doubled: npt.NDArray[np.bool_]


class Recording:
    """Readings of several sensors over a known motion."""

    def __init__(self, streams: Sequence[_Stream], steps: int, channels: Sequence[str], dt: float) -> None:
        self._streams, self._steps, self._channels, self.dt = streams, steps, list(channels), dt

    def dense(self, patience: float = NEVER) -> Array:
        """Channel values by step and channel, with mountings undone; NaN means no reading.

        patience: s that a reading may take to arrive; later readings are left out.
        """
        found = np.full((self._steps, len(self._channels)), np.nan)
        for stream in self._streams:
            in_time = stream.arrived - stream.steps * self.dt <= patience
            column = self._channels.index(stream.sensor.channel)
            found[stream.steps[in_time], column] = stream.sensor.value(stream.values[in_time])
        return found

    def late(self, patience: float) -> int:
        """Number of readings that take longer than `patience` to arrive."""
        return sum(int(np.sum(s.arrived - s.steps * self.dt > patience)) for s in self._streams)

    def arrivals(self) -> list[Arrival]:
        """All readings in the order of arrival; a duplicated reading comes twice."""
        found = []
        for stream in self._streams:
            rows = zip(stream.steps, stream.arrived, stream.values, stream.doubled, strict=True)
            for step, arrived, value, doubled in rows:
                first = Arrival(float(step) * self.dt, float(arrived), stream.sensor.name, float(value))
                found.append(first)
                if doubled:
                    found.append(first._replace(arrived=first.arrived + stream.sensor.period))
        return sorted(found, key=lambda arrival: arrival.arrived)


def record(
    truth: Array,
    channels: Sequence[str],
    sensors: Sequence[Sensor],
    dt: float,
    seed: int,
    faults: Mapping[str, Faults] | None = None,
) -> Recording:
    """Let sensors measure a motion. truth: a row per model step, the first at t = 0, a column per channel.

    faults: by sensor name. The sensors must have passed `check_sensors`.
    """
    truth, faults = np.asarray(truth, dtype=float), faults or {}
    if truth.ndim != 2 or truth.shape[1] != len(channels) or not np.all(np.isfinite(truth)):
        raise BadSensor(
            f"truth has shape {truth.shape}: must be a table of finite numbers with {len(channels)} columns, "
            "one per channel"
        )
    for name in faults:
        _check_faults(name, faults[name], [s.name for s in sensors])
    streams = []
    for sensor in sensors:
        if sensor.channel not in channels:
            raise BadSensor(
                f"sensor {sensor.name!r}: channel = {sensor.channel!r} has no column in the truth"
            )
        values = truth[:, list(channels).index(sensor.channel)]
        streams.append(_stream(values, sensor, faults.get(sensor.name, Faults()), dt, seed))
    return Recording(streams, len(truth), channels, dt)


def _check_faults(name: str, faults: Faults, known: Sequence[str]) -> None:
    if name not in known:
        raise BadSensor(f"faults of {name!r}: there is no sensor of this name; known: {', '.join(known)}")
    for share in _SHARES:
        if not 0.0 <= getattr(faults, share) <= 1.0:
            raise BadSensor(
                f"faults of {name!r}: {share} = {getattr(faults, share)}: must be between 0 and 1"
            )
    for number in ("outlier_size", "step", "drift"):
        if not math.isfinite(getattr(faults, number)):
            raise BadSensor(f"faults of {name!r}: {number} = {getattr(faults, number)}: must be finite")
    for moment in ("stuck_from", "step_from", "drift_from"):
        if math.isnan(getattr(faults, moment)):
            raise BadSensor(f"faults of {name!r}: {moment} = nan: must be a time in s; inf means never")


def _stream(truth: Array, sensor: Sensor, faults: Faults, dt: float, seed: int) -> _Stream:
    chance = _generators(sensor.name, seed)
    steps = np.arange(0, len(truth), steps_between(sensor, dt), dtype=np.int64)
    times = np.asarray(steps * dt, dtype=np.float64)
    values = _readings(truth[steps], times, sensor, faults, chance)
    arrived = _swap(times + sensor.delay, faults.swapped, chance["swapped"])
    doubled = chance["doubled"].random(len(steps)) < faults.doubled
    kept = chance["loss"].random(len(steps)) >= faults.loss
    return _Stream(sensor, steps[kept], values[kept], arrived[kept], doubled[kept])


def _generators(name: str, seed: int) -> dict[str, np.random.Generator]:
    """A random generator for each kind of disturbance; they depend only on the seed and the sensor's name."""
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
    seeds = np.random.SeedSequence([seed, key]).spawn(len(_CHANCES))
    return {chance: np.random.default_rng(s) for chance, s in zip(_CHANCES, seeds, strict=True)}


def _readings(
    truth: Array, times: Array, sensor: Sensor, faults: Faults, chance: Mapping[str, np.random.Generator]
) -> Array:
    """Readings of the sensor at these times, before any loss."""
    sigma = float(sensor.noise)
    error = sensor.bias + chance["noise"].normal(0.0, sigma, len(truth))
    error[times >= faults.step_from] += faults.step
    if faults.drift_from < NEVER:
        error += faults.drift * np.maximum(times - faults.drift_from, 0.0)
    wild = chance["outliers"].random(len(truth)) < faults.outliers
    side = np.where(chance["outliers"].random(len(truth)) < 0.5, -1.0, 1.0)
    error += np.where(wild, side * faults.outlier_size * sigma, 0.0)
    shown = sensor.reading(truth) + error
    stuck = np.flatnonzero(times >= faults.stuck_from)
    if len(stuck):
        shown[stuck] = shown[max(stuck[0] - 1, 0)]
    return shown


def _swap(arrived: Array, share: float, chance: np.random.Generator) -> Array:
    """Arrival times after swapping this share of the readings in pairs."""
    found = arrived.copy()
    draws = chance.random(len(arrived) // 2)
    for pair in np.flatnonzero(draws < share):
        found[[2 * pair, 2 * pair + 1]] = arrived[[2 * pair + 1, 2 * pair]]
    return found
