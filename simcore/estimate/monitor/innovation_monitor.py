"""Monitors the innovations of a live filter and decides which readings are fused.

A single reading far from its expected value is an outlier. If most sensors are far off twice in a row, the
twin is wrong: its covariance is inflated and every reading is fused. If one sensor is far off, the fault
rules decide whether it is faulty, unless the machine was silent for a while. Large innovations of several
sensors at once widen the covariance, unless they bear the signature of a load (load_signature.py;
docs/methods/filter-health.md, docs/methods/weighing.md).
"""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simcore.estimate.filter_arrays import Readings
from simcore.estimate.monitor.fault_rules import FILTER, HEALTHY, HOLD, SENSOR, judge
from simcore.estimate.monitor.load_signature import (
    add_candidate,
    find_load_change,
    forget_candidates,
    may_be_load,
    take_load_change,
)
from simcore.estimate.monitor.resolution import noise_of
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import Plan, Records
from simcore.model.workspace import Array, Workspace
from simcore.run.load import load_mass

# entries of Monitor.status
LAG = 0  # model steps that the covariance lags behind the state
ALERT = 1  # corrections left in which one sensor alone may show that the twin is wrong
NIS = 2  # normalised innovation squared of the last correction
RECOVERED = 3  # time of the last restart from the sensors, s, or NaN
RECOVERIES = 4
SETTLED = 5  # time from which a load that was noticed is taken to be still, s
LOAD_CHANGED = 6  # time when the last load change was noticed, s, or NaN
LOAD_CHANGES = 7
DUG = 8  # time when soil last entered, held or left a bucket, s, or NaN
RELEASED = 9  # time from which the load of the last change was taken to be still, s
WORKED = 10  # time when a lever was last out of neutral, s
ALERTED = 11  # time of the last correction with an alert, s
HELD = 12  # 1: the model could not continue without telemetry; its state is held until the next reading
STATUS = 13
ALERT_FOR = 10.0  # corrections after a start or a silence
_IN_A_ROW = 2.0  # readings of a channel in a row so far off that the twin may be wrong

_SURPRISE_MEMORY = 8.0  # readings over which surprise is averaged: one outlier is not enough
_USUAL_MEMORY = 500.0  # readings: some phases of a machine's work
_SURPRISE = 3.0  # by how much the mean square of normalised innovations exceeds the expected one
_WITNESSES = 2  # sensors that must be surprised: one alone may be faulty
_SETTLES = 1.5  # s for which a load that was noticed may go on changing
_AFTER_SOIL = 1.0  # s after digging or pouring, when the fill explains what a load would
_BEGINNING = 1.0  # s after an alert in which a surprise may be a load (assumed)
_WORKS_ON = 2.0  # s for which a boom bounces after a lever is back in neutral (assumed)
_BOUNCED = 0.2  # share of a load by which it may be wrong after it has settled (assumed)
_DOUBT = 0.2  # share of the uncertainty of a start, added at a surprise that is no load (assumed)

# columns of Monitor.prefit
OFF, VARIANCE, BEYOND, SURPRISE, USUAL = range(5)
PREFIT = 5


class Monitor(NamedTuple):
    """Memory of a live twin's monitor. An offline filter uses `no_monitor`."""

    memory: Array  # everything that later steps depend on; most arrays of a twin are parts of it
    backup: Array  # the same before the present call
    biases: Array  # as the condition has them, SI units
    status: Array  # LAG, ALERT, ...
    prefit: Array  # by channel: OFF, innovation before anything is fused; VARIANCE, its variance; BEYOND,
    # readings beyond the gate in a row; SURPRISE, mean square of recent normalised innovations less one;
    # USUAL, the same over many readings, not less one
    spread: Array  # standard deviations of an unknown state; steps that biases may take; filter units
    channels: npt.NDArray[np.int64]  # of the sensors
    report: Array  # normalised innovations, readings and expectations by sensor, for the fault rules
    sensors: Records  # of the fault rules
    overall: Records  # of the fault rules, for the filter as a whole
    hanging: npt.NDArray[np.int64]  # independent joints that nothing holds
    evidence: Array  # of load changes, by candidate (load_signature.py)


def no_monitor() -> Monitor:
    """Placeholder for a filter that runs offline."""
    nothing, table = np.zeros(0), np.zeros((0, 0))
    records = np.zeros(0, dtype=SENSOR), np.zeros(0, dtype=FILTER)
    channels = np.zeros(0, dtype=np.int64)
    return Monitor(
        nothing, nothing, nothing, nothing, table, nothing, channels, table, *records, channels, table
    )


