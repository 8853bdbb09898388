"""Monitors the innovations of a running filter and reports faults of a sensor or of the filter."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from simcore.errors import ForeignDump, SimcoreError
from simcore.estimate.monitor.fault_rules import (
    DENIAL,
    EXPECTED_CHANGE,
    FILTER,
    HEALTHY,
    HOLD,
    SENSOR,
    SILENT,
    judge,
)
from simcore.estimate.monitor.finding import Finding, FindingKind
from simcore.estimate.monitor.resolution import COARSE
from simcore.estimate.sensors import Sensor
from simcore.messages import Labels, Message, Value, english
from simcore.model.plan import Records
from simcore.model.workspace import Array

_KINDS: tuple[FindingKind, ...] = ("silent", "stuck", "biased", "outlying")  # as the rules count

# resolutions that a sensor may have as long as none is known (assumed): 1.5 degrees, 8 bar, 2 cm
_COARSEST = {"angle": math.radians(1.5), "pressure": 8e5, "length": 0.02}
_QUANTISED = math.sqrt(12.0)  # steps over the described noise from which rounding is the larger error
_FEWEST_DEGREES = 10.0  # readings before their mean square is judged
_OF_INNOVATIONS = ("weight", "weight_square", "total", "square", "shift", "beyond_gate", "spread", "mean")
_OF_HEALTHY = ("still_square", "suspected_fault")


class SensorMonitor:
    """Monitors the health of a filter and its sensors with constant memory and time per correction.

    gate: normalised innovation beyond which the filter leaves a reading out. labels: channel labels.
    classed: channels of the sensors with a described class of constant errors.
    """

    def __init__(
        self,
        sensors: Sequence[Sensor],
        gate: float = 4.0,
        labels: Labels | None = None,
        classed: Collection[str] = (),
    ) -> None:
        if not (math.isfinite(gate) and gate > 0):
            raise SimcoreError(f"gate = {gate}: must be more than zero and finite")
        self.sensors, self.gate, self._labels = tuple(sensors), gate, labels or {}
        self._classed = frozenset(classed)
        self.rows = np.zeros(len(self.sensors), dtype=SENSOR)
        self.overall = np.zeros(1, dtype=FILTER)
        self.clear()

    def clear(self) -> None:
        """Forget everything and return to the state before the first reading."""
        for name in SENSOR.names or ():
            self.rows[name] = 0.0
        self.rows["time"] = math.nan
        self.overall[0] = (math.nan,) * len(FILTER.names or ())
        self.rows["sigma"] = [float(s.noise) for s in self.sensors]
        self.rows["period"] = [s.period for s in self.sensors]
        self.rows["coarsest"] = [_COARSEST.get(s.quantity, 0.0) for s in self.sensors]
        self.rows["classed"] = [s.channel in self._classed for s in self.sensors]
        self.rows["last"] = math.nan

    def move_into(self, memory: Array) -> None:
        """Move the monitor's memory into a part of another array, `size` long."""
        split = self.rows.nbytes // 8
        rows, overall = memory[:split].view(SENSOR), memory[split:].view(FILTER)
        rows[:], overall[:] = self.rows, self.overall
        self.rows, self.overall = rows, overall

    @property
    def size(self) -> int:
        """Number of values in the monitor's memory."""
        return (self.rows.nbytes + self.overall.nbytes) // 8

    def forget(self) -> None:
        """Forget all innovations after the filter was set to another state.

        Readings are kept, and so are faults: they last until new innovations show that a sensor is healthy.
        """
        for name in _OF_INNOVATIONS:
            self.rows[name] = 0.0
        healthy = self.rows["fault"] == HEALTHY
        for name in _OF_HEALTHY:
            self.rows[name][healthy] = 0.0
        self.rows["low"][healthy], self.rows["high"][healthy] = math.inf, -math.inf
        self.overall["suspected_at"] = math.nan

    def pass_over(self, time: float) -> None:
        """Count a silence of the whole machine against no sensor. time: at its end, s."""
        heard = self.rows["fault"] != SILENT
        self.rows["time"][heard] = np.where(np.isfinite(self.rows["time"][heard]), time, math.nan)
        self.overall["time"] = time

    def faulty(self) -> list[str]:
        """Channels of the sensors whose readings are wrong."""
        wrong = (self.rows["fault"] != HEALTHY) & (self.rows["fault"] != SILENT)
        return [sensor.channel for sensor, bad in zip(self.sensors, wrong, strict=True) if bad]

    def feed(self, time: float, normalised: Array, readings: Array, expected: Array) -> None:
        """Process one correction; all arrays have a value per sensor, NaN where there is no reading.

        time: of the readings, s. normalised: innovations divided by their standard deviations, including
        readings that were left out. readings, expected: in the unit of the channel.
        """
        count = len(self.sensors)
        if not (len(normalised) == len(readings) == len(expected) == count):
            raise SimcoreError(
                f"{len(normalised)} innovations, {len(readings)} readings, "
                f"{len(expected)} expected readings: must be {count} of each, one per sensor"
            )
        if not math.isfinite(time) or time < self.overall[0]["time"]:
            raise SimcoreError(
                f"time = {time} s: must be finite and not before {self.overall[0]['time']:g} s"
            )
        judge(time, normalised, readings, expected, self.gate, self.rows, self.overall)

    @property
    def mean_nis(self) -> float:
        """Mean square of recent normalised innovations, limited to the gate; 1 for a consistent filter."""
        weight = float(np.sum(self.rows["weight"]))
        return float(np.sum(self.rows["square"])) / weight if weight > 0 else math.nan

    def consistency(self) -> tuple[float, float, float]:
        """Mean NIS of healthy sensors, and its 95 % bounds for a consistent filter; NaN: too few readings.

        The bounds are those of χ²/k for the equivalent number k of readings (Wilson and Hilferty 1931).
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
        """Present findings; those of the filter come first."""
        found = []
        overall = self.overall[0]
        if overall["time"] - overall["suspected_at"] >= HOLD:
            lost = Message("twin.contradicted", {"times": self.mean_nis})
            found.append(self.finding("diverged", "", float(overall["suspected_at"]), lost))
        for sensor, row in zip(self.sensors, self.rows, strict=True):
            if row["fault"] != HEALTHY:
                kind = _kind(row)
                what = _message(kind, sensor, row)
                found.append(self.finding(kind, sensor.channel, float(row["since"]), what))
        return tuple(found)

    def notes(self) -> tuple[Finding, ...]:
        """What is worth knowing about sensors that remain in use: coarse resolutions."""
        found = []
        for sensor, row in zip(self.sensors, self.rows, strict=True):
            if row["resolved"] == COARSE and row["digit"] > _QUANTISED * row["sigma"]:
                values: dict[str, Value] = {"sensor": sensor.channel, "quantity": sensor.quantity}
                values |= {"step": float(row["digit"]), "noise": float(row["sigma"])}
                what = Message("sensor.quantised", values)
                found.append(self.finding("quantised", sensor.channel, float(row["resolved_at"]), what))
        return tuple(found)

    def finding(self, kind: FindingKind, channel: str, since: float, what: Message) -> Finding:
        """A finding with its text. since: s."""
        text = english(what, self._labels)
        return Finding(kind, channel, round(1e6 * since), text, what.code, what.values)

    def dump(self) -> bytes:
        """The monitor's memory as bytes, for `load` into a monitor of the same sensors."""
        return b"".join(part.view(np.float64).astype("<f8").tobytes() for part in (self.rows, self.overall))

    def load(self, dump: bytes) -> None:
        """Continue from a dump with bit-identical results. Refuses a dump of other sensors."""
        numbers = np.frombuffer(dump, dtype="<f8") if len(dump) % 8 == 0 else np.zeros(0)
        rows, overall = self.rows.view(np.float64), self.overall.view(np.float64)
        if len(numbers) != len(rows) + len(overall):
            expected = rows.nbytes + overall.nbytes
            raise ForeignDump(f"dump has {len(dump)} bytes: must be {expected} bytes for these sensors")
        fresh = numbers[: len(rows)].view(SENSOR)
        for name in ("sigma", "period"):
            if not np.array_equal(fresh[name], self.rows[name]):
                raise ForeignDump(
                    f"dump was made for other sensors: {name} = {fresh[name]}: must be {self.rows[name]}"
                )
        rows[:], overall[:] = numbers[: len(rows)], numbers[len(rows) :]


