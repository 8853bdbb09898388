"""Watches the innovations of a running filter and names what is wrong: a sensor, or the filter itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from simcore.errors import ForeignDump, SimcoreError
from simcore.estimate.monitor.fault_rules import DENIAL, EXPECTED_CHANGE, FILTER, HEALTHY, HOLD, SENSOR, judge
from simcore.estimate.sensors import Sensor
from simcore.model.plan import Records
from simcore.model.workspace import Array

FindingKind = Literal["silent", "stuck", "biased", "outlying", "diverged"]
_KINDS: tuple[FindingKind, ...] = ("silent", "stuck", "biased", "outlying")  # as the rules count

_FEWEST_DEGREES = 10.0  # readings before anything is said of their mean square
_OF_INNOVATIONS = (
    *("still_square", "weight", "weight_square", "total", "square", "shift", "gated", "spread", "mean"),
    *("suspected_fault", "fault"),
)


class Finding(NamedTuple):
    """What is wrong, in a sentence for whoever repairs it."""

    kind: FindingKind
    sensor: str | None  # None: the filter as a whole
    since: float  # s
    text: str
    what: str  # the same without the time, for those who count it otherwise


class SensorMonitor:
    """Running health of a filter and its sensors; memory and time per correction do not grow.

    gate: normalised innovation beyond which the filter leaves a reading out.
    """

    def __init__(self, sensors: Sequence[Sensor], gate: float = 4.0) -> None:
        if not (math.isfinite(gate) and gate > 0):
            raise SimcoreError(f"gate = {gate}: must be more than zero and finite")
        self.sensors, self.gate = tuple(sensors), gate
        self.rows = np.zeros(len(self.sensors), dtype=SENSOR)
        self.overall = np.zeros(1, dtype=FILTER)
        self.clear()

    def clear(self) -> None:
        """Forget everything, as before the first reading."""
        for name in SENSOR.names or ():
            self.rows[name] = 0.0
        self.rows["time"] = math.nan
        self.overall[0] = (math.nan,) * len(FILTER.names or ())
        self.rows["sigma"] = [float(s.noise) for s in self.sensors]
        self.rows["period"] = [s.period for s in self.sensors]

    def move_into(self, memory: Array) -> None:
        """Move all it remembers into a part of another memory, `size` long."""
        split = self.rows.nbytes // 8
        rows, overall = memory[:split].view(SENSOR), memory[split:].view(FILTER)
        rows[:], overall[:] = self.rows, self.overall
        self.rows, self.overall = rows, overall

    @property
    def size(self) -> int:
        """How many numbers it remembers."""
        return (self.rows.nbytes + self.overall.nbytes) // 8

    def forget(self) -> None:
        """Drop all innovations, as after the filter was set to another state; readings are still known."""
        for name in _OF_INNOVATIONS:
            self.rows[name] = 0.0
        self.rows["low"], self.rows["high"] = math.inf, -math.inf
        self.overall["suspected_at"] = math.nan

    def feed(self, time: float, normalised: Array, readings: Array, expected: Array) -> None:
        """One correction; all by sensor, NaN where there is no reading.

        time: of the readings, s. normalised: innovations over their standard deviations, of left-out
        readings too. readings and what the model expected: in the unit of the channel.
        """
        count = len(self.sensors)
        if not (len(normalised) == len(readings) == len(expected) == count):
            raise SimcoreError(
                f"{len(normalised)} innovations, {len(readings)} readings, {len(expected)} expected: "
                f"allowed are {count} of each, one per sensor"
            )
        if not math.isfinite(time) or time < self.overall[0]["time"]:
            raise SimcoreError(
                f"time = {time} s: must be finite and not before {self.overall[0]['time']:g} s"
            )
        judge(time, normalised, readings, expected, self.gate, self.rows, self.overall)

    @property
    def mean_nis(self) -> float:
        """Mean square of recent normalised innovations, cut at the gate: one for an honest filter."""
        weight = float(np.sum(self.rows["weight"]))
        return float(np.sum(self.rows["square"])) / weight if weight > 0 else math.nan

    def honesty(self) -> tuple[float, float, float]:
        """The same of sound sensors, and within which it lies for an honest filter, 95 %; NaN: too few.

        Bounds of χ²/k for as many degrees k as recent readings are worth, after Wilson and Hilferty 1931.
        """
        columns = (self.rows[name].tolist() for name in ("fault", "weight", "weight_square", "square"))
        heard = [row for row in zip(*columns, strict=True) if row[0] == HEALTHY and row[1] > 0.0]
        degrees = sum(weight * weight / squares for _, weight, squares, _ in heard)
        if degrees < _FEWEST_DEGREES:
            return math.nan, math.nan, math.nan
        nis = sum(row[3] for row in heard) / sum(row[1] for row in heard)
        part = 2.0 / (9.0 * degrees)
        low, high = ((1.0 - part + z * math.sqrt(part)) ** 3 for z in (-1.96, 1.96))
        return nis, low, high

    def findings(self) -> tuple[Finding, ...]:
        """What is wrong now; the filter first."""
        found = []
        overall = self.overall[0]
        if overall["time"] - overall["suspected_at"] >= HOLD:
            since = float(overall["suspected_at"])
            found.append(Finding("diverged", None, since, *_timed(self._divergence(), since)))
        for sensor, row in zip(self.sensors, self.rows, strict=True):
            if row["fault"] != HEALTHY:
                kind = _KINDS[int(row["fault"]) - 1]
                since = float(row["since"])
                found.append(Finding(kind, sensor.name, since, *_timed(_sentence(kind, sensor, row), since)))
        return tuple(found)

    def _divergence(self) -> str:
        return (
            f"The twin has not followed its machine{_SINCE}: most sensors "
            f"contradict it (squared innovations {self.mean_nis:.1f} times as large as they should be)."
        )

    def dump(self) -> bytes:
        """All it remembers, for `load` into a watch of the same sensors."""
        return b"".join(part.view(np.float64).astype("<f8").tobytes() for part in (self.rows, self.overall))

    def load(self, dump: bytes) -> None:
        """Take up a dump; what follows is bit-identical. Refuses one of other sensors."""
        numbers = np.frombuffer(dump, dtype="<f8") if len(dump) % 8 == 0 else np.zeros(0)
        rows, overall = self.rows.view(np.float64), self.overall.view(np.float64)
        if len(numbers) != len(rows) + len(overall):
            expected = rows.nbytes + overall.nbytes
            raise ForeignDump(f"dump has {len(dump)} bytes; a watch of these sensors writes {expected}")
        fresh = numbers[: len(rows)].view(SENSOR)
        for name in ("sigma", "period"):
            if not np.array_equal(fresh[name], self.rows[name]):
                raise ForeignDump(f"dump belongs to other sensors: their {name} is {fresh[name]}")
        rows[:], overall[:] = numbers[: len(rows)], numbers[len(rows) :]


_SINCE = "{since}"  # where a sentence says when it began


def _timed(sentence: str, since: float) -> tuple[str, str]:
    """A sentence with its time and without."""
    return sentence.replace(_SINCE, f" since {since:.1f} s"), sentence.replace(_SINCE, "")


_SHOWN = {"Pa": (1e-5, "bar"), "rad": (math.degrees(1.0), "°"), "rad/s": (math.degrees(1.0), "°/s")}


def _amount(sensor: Sensor, value: float) -> str:
    factor, unit = _SHOWN.get(sensor.noise.unit, (1.0, sensor.noise.unit))
    return f"{value * factor:.3g} {unit}"


def _sentence(kind: FindingKind, sensor: Sensor, row: Records) -> str:
    who = f"Sensor {sensor.name!r} ({sensor.kind}, {sensor.channel})"
    if kind == "silent":
        return f"{who} has sent nothing{_SINCE}; it should send at least {sensor.rate:g} readings per second."
    if kind == "stuck":
        change = row["high"] - row["low"]
        if change > EXPECTED_CHANGE * row["sigma"]:
            reason = f"while it should have changed by {_amount(sensor, change)}"
        elif row["still_square"] > DENIAL * row["still"]:
            reason = "which contradicts what the others say"
        else:
            reason = f"although the machine moves and noise alone makes {_amount(sensor, row['sigma'])}"
        return f"{who} has shown the same {_amount(sensor, row['reading'])}{_SINCE}, {reason}."
    if kind == "biased":
        shift = row["shift"] / row["weight"]
        side = "high" if shift > 0 else "low"
        return (
            f"{who} has read too {side}{_SINCE}, by {_amount(sensor, abs(shift))} or more "
            "against what the others say."
        )
    share = 100 * row["gated"] / row["weight"]
    return f"{who} has sent wild readings{_SINCE}: {share:.0f} % of the last ones cannot be."