@inner
def allow_for_rounding(values: Array, monitor: Monitor, sigmas: Array) -> None:
    """Set the noise of these readings, more than described where a sensor turned out to be coarse."""
    for i in range(len(monitor.channels)):
        k = monitor.channels[i]
        sigmas[k] = noise_of(monitor.sensors[i], values[k])


@inner
def _compute_prefit(
    n: int, m: int, values: Array, readings: Readings, jacobian: Array, cov: Array, monitor: Monitor
) -> bool:
    """Compute innovations before any fusion; returns whether any exceeds the gate of its sensor's noise."""
    beyond_noise, sigmas, gate = False, readings.sigmas, readings.gate
    for i in range(len(monitor.channels)):
        k = monitor.channels[i]
        for row in range(3):
            monitor.report[row, i] = np.nan
        if not isfinite(values[k]):
            continue
        h, off, s = jacobian[n + k], values[k] - jacobian[n + k, m], sigmas[k] * sigmas[k]
        for a in range(m):
            if h[a] != 0.0:
                for b in range(m):
                    s += h[a] * cov[a, b] * h[b]
        here = monitor.prefit[k]
        here[OFF], here[VARIANCE] = off, s
        here[BEYOND] = here[BEYOND] + 1.0 if off * off > gate * gate * s else 0.0
        here[USUAL] += (min(off * off / s, gate * gate) - here[USUAL]) / _USUAL_MEMORY
        here[SURPRISE] += (min(off * off / s, gate * gate) - 1.0 - here[SURPRISE]) / _SURPRISE_MEMORY
        beyond_noise = beyond_noise or abs(off) > gate * sigmas[k]
        monitor.report[0, i], monitor.report[1, i], monitor.report[2, i] = off / s**0.5, values[k], h[m]
    return beyond_noise


@inner
def _twin_is_wrong(monitor: Monitor) -> bool:
    """Whether enough readings contradict the twin for it to be wrong."""
    heard, far = 0, 0
    for i in range(len(monitor.channels)):
        if monitor.sensors[i].fault == HEALTHY:
            heard += 1 if monitor.sensors[i].still > 0.0 else 0
            far += 1 if monitor.prefit[monitor.channels[i], BEYOND] >= _IN_A_ROW else 0
    return far > 0 and (2 * far > heard or monitor.status[ALERT] > 0.0)


@inner
def _is_surprised(n: int, m: int, monitor: Monitor) -> bool:
    """Whether several healthy sensors contradict the model together, and it does not look like a load."""
    step, witnesses = 0.0, 0
    for i in range(n, m):
        step = max(step, monitor.spread[i])
    for i in range(len(monitor.channels)):
        here = monitor.prefit[monitor.channels[i]]
        if monitor.sensors[i].fault == HEALTHY:
            witnesses += 1 if here[SURPRISE] > _SURPRISE else 0
    return step > 0.0 and witnesses >= _WITNESSES and not may_be_load(step, monitor.evidence)


@outlined
def gate_and_inflate(
    plan: Plan,
    values: Array,
    readings: Readings,
    jacobian: Array,
    cov: Array,
    monitor: Monitor,
) -> float:
    """Inflate the covariance if the twin may be wrong; returns the gate for this correction.

    After unknown commands the velocity uncertainty is inflated: friction is steep near rest, so a twin
    linearised there would be almost certain that the machine is at rest. Readings of faulty sensors are
    removed from `values`.
    """
    n, m, free = plan.head[0].states, len(cov), plan.head[0].free
    beyond_noise = _compute_prefit(n, m, values, readings, jacobian, cov, monitor)
    monitor.status[ALERT] = max(monitor.status[ALERT] - 1.0, 0.0) if readings.inputs_known else ALERT_FOR
    first, last, surprised = 0, 0, False
    if _twin_is_wrong(monitor):
        last = m
        forget_candidates(monitor.evidence)
    elif _is_surprised(n, m, monitor):
        surprised = True
        for i in range(free, 2 * free + plan.head[0].volumes):
            cov[i, i] += (_DOUBT * monitor.spread[i]) ** 2
        if monitor.overall[0].time - monitor.status[ALERTED] < _BEGINNING:
            for i in range(n, m):  # a load may have come before its signature could be followed
                cov[i, i] += monitor.spread[i] * monitor.spread[i]
    elif beyond_noise and not readings.inputs_known:
        first, last = free, 2 * free
    if last == m or surprised:
        for i in range(len(monitor.channels)):
            prefit = monitor.prefit[monitor.channels[i]]
            prefit[BEYOND], prefit[SURPRISE] = 0.0, 0.0
    for i in range(first, last):
        cov[i, i] += monitor.spread[i] * monitor.spread[i]
    for i in range(len(monitor.channels)):
        if monitor.sensors[i].fault != HEALTHY:
            values[monitor.channels[i]] = np.nan
    return np.inf if last > first else readings.gate


