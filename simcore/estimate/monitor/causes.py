"""Reports the causes of a machine's errors that a twin has found: names, sizes and times."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simcore.estimate.biases import (
    DEAD_BAND,
    DELAY,
    DELIVERY,
    GAIN,
    GOVERNOR,
    LAG,
    LEAKAGE,
    SENSOR,
    STIFFNESS,
    WEIGHT,
)
from simcore.estimate.monitor.culprits import ALONE, IN_GROUP, NOTHING, judge_causes
from simcore.estimate.monitor.finding import FindingKind
from simcore.messages import Message, Value
from simcore.model.netlist import edges
from simcore.model.plan import Records
from simcore.model.workspace import Array
from simcore.run.engine import Engine

EVERY = 1.0  # s from one judgement to the next
_NAMED_AFTER, _GONE_AFTER = 5.0, 20.0  # s for which a judgement must last (assumed)
_FULL_LOAD = 2e7  # Pa, at which leakage is told as a flow
# By how much a healthy machine may differ from its description (assumed): three standard deviations from
# machine to machine. In the unit of the bias; of WEIGHT in shares of the mass.
_TOLERANCES = {
    GAIN: 0.12,
    DELIVERY: 0.04,  # what 4 % of scatter in the flow curves of valves leaves in it as well
    STIFFNESS: 0.2,
    DEAD_BAND: 0.015,
    LAG: 0.012,  # s
    DELAY: 0.01,  # s
    GOVERNOR: 2.0,  # rad/s
    WEIGHT: 0.08,
}
# Factor on the standard deviations of the filter (assumed): no model has all errors of a machine. Those of
# sensors stay above what can be known anyway (biases.py); a delay is seldom the simple lag of the model.
_DOUBT = {SENSOR: 1.0, LAG: 5.0, DELAY: 5.0}
_USUAL_DOUBT = 2.0
# the same, in standard deviations of the description; settings of relief valves and regulators, which are not
# estimated, look like errors of gauges and scatter as much
_OF_CLASS = {SENSOR: 3.0, LEAKAGE: 1.0}
_LOAD_SHOWS = 60.0  # s for which a load that was taken for something else may show (assumed)
# names of the causes of the whole machine; others have that of their part
_NAMES = {
    DELIVERY: "cause.name.pump",
    STIFFNESS: "cause.name.oil",
    DEAD_BAND: "cause.name.dead_band",
    LAG: "cause.name.command_late",
    DELAY: "cause.name.late",
    GOVERNOR: "cause.name.governor",
}
_SHARES = {DELIVERY: "cause.pump", GAIN: "cause.valve", STIFFNESS: "cause.oil"}
_SUSPECTED, _SUSPECTED_AT, _ROLE, _SINCE = range(4)  # columns of the memory, a row per cause


class Cause(NamedTuple):
    """A bias that can be named as the cause of an error."""

    bias: int  # its index
    kind: int
    part: str  # element or body that has it, channel of a sensor; empty: the whole machine
    quantity: str  # of a sensor
    tolerance: float  # filter units


class Named(NamedTuple):
    """A cause, or a group of causes that cannot be separated, as a message."""

    kind: FindingKind  # offset of a sensor, or cause
    channel: str
    since: float  # s
    message: Message


class Causes:
    """Judges the causes of one twin; its memory is part of the twin's."""

    def __init__(self, engine: Engine, biases: Records, nominal: Array) -> None:
        self._biases, self._nominal = biases, nominal
        self.causes = _causes_of(engine, biases)
        self._at = np.array([cause.bias for cause in self.causes], dtype=np.int64)
        self._of_sensor = np.array([cause.kind in (SENSOR, DELAY) for cause in self.causes], dtype=bool)
        self._doubt = np.array([_DOUBT.get(cause.kind, _USUAL_DOUBT) for cause in self.causes])
        self._tolerance = np.array([cause.tolerance for cause in self.causes])
        like_load = np.array([cause.kind in (SENSOR, WEIGHT) for cause in self.causes], dtype=bool)
        self._after_load = np.where(like_load, np.inf, self._tolerance)
        self._states = int(engine.plan.head[0]["states"])
        self._memory = np.zeros(self.size)
        self.clear()

    @property
    def size(self) -> int:
        """Number of values in the memory: a row per cause, and the time of the last judgement."""
        return 4 * len(self.causes) + 1

    def move_into(self, memory: Array) -> None:
        """Move the memory into a part of another array."""
        memory[:] = self._memory
        self._memory = memory

    @property
    def _rows(self) -> Array:
        return self._memory[:-1].reshape(-1, 4)

    def clear(self) -> None:
        """Forget all causes."""
        self._memory[:] = 0.0
        self._memory[-1] = -np.inf

    def update(self, time: float, values: Array, covariance: Array, load_changed: float) -> None:
        """Judge if the last judgement is old enough. values: biases, SI units. covariance: of the filter.

        load_changed: when a load was last picked up or put down, s, or NaN. Until it was weighed, weights of
        the arm and gauges were blamed for it, so for a while they may have any value and are not named.
        """
        if not self.causes or time - self._memory[-1] < EVERY:
            return
        idle = time - self._memory[-1] - EVERY
        if 0.0 < idle < np.inf:  # a silence is no evidence: what lasted before it has lasted no longer after
            self._rows[:, _SUSPECTED_AT] += idle
        self._memory[-1] = time
        estimate = self._estimate(values)
        at = self._states + self._at
        tolerance = self._after_load if time - load_changed < _LOAD_SHOWS else self._tolerance
        roles = judge_causes(estimate, covariance[np.ix_(at, at)], tolerance, self._doubt, self._of_sensor)
        for row, role in zip(self._rows, roles, strict=True):
            if row[_SUSPECTED] != role:
                row[_SUSPECTED], row[_SUSPECTED_AT] = role, time
            if time - row[_SUSPECTED_AT] >= (_GONE_AFTER if role == NOTHING else _NAMED_AFTER):
                if row[_ROLE] == NOTHING:
                    row[_SINCE] = row[_SUSPECTED_AT]
                row[_ROLE] = role

    def _estimate(self, values: Array) -> Array:
        """Causes in filter units."""
        off = (values - self._nominal) / self._biases["unit"]
        return np.asarray(off[self._at])

    def named(self, values: Array) -> tuple[Named, ...]:
        """The causes that are named now, with their present size."""
        rows = list(zip(self.causes, self._rows, strict=True))
        found = [self._one(cause, float(row[_SINCE]), values) for cause, row in rows if row[_ROLE] == ALONE]
        group = [(cause, float(row[_SINCE])) for cause, row in rows if row[_ROLE] == IN_GROUP]
        if len(group) > 1:
            names = [_NAMES.get(cause.kind, cause.part) for cause, _ in group]
            what = Message("cause.group", {"causes": names})
            found.append(Named("cause", "", min(since for _, since in group), what))
        return tuple(found)

    def _one(self, cause: Cause, since: float, values: Array) -> Named:
        size = float(values[cause.bias] - self._nominal[cause.bias])
        of_sensor = cause.kind == SENSOR
        what = _message(cause, size)
        return Named("offset" if of_sensor else "cause", cause.part if of_sensor else "", since, what)


