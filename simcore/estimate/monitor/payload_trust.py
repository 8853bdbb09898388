"""Says why a payload cannot be trusted at present, if there is a reason (docs/methods/weighing.md)."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from simcore.estimate.biases import PAYLOAD
from simcore.estimate.monitor.fault_rules import HEALTHY
from simcore.estimate.monitor.finding import Doubt
from simcore.estimate.monitor.innovation_monitor import ALERTED, DUG, RECOVERED, SETTLED
from simcore.estimate.monitor.load_signature import CLEAR, INFORMATION, ONSET
from simcore.estimate.monitor.sensor_monitor import SensorMonitor
from simcore.messages import Message
from simcore.model.plan import PRESSURE, Plan, Records
from simcore.model.workspace import Array
from simcore.run.engine import Engine

_STARTED = 3.0  # s after a start or restart until the load is weighed (assumed)
_STILL = 1.0  # s after a load has settled, or soil has entered or left the bucket (assumed)
_PRECISE = 0.05  # standard deviation of a payload that is weighed, share of it: the accuracy that is promised
_RIPE = 0.5  # s of readings that say how well a load would be noticed
_NOTHING = 1e-9  # information of readings that show no load at all
_LEVERAGE = 0.5  # share of a usual load change that may stay unnoticed (assumed)


class PayloadWatch(NamedTuple):
    """What is known of a machine's payload before it works."""

    channel: str
    position: int  # of the channel
    row: int  # of the payload among states and biases
    unit: float  # kg in one filter unit
    change: float  # kg, standard deviation of what is picked up or put down
    cylinders: tuple[int, ...]  # whose pressures weigh it


def payload_watch(engine: Engine, biases: Records, sensors: Collection[str]) -> PayloadWatch | None:
    """How the payload of a machine is judged; None: it has none, or no channel shows it."""
    payload = engine.machine.model_error.payload
    shown = [c.name for c in engine.channels if c.name == "payload.mass"]
    if payload is None or not shown:
        return None
    at = int(np.flatnonzero(biases["kind"] == PAYLOAD)[0])
    row, unit = int(engine.plan.head[0]["states"]) + at, float(biases["unit"][at])
    measured = [engine.plan.channels[engine.position(name)] for name in sensors]
    nodes = {int(channel["index"]) for channel in measured if channel["kind"] == PRESSURE}
    return PayloadWatch(
        shown[0], engine.position(shown[0]), row, unit, float(payload.change), _on(engine.plan, nodes)
    )


def _on(plan: Plan, nodes: Collection[int]) -> tuple[int, ...]:
    """Cylinders with a chamber among these nodes."""
    ends = zip(plan.cylinders["node_a"].tolist(), plan.cylinders["node_b"].tolist(), strict=True)
    return tuple(k for k, (a, b) in enumerate(ends) if a in nodes or b in nodes)


def unnoticed_error(watch: PayloadWatch, time: float, evidence: Array, left: Array) -> float:
    """Error of the payload after a load change that is just too small to be noticed, kg; 0: not yet known.

    left: share of a load change of every candidate that the twin has not learned by now.
    """
    ripe = time - evidence[:, ONSET] > _RIPE
    if not np.any(ripe):
        return 0.0
    changes = np.sqrt(CLEAR / np.maximum(evidence[ripe, INFORMATION], _NOTHING))
    return float(watch.unit * np.min(changes * np.abs(left[ripe])))


def payload_doubt(
    watch: PayloadWatch,
    engine: Engine,
    status: Array,
    evidence: Array,
    left: Array,
    sigma: float,
    sensors: SensorMonitor,
) -> Doubt | None:
    """Why the payload cannot be trusted now; None: it can. left: as in `unnoticed_error`.

    sigma: standard deviation of the payload, kg.
    """
    found = _reason(watch, engine, status, evidence, left, sigma, sensors)
    return None if found is None else Doubt(watch.channel, found.code, found.values)


def _reason(
    watch: PayloadWatch,
    engine: Engine,
    status: Array,
    evidence: Array,
    left: Array,
    sigma: float,
    sensors: SensorMonitor,
) -> Message | None:
    time = engine.time
    if time < _STARTED or time - status[RECOVERED] < _STARTED:
        return Message("payload.untrusted.started")
    if time - status[ALERTED] < _STILL:
        return Message("payload.untrusted.gap")
    if time - status[DUG] < _STILL:
        return Message("payload.untrusted.soil")
    if time < status[SETTLED] + _STILL:
        return Message("payload.untrusted.settling")
    faulty = np.flatnonzero(sensors.rows["fault"] != HEALTHY)
    if len(faulty):
        return Message("payload.untrusted.sensor", {"sensor": sensors.sensors[faulty[0]].channel})
    nis, _, high = sensors.consistency()
    if nis > high:
        return Message("payload.untrusted.unfit")
    if any(engine.workspace.cylinders[k]["contact"] != 0.0 for k in watch.cylinders):
        return Message("payload.untrusted.end_stop")
    unnoticed = unnoticed_error(watch, time, evidence, left)
    least = max(unnoticed, sigma / _PRECISE)
    if unnoticed > _LEVERAGE * watch.change:
        return Message("payload.untrusted.leverage")
    if engine.read()[watch.position] < least:
        return Message("payload.untrusted.light", {"least": least})
    return None
