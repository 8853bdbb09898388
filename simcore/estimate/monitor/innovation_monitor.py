"""What a live twin minds beside its filter: which readings fit, and which sensors are sound.

One reading far off is an outlier. When most sensors are so far off twice in a row, it is the twin that is
wrong: it doubts its state and listens to everything. One sensor alone is its own fault, and for the watch to
name, unless the machine was not heard for a while. Several that are surprised together mean another load
(docs/methods/filter-health.md).
"""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simcore.estimate.linearise.load_step import allow_for_loads
from simcore.estimate.monitor.fault_rules import FILTER, HOLD, SENSOR, SOUND, judge
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import Plan, Records
from simcore.model.workspace import Array

# entries of Vigil.pace
BEHIND = 0  # steps that the covariance is behind the state
ALERT = 1  # corrections to come in which one sensor alone may convince the twin
NIS = 2  # normalised innovation squared of the last correction
RECOVERED = 3  # time of the last new beginning from the sensors, s, or NaN
RECOVERIES = 4
TURN = 5  # of the model left alone
SETTLED = 6  # time from which on a load that was noticed is taken to be still, s
PACE = 7
ALERT_FOR = 10.0  # corrections after a start or a silence
_CONVINCED = 2.0  # readings of a channel in a row so far off that the twin may be wrong

_SURPRISE_MEMORY = 8.0  # readings over which surprise is averaged: a single outlier does not surprise
_SURPRISE = 3.0  # by how much the mean square of normalised innovations exceeds the one that is expected
_WITNESSES = 2  # sensors that must be surprised: one alone is its own fault
_AT_ONCE = 3  # sensors beyond the gate together: chance of one outlier in a hundred readings 6e-5
_SETTLES = 1.5  # s for which a load that was noticed may go on changing
_LATEST, _EARLIEST = 1e-3, 0.1  # s, how long ago a load may have come when it is noticed

# columns of Vigil.prior
OFF, VARIANCE, REJECTED, SURPRISE = range(4)
PRIOR = 4


class Vigil(NamedTuple):
    """Memory of a live twin. An experiment has none: see `no_vigil`."""

    memory: Array  # everything that later steps depend on; most arrays of a twin are parts of it
    kept: Array  # the same before the present call
    biases: Array  # as the plan holds them, SI units
    pace: Array
    prior: Array  # by channel: innovation before anything was fused, its variance, readings too far in a row,
    # mean square of recent normalised innovations beyond the one that is expected
    spread: Array  # how far states may be from the nominal ones and biases may jump at once, filter units
    channels: npt.NDArray[np.int64]  # of the sensors
    report: Array  # normalised innovations, readings and expectations by sensor, for the watch
    sensors: Records  # of the watch
    whole: Records
    hanging: npt.NDArray[np.int64]  # independent joints that nothing holds


def no_vigil() -> Vigil:
    """Of a filter that nobody watches."""
    nothing, table = np.zeros(0), np.zeros((0, 0))
    records = np.zeros(0, dtype=SENSOR), np.zeros(0, dtype=FILTER)
    channels = np.zeros(0, dtype=np.int64)
    return Vigil(nothing, nothing, nothing, nothing, table, nothing, channels, table, *records, channels)


@inner
def _look(
    n: int, m: int, readings: Array, sigmas: Array, gate: float, slope: Array, cov: Array, vigil: Vigil
) -> bool:
    """Innovations before anything is fused; tells whether any is beyond the gate of its sensor's noise."""
    stirred = False
    for i in range(len(vigil.channels)):
        k = vigil.channels[i]
        for row in range(3):
            vigil.report[row, i] = np.nan
        if not isfinite(readings[k]):
            continue
        h, off, s = slope[n + k], readings[k] - slope[n + k, m], sigmas[k] * sigmas[k]
        for a in range(m):
            if h[a] != 0.0:
                for b in range(m):
                    s += h[a] * cov[a, b] * h[b]
        here = vigil.prior[k]
        here[OFF], here[VARIANCE] = off, s
        here[REJECTED] = here[REJECTED] + 1.0 if off * off > gate * gate * s else 0.0
        here[SURPRISE] += (min(off * off / s, gate * gate) - 1.0 - here[SURPRISE]) / _SURPRISE_MEMORY
        stirred = stirred or abs(off) > gate * sigmas[k]
        vigil.report[0, i], vigil.report[1, i], vigil.report[2, i] = off / s**0.5, readings[k], h[m]
    return stirred