def _kind(row: Records) -> FindingKind:
    """Kind of a fault.

    Where errors of sensors have a class, those of the machine are estimated too (culprits.py); a mean
    innovation that remains does not tell which of the two is wrong.
    """
    kind = _KINDS[int(row["fault"]) - 1]
    return "disagrees" if kind == "biased" and row["classed"] else kind


def _message(kind: FindingKind, sensor: Sensor, row: Records) -> Message:
    """Message about a sensor's fault, with the numbers that show it."""
    named: dict[str, Value] = {"sensor": sensor.channel}
    if kind == "silent":
        return Message("sensor.silent", named | {"rate": sensor.rate})
    if kind == "outlying":
        return Message("sensor.outlying", named | {"share": float(row["beyond_gate"] / row["weight"])})
    named["quantity"] = sensor.quantity
    if kind in ("biased", "disagrees"):
        shift = float(row["shift"] / row["weight"])
        return Message(f"sensor.{kind}.{'high' if shift > 0 else 'low'}", named | {"shift": abs(shift)})
    named["reading"] = float(row["reading"])
    change = float(row["high"] - row["low"])
    if change > EXPECTED_CHANGE * row["sigma"]:
        return Message("sensor.stuck.model", named | {"change": change})
    if row["still_square"] > DENIAL * row["still"]:
        return Message("sensor.stuck.others", named)
    return Message("sensor.stuck.noise", named | {"noise": float(row["sigma"])})
