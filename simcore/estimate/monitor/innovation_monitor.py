"""Monitors the innovations of a live filter and decides which readings are fused.

A single reading far from its expected value is an outlier. If most sensors are far off twice in a row, the
twin is wrong: its covariance is inflated and every reading is fused. If one sensor is far off, the fault
rules decide whether it is faulty, unless the machine was silent for a while. Large innovations of several
sensors at once mean that the load has changed (docs/methods/filter-health.md).
"""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simcore.estimate.filter_arrays import FilterScratch, Readings
from simcore.estimate.linearise.load_step import allow_for_load_step
from simcore.estimate.monitor.fault_rules import FILTER, HEALTHY, HOLD, SENSOR, judge
from simcore.estimate.monitor.resolution import noise_of
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import Plan, Records
from simcore.model.workspace import Array

# entries of Monitor.status
LAG = 0  # model steps that the covariance lags behind the state
ALERT = 1  # corrections left in which one sensor alone may show that the twin is wrong
NIS = 2  # normalised innovation squared of the last correction
RECOVERED = 3  # time of the last restart from the sensors, s, or NaN
RECOVERIES = 4
SETTLED = 5  # time from which a load that was noticed is taken to be still, s
HELD = 6  # 1: the model could not continue without telemetry; its state is held until the next reading
STATUS = 7
ALERT_FOR = 10.0  # corrections after a start or a silence
_IN_A_ROW = 2.0  # readings of a channel in a row so far off that the twin may be wrong

_SURPRISE_MEMORY = 8.0  # readings over which surprise is averaged: one outlier is not enough
_SURPRISE = 3.0  # by how much the mean square of normalised innovations exceeds the expected one
_WITNESSES = 2  # sensors that must be load_step: one alone may be faulty
_AT_ONCE = 3  # sensors beyond the gate together: chance of one outlier in a hundred readings 6e-5
_SETTLES = 1.5  # s for which a load that was noticed may go on changing
_LATEST, _EARLIEST = 1e-3, 0.1  # s, how long ago a load may have come when it is noticed

# columns of Monitor.prefit
OFF, VARIANCE, BEYOND, SURPRISE = range(4)
PREFIT = 4


class Monitor(NamedTuple):
    """Memory of a live twin's monitor. An offline filter uses `no_monitor`."""

    memory: Array  # everything that later steps depend on; most arrays of a twin are parts of it
    backup: Array  # the same before the present call
    biases: Array  # as the condition has them, SI units
    status: Array  # LAG, ALERT, ...
    prefit: Array  # by channel: OFF, innovation before anything is fused; VARIANCE, its variance; BEYOND,
    # readings beyond the gate in a row; SURPRISE, mean square of recent normalised innovations less one
    spread: Array  # standard deviations of an unknown state; steps that biases may take; filter units
    channels: npt.NDArray[np.int64]  # of the sensors
    report: Array  # normalised innovations, readings and expectations by sensor, for the fault rules
    sensors: Records  # of the fault rules
    overall: Records  # of the fault rules, for the filter as a whole
    hanging: npt.NDArray[np.int64]  # independent joints that nothing holds


def no_monitor() -> Monitor:
    """Placeholder for a filter that runs offline."""
    nothing, table = np.zeros(0), np.zeros((0, 0))
    records = np.zeros(0, dtype=SENSOR), np.zeros(0, dtype=FILTER)
    channels = np.zeros(0, dtype=np.int64)
    return Monitor(nothing, nothing, nothing, nothing, table, nothing, channels, table, *records, channels)


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
def _is_load_step(n: int, m: int, monitor: Monitor) -> bool:
    """Whether several healthy sensors contradict the model together, on a machine whose load can change."""
    step, witnesses, far = 0.0, 0, 0
    for i in range(n, m):
        step = max(step, monitor.spread[i])
    for i in range(len(monitor.channels)):
        here = monitor.prefit[monitor.channels[i]]
        if monitor.sensors[i].fault == HEALTHY:
            witnesses += 1 if here[SURPRISE] > _SURPRISE else 0
            far += 1 if here[BEYOND] > 0.0 else 0
    return step > 0.0 and (witnesses >= _WITNESSES or far >= _AT_ONCE)


@outlined
def gate_and_inflate(
    plan: Plan,
    values: Array,
    readings: Readings,
    jacobian: Array,
    cov: Array,
    monitor: Monitor,
    time: float,
    scratch: FilterScratch,
) -> float:
    """Inflate the covariance if the twin may be wrong; returns the gate for this correction.

    After unknown commands the velocity uncertainty is inflated: friction is steep near rest, so a twin
    linearised there would be almost certain that the machine is at rest. Readings of faulty sensors are
    removed from `values`.
    """
    n, m, free = plan.head[0].states, len(cov), plan.head[0].free
    beyond_noise = _compute_prefit(n, m, values, readings, jacobian, cov, monitor)
    monitor.status[ALERT] = max(monitor.status[ALERT] - 1.0, 0.0) if readings.inputs_known else ALERT_FOR
    first, last, load_step = 0, 0, False
    if _twin_is_wrong(monitor):
        last = m
    elif _is_load_step(n, m, monitor):
        load_step = True
        span = min(max(time - monitor.overall[0].time, _LATEST), _EARLIEST)
        monitor.status[SETTLED] = time + _SETTLES
        allow_for_load_step(plan, jacobian, span, monitor.spread[n:], monitor.hanging, cov, scratch)
    elif beyond_noise and not readings.inputs_known:
        first, last = free, 2 * free
    if last == m or load_step:
        for i in range(len(monitor.channels)):
            prefit = monitor.prefit[monitor.channels[i]]
            prefit[BEYOND], prefit[SURPRISE] = 0.0, 0.0
    for i in range(first, last):
        cov[i, i] += monitor.spread[i] * monitor.spread[i]
    for i in range(len(monitor.channels)):
        if monitor.sensors[i].fault != HEALTHY:
            values[monitor.channels[i]] = np.nan
    return np.inf if last > first or load_step else readings.gate


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