def _causes_of(engine: Engine, biases: Records) -> list[Cause]:
    machine, owners = engine.machine, edges(engine.machine)[1]
    found = []
    for i, bias in enumerate(biases):
        kind, index, part, quantity = int(bias["kind"]), int(bias["index"]), "", ""
        if kind in _OF_CLASS:
            tolerance = _OF_CLASS[kind]
        elif kind in _TOLERANCES:
            share = float(bias["bare_mass"]) if kind == WEIGHT else 1.0
            tolerance = _TOLERANCES[kind] * share / float(bias["unit"])
        else:
            continue  # friction and loads are no faults
        if kind == SENSOR:
            part, quantity = engine.channels[index].name, engine.channels[index].quantity
        elif kind == WEIGHT:
            part = engine.owners[index - 1]
        elif kind == GAIN:
            part = machine.valves[index].name
        elif kind in (DELIVERY, LEAKAGE):
            part = owners[index]
        found.append(Cause(i, kind, part, quantity, tolerance))
    return found


def _message(cause: Cause, size: float) -> Message:
    """Message about one cause. size: beyond the description, unit of the bias."""
    side, amount = "high" if size > 0 else "low", abs(size)
    part: dict[str, Value] = {"part": cause.part}
    if cause.kind == SENSOR:
        named: dict[str, Value] = {"sensor": cause.part, "quantity": cause.quantity}
        return Message(f"sensor.biased.{side}", named | {"shift": amount})
    if cause.kind in _SHARES:
        return Message(f"{_SHARES[cause.kind]}.{side}", part | {"share": amount})
    if cause.kind == DEAD_BAND:
        return Message("cause.dead_band", {"share": amount})
    if cause.kind == WEIGHT:
        return Message(f"cause.mass.{side}", part | {"mass": amount})
    if cause.kind == LEAKAGE:
        return Message("cause.leakage", part | {"flow": amount * _FULL_LOAD})
    if cause.kind == LAG:
        return Message("cause.command_late" if size > 0 else "cause.command_early", {"delay": amount})
    if cause.kind == DELAY:
        return Message("cause.late" if size > 0 else "cause.early", {"delay": amount})
    return Message(f"cause.governor.{side}", {"speed": amount})