@inner
def _is_convinced(vigil: Vigil) -> bool:
    """Whether readings that do not fit are many enough for the twin to be wrong."""
    heard, far = 0, 0
    for i in range(len(vigil.channels)):
        if vigil.sensors[i].named == SOUND:
            heard += 1 if vigil.sensors[i].still > 0.0 else 0
            far += 1 if vigil.prior[vigil.channels[i], REJECTED] >= _CONVINCED else 0
    return far > 0 and (2 * far > heard or vigil.pace[ALERT] > 0.0)


@inner
def _is_surprised(n: int, m: int, vigil: Vigil) -> bool:
    """Whether several sound sensors contradict the model at once, and some bias may have jumped: a load."""
    jump, witnesses, far = 0.0, 0, 0
    for i in range(n, m):
        jump = max(jump, vigil.spread[i])
    for i in range(len(vigil.channels)):
        here = vigil.prior[vigil.channels[i]]
        if vigil.sensors[i].named == SOUND:
            witnesses += 1 if here[SURPRISE] > _SURPRISE else 0
            far += 1 if here[REJECTED] > 0.0 else 0
    return jump > 0.0 and (witnesses >= _WITNESSES or far >= _AT_ONCE)


@outlined
def weigh(
    plan: Plan,
    readings: Array,
    sigmas: Array,
    gate: float,
    known: bool,
    slope: Array,
    cov: Array,
    m: int,
    vigil: Vigil,
    time: float,
    system: Array,
    spare: Array,
    turned: Array,
) -> float:
    """Widen the covariance where the twin must doubt itself; returns the gate that holds this time.

    After commands that nobody knew it doubts whether it moves: friction is steep around rest, and linearised
    there rest seems almost certain. Readings of named sensors are taken out. The last three are scratch.
    """
    n, free = plan.head[0].states, plan.head[0].free
    stirred = _look(n, m, readings, sigmas, gate, slope, cov, vigil)
    vigil.pace[ALERT] = max(vigil.pace[ALERT] - 1.0, 0.0) if known else ALERT_FOR
    first, last, surprised = 0, 0, False
    if _is_convinced(vigil):
        last = m
    elif _is_surprised(n, m, vigil):
        surprised = True
        span = min(max(time - vigil.whole[0].time, _LATEST), _EARLIEST)
        vigil.pace[SETTLED] = time + _SETTLES
        allow_for_loads(plan, m, slope, span, vigil.spread[n:], vigil.hanging, cov, system, spare, turned)
    elif stirred and not known:
        first, last = free, 2 * free
    if last == m or surprised:
        for i in range(len(vigil.channels)):
            vigil.prior[vigil.channels[i], REJECTED], vigil.prior[vigil.channels[i], SURPRISE] = 0.0, 0.0
    for i in range(first, last):
        cov[i, i] += vigil.spread[i] * vigil.spread[i]
    for i in range(len(vigil.channels)):
        if vigil.sensors[i].named != SOUND:
            readings[vigil.channels[i]] = np.nan
    return np.inf if last > first or surprised else gate


@inner
def hold_steady(plan: Plan, time: float, vigil: Vigil, learned: Array) -> None:
    """While a load settles nothing is learned but the load itself, and not how it swings."""
    n, free = plan.head[0].states, plan.head[0].free
    if time < vigil.pace[SETTLED]:
        for i in range(n, len(vigil.spread)):
            learned[i] *= 1.0 if vigil.spread[i] > 0.0 else 0.0
        for i in range(len(vigil.hanging)):
            learned[vigil.hanging[i]], learned[free + vigil.hanging[i]] = 0.0, 0.0


@outlined
def conclude(time: float, gate: float, seen: Array, vigil: Vigil) -> bool:
    """Note what was fused and let the watch judge; tells whether the filter has been lost for long enough.

    seen: innovations of what was fused and their variances; of named sensors, those that they would have had.
    """
    nis = 0.0
    for i in range(len(vigil.channels)):
        k = vigil.channels[i]
        if isfinite(seen[k, 0]):
            nis += seen[k, 0] * seen[k, 0] / seen[k, 1]
        elif isfinite(vigil.report[0, i]):
            seen[k, 0], seen[k, 1] = vigil.prior[k, OFF], vigil.prior[k, VARIANCE]
    vigil.pace[NIS] = nis
    judge(time, vigil.report[0], vigil.report[1], vigil.report[2], gate, vigil.sensors, vigil.whole)
    return bool(time - vigil.whole[0].suspected >= HOLD)