@inner
def hold_hanging(plan: Plan, monitor: Monitor, input_cross_cov: Array) -> None:
    """A pendulum swings the same whatever its mass: a load change moves no joint that hangs free."""
    columns, free = input_cross_cov.shape[1], plan.head[0].free
    first = columns - len(monitor.evidence)
    for i in range(len(monitor.hanging)):
        for v in range(first, columns):
            input_cross_cov[monitor.hanging[i], v], input_cross_cov[free + monitor.hanging[i], v] = 0.0, 0.0


@inner
def _digs(plan: Plan, ws: Workspace) -> bool:
    found = False
    for k in range(plan.head[0].soils):
        found = found or ws.soils[k].grip > 0.0 or ws.soils[k].rate > 0.0 or ws.soils[k].poured > 0.0
    return found


@outlined
def watch_load(
    plan: Plan,
    biases: Records,
    state: Array,
    ws: Workspace,
    time: float,
    readings: Readings,
    monitor: Monitor,
    input_cross_cov: Array,
    dx: Array,
    cov: Array,
) -> None:
    """Take a load change for one if the innovations bear its signature."""
    n, m, head = plan.head[0].states, len(cov), plan.head[0]
    payload = -1
    for i in range(n, m):
        payload = i if monitor.spread[i] > 0.0 else payload
    if payload < 0:
        return
    at = input_cross_cov.shape[1] - len(monitor.evidence)
    if _digs(plan, ws):
        monitor.status[DUG] = time
    for v in range(head.valves):
        if state[head.at_c + v] != 0.0:
            monitor.status[WORKED] = time
    works = time - monitor.status[WORKED] < _WORKS_ON
    if monitor.status[ALERT] > 0.0:
        monitor.status[ALERTED] = time
    soil = time - monitor.status[DUG] < _AFTER_SOIL
    settles = time < monitor.status[SETTLED]
    if not settles and monitor.status[LOAD_CHANGED] > monitor.status[RELEASED]:
        # the model bounced with another load until it was known: what was learned meanwhile counts little
        monitor.status[RELEASED] = time
        doubt = _BOUNCED * load_mass(ws.condition, biases[payload - n]) / biases[payload - n].unit
        cov[payload, payload] += doubt * doubt
    if not readings.inputs_known or monitor.status[ALERT] > 0.0 or soil or settles:
        forget_candidates(monitor.evidence)
        return
    bias, change = biases[payload - n], monitor.spread[payload]
    carried = load_mass(ws.condition, bias)
    for k in range(head.soils):
        carried += plan.soils[k].density * state[head.at_p + head.scalars - head.soils + k]
    found = find_load_change(
        time, works, payload, change, carried / bias.unit + dx[payload], monitor.evidence, cov
    )
    if found >= 0:
        take_load_change(n, payload, found, change, input_cross_cov, at, monitor.evidence, dx, cov)
        monitor.status[SETTLED] = time + _SETTLES
        monitor.status[LOAD_CHANGED] = time
        monitor.status[LOAD_CHANGES] += 1.0
        forget_candidates(monitor.evidence)
    add_candidate(time, payload, input_cross_cov, at, monitor.evidence)


@inner
def freeze_biases(plan: Plan, time: float, monitor: Monitor, learned: Array) -> None:
    """While a load settles, learn only the load itself: no other bias, and not its swing."""
    n, free = plan.head[0].states, plan.head[0].free
    if time < monitor.status[SETTLED]:
        for i in range(n, len(monitor.spread)):
            learned[i] *= 1.0 if monitor.spread[i] > 0.0 else 0.0
        for i in range(len(monitor.hanging)):
            learned[monitor.hanging[i]], learned[free + monitor.hanging[i]] = 0.0, 0.0


@outlined
def update_monitor(time: float, gate: float, innovations: Array, monitor: Monitor) -> bool:
    """Record what was fused and apply the fault rules; returns whether the filter has been wrong for a while.

    innovations: with variances; those of excluded sensors are what they would have been if fused.
    """
    nis = 0.0
    for i in range(len(monitor.channels)):
        k = monitor.channels[i]
        if isfinite(innovations[k, 0]):
            nis += innovations[k, 0] * innovations[k, 0] / innovations[k, 1]
        elif isfinite(monitor.report[0, i]):
            innovations[k, 0], innovations[k, 1] = monitor.prefit[k, OFF], monitor.prefit[k, VARIANCE]
    monitor.status[NIS] = nis
    report = monitor.report
    judge(time, report[0], report[1], report[2], gate, monitor.sensors, monitor.overall)
    return bool(time - monitor.overall[0].suspected_at >= HOLD)
