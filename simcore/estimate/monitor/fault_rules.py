"""Decides after each correction whether sensors and filter are healthy.

docs/methods/filter-health.md explains the rules and the sources of their numbers.
"""

from __future__ import annotations

import math
from math import exp, isfinite

import numpy as np

from simcore.estimate.monitor.resolution import learn_resolution, step_of
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import Records
from simcore.model.workspace import Array

HEALTHY, SILENT, _STUCK, _BIASED, _OUTLYING = range(5)

_MEMORY = 2.0  # s over which innovations are remembered
_FEWEST = 10.0  # readings before their mean is judged
_SILENT_PERIODS = 20.0  # with 30 % loss a gap this long has a chance of 3e-11
_SILENT_TIME = 0.2  # s at least
_STILL_READINGS = 20.0  # as good as equal: chance of noise 1e-25
_STILL_TIME = 0.3  # s at least
_STILL_SHARE = 0.1  # of the noise by which equal readings may differ
EXPECTED_CHANGE = 6.0  # standard deviations of the noise: more than one digit of the coarsest encoder
DIGITS = 3.0  # steps of a coarse sensor that an expectation may pass while the reading stays
_CALM = 0.5  # times the noise: largest change of the expectation at which readings differ by noise only
_CALM_READINGS = 50.0  # before a sensor is known to be noisy
_CALM_MEMORY = 500.0  # readings
_NOISY = 0.7  # share of calm readings that differ from the one before; white noise has 0.94
_MOVING = 2.0  # times the noise: standard deviation of the expectation over the memory
DENIAL = 9.0  # mean square of normalised innovations in a run; a digit of √12 noises makes a little over 3
_CONTRADICTION = 4.0  # mean square of normalised innovations, one expected
_BIAS_LEAST = 0.5  # mean normalised innovation
_BIAS_CHANCE = 6.0  # standard deviations of that mean
_BIAS_LEAD = 1.5  # times as large as of any other sensor
# the same for a sensor with a class of constant errors: they are allowed for, and this is far beyond
_CLASSED_LEAST, _CLASSED_LEAD = 3.0, 3.0
_OUTLYING_SHARE = 0.1
_OUTLYING_LEAST = 8.0  # readings outside the gate at least
_OUTLYING_LEAD = 3.0  # times as many as of any other sensor: where several have them, the model is wrong
_LASTING = 0.7  # share of a limit below which a fault ends
HOLD = 1.0  # s that a fault must last before it is reported
_STILL_HOLD = 0.1  # the same for stuck readings

SENSOR = np.dtype(
    [
        ("sigma", "f8"),  # of its noise, unit of the channel
        ("coarsest", "f8"),  # resolution that it may have, unit of the channel
        ("classed", "f8"),  # 1: its constant error has a class, which the twin allows for
        ("last", "f8"),  # last reading
        ("digit", "f8"),  # candidate for its resolution (resolution.py), unit of the channel; 0: none
        ("proof", "f8"),  # differences in a row that were multiples of it
        ("fine", "f8"),  # candidates that fell below the noise
        ("resolved", "f8"),  # UNKNOWN, FINE, COARSE
        ("resolved_at", "f8"),  # s
        ("period", "f8"),  # s
        ("time", "f8"),  # of the last reading, s
        ("reading", "f8"),  # with which the present run of equal readings began
        ("still", "f8"),  # readings in that run
        ("still_since", "f8"),  # s
        ("low", "f8"),  # expected least and most in that run, or since the filter was restarted
        ("high", "f8"),
        ("still_square", "f8"),  # sum of squared normalised innovations in that run
        ("still_calm", "f8"),  # readings in that run before which the model hardly moved
        ("expected", "f8"),  # by the model at the last reading
        ("calm", "f8"),  # readings while the model hardly moved, fading
        ("calm_changes", "f8"),  # of these, other than the reading before
        ("weight", "f8"),  # sums over the memory: of the weights,
        ("weight_square", "f8"),  # of their squares,
        ("total", "f8"),  # of normalised innovations, cut at the gate,
        ("square", "f8"),  # of their squares,
        ("shift", "f8"),  # of innovations in the unit of the channel,
        ("beyond_gate", "f8"),  # of single readings outside the gate,
        ("run", "f8"),  # readings in a row that were outside the gate, up to the last one
        ("spread", "f8"),  # of squared deviations of the expectation from its mean,
        ("mean", "f8"),  # which is this
        ("suspected_fault", "f8"),  # fault that it may have: HEALTHY, SILENT, ...
        ("suspected_at", "f8"),  # when that was first suspected, s
        ("since", "f8"),  # when it began, s
        ("fault", "f8"),  # fault that has lasted long enough to be reported
    ],
    align=True,
)
FILTER = np.dtype(
    [
        ("time", "f8"),  # of the last correction, s; NaN before the first
        ("suspected_at", "f8"),  # since when most sensors contradict it, s, or NaN
    ],
    align=True,
)


@inner
def _remember(here: Records, time: float, nu: float, reading: float, expected: float, gate: float) -> None:
    """Add one reading to the sums; the weight of older readings decreases with age."""
    keep = exp(-(time - here.time) / _MEMORY)
    cut = min(max(nu, -gate), gate)
    here.weight = keep * here.weight + 1.0
    here.weight_square = keep * keep * here.weight_square + 1.0
    here.total = keep * here.total + cut
    here.square = keep * here.square + cut * cut
    here.shift = keep * here.shift + reading - expected
    # several readings in a row are a twin that is wrong there, not a sensor that sends impossible values
    beyond = 1.0 if abs(nu) > gate else 0.0
    here.beyond_gate = keep * here.beyond_gate + (1.0 if beyond == 0.0 and here.run == 1.0 else 0.0)
    here.run = (here.run + 1.0) * beyond
    off = expected - here.mean
    here.mean += off / here.weight
    here.spread = keep * here.spread + off * (expected - here.mean)


@inner
def _learn_noise(here: Records, calm: float) -> None:
    """Learn whether readings change through noise alone; called at the end of a series of equal readings."""
    keep = exp(-here.still / _CALM_MEMORY)
    here.calm = keep * here.calm + here.still_calm + calm
    here.calm_changes = keep * here.calm_changes + calm


@inner
def _follow_run(here: Records, time: float, nu: float, reading: float, expected: float) -> None:
    """Count readings that are practically equal, and track what the model expected meanwhile."""
    calm = 1.0 if abs(expected - here.expected) < _CALM * here.sigma else 0.0
    if here.still == 0.0 or abs(reading - here.reading) > _STILL_SHARE * here.sigma:
        if here.still > 0.0:
            _learn_noise(here, calm)
        here.reading, here.still, here.still_since, here.still_calm = reading, 0.0, time, 0.0
        here.low, here.high, here.still_square = expected, expected, 0.0
    else:
        here.still_calm += calm
    here.still += 1.0
    here.low, here.high = min(here.low, expected), max(here.high, expected)
    here.still_square += nu * nu
    here.expected = expected


@inner
def _evidence(here: Records) -> float:
    """Number of independent readings that the sums are equivalent to."""
    return here.weight * here.weight / here.weight_square if here.weight_square > 0.0 else 0.0


@inner
def _is_silent(here: Records, time: float) -> bool:
    return bool(time - here.time > max(_SILENT_PERIODS * here.period, _SILENT_TIME))


@inner
def _moves(here: Records) -> bool:
    return bool(here.spread > _MOVING * _MOVING * here.sigma * here.sigma * here.weight)


@inner
def _is_noisy(here: Records) -> bool:
    return bool(here.calm > _CALM_READINGS and here.calm_changes > _NOISY * here.calm)


@inner
def _is_stuck(here: Records, moving: bool) -> bool:
    """Whether readings stay equal although the model expects others, or noise and motion should show."""
    if here.still < _STILL_READINGS or here.time - here.still_since < _STILL_TIME:
        return False
    passed_by = here.high - here.low > EXPECTED_CHANGE * here.sigma + DIGITS * step_of(here)
    denied = here.still_square > DENIAL * here.still
    return bool(passed_by or denied or (moving and _is_noisy(here)))


@inner
def _contradicts(here: Records) -> bool:
    return bool(_evidence(here) >= _FEWEST and here.square > _CONTRADICTION * here.weight)


@inner
def _speaks(here: Records) -> bool:
    """Whether the innovations of a sensor count, because it is neither silent nor stuck."""
    return bool(here.suspected_fault != SILENT and here.suspected_fault != _STUCK)


@inner
def _largest_other_mean(sensors: Records, but: int) -> float:
    """Largest mean normalised innovation among the other sensors that are neither silent nor stuck."""
    most = 0.0
    for k in range(len(sensors)):
        other = sensors[k]
        if k != but and _speaks(other) and other.weight > 0.0:
            most = max(most, abs(other.total) / other.weight)
    return most


@inner
def _is_biased(sensors: Records, i: int) -> bool:
    """Whether a sensor is persistently off, more than any other and by more than its last digit."""
    here = sensors[i]
    evidence = _evidence(here)
    if here.still >= _STILL_READINGS:
        return False
    if evidence < _FEWEST:
        return bool(here.fault == _BIASED)  # a fault lasts until its sensor has shown that it is healthy
    least = _CLASSED_LEAST if here.classed > 0.0 else _BIAS_LEAST
    lead = _CLASSED_LEAD if here.classed > 0.0 else _BIAS_LEAD
    limit = max(least, _BIAS_CHANCE / evidence**0.5)
    limit *= _LASTING if here.fault == _BIASED else 1.0
    mean = abs(here.total) / here.weight
    return bool(mean > limit and mean > lead * _largest_other_mean(sensors, i))


@inner
def _most_other_outliers(sensors: Records, but: int) -> float:
    """Largest share of single readings outside the gate among the other sensors."""
    most = 0.0
    for k in range(len(sensors)):
        if k != but and sensors[k].weight > 0.0:
            most = max(most, sensors[k].beyond_gate / sensors[k].weight)
    return most


@inner
def _is_outlying(sensors: Records, i: int) -> bool:
    """Whether a sensor often sends single readings that are impossible, and no other does."""
    here = sensors[i]
    evidence = _evidence(here)
    if evidence < _FEWEST:
        return bool(here.fault == _OUTLYING)
    limit = max(_OUTLYING_SHARE, _OUTLYING_LEAST / evidence)
    limit *= _LASTING if here.fault == _OUTLYING else 1.0
    share = here.beyond_gate / here.weight
    return bool(share > limit and share > _OUTLYING_LEAD * _most_other_outliers(sensors, i))


@inner
def _set_suspicion(here: Records, what: int, time: float, begin: float, hold: float) -> None:
    """Report a fault that has been suspected for long enough; withdraw it when the suspicion ends."""
    if here.suspected_fault != what:
        here.suspected_fault, here.suspected_at, here.since, here.fault = what, time, begin, HEALTHY
    if time - here.suspected_at >= hold:
        here.fault = what


@inner
def _take(time: float, nu: float, reading: float, expected: float, gate: float, here: Records) -> None:
    """Process the reading of one sensor, if there is one."""
    if not isfinite(here.time):
        here.time = time
    if isfinite(nu) and isfinite(reading) and isfinite(expected):
        learn_resolution(here, time, reading)
        _remember(here, time, nu, reading, expected, gate)
        _follow_run(here, time, nu, reading, expected)
        here.time = time


@inner
def _judge_readings(here: Records, moving: bool, time: float) -> None:
    """Judge faults that show in a sensor's own readings."""
    if _is_silent(here, time):
        _set_suspicion(here, SILENT, time, here.time, 0.0)
    elif _is_stuck(here, moving):
        _set_suspicion(here, _STUCK, time, here.still_since, _STILL_HOLD)
    elif not _speaks(here):
        _set_suspicion(here, HEALTHY, time, time, 0.0)


@inner
def _judge_filter(sensors: Records, overall: Records, time: float) -> bool:
    """Judge the filter: it is wrong if most sensors contradict it."""
    usable, against = 0, 0
    for i in range(len(sensors)):
        if _speaks(sensors[i]):
            usable += 1
            against += 1 if _contradicts(sensors[i]) else 0
    lost = 2 * against > usable
    if not lost:
        overall.suspected_at = math.nan
    elif not isfinite(overall.suspected_at):
        overall.suspected_at = time
    return lost


@inner
def _judge_innovations(sensors: Records, i: int, time: float) -> None:
    """Judge faults that show in a sensor's innovations, compared with those of the others."""
    if _is_biased(sensors, i):
        _set_suspicion(sensors[i], _BIASED, time, time, HOLD)
    elif _is_outlying(sensors, i):
        _set_suspicion(sensors[i], _OUTLYING, time, time, HOLD)
    else:
        _set_suspicion(sensors[i], HEALTHY, time, time, 0.0)


@kernel
def judge(
    time: float,
    normalised: Array,
    readings: Array,
    expected: Array,
    gate: float,
    sensors: Records,
    overall: Records,
) -> None:
    """Process one correction and judge all sensors and the filter."""
    overall[0].time = time
    moving, explained = False, False
    for i in range(len(sensors)):
        _take(time, normalised[i], readings[i], expected[i], gate, sensors[i])
        moving = moving or (_moves(sensors[i]) and not _is_silent(sensors[i], time))
    for i in range(len(sensors)):
        _judge_readings(sensors[i], moving, time)
        explained = explained or sensors[i].suspected_fault == _STUCK
    # a lost filter or a stuck sensor makes others look wrong
    explained = _judge_filter(sensors, overall[0], time) or explained
    for i in range(len(sensors)):
        if _speaks(sensors[i]):
            if explained:
                _set_suspicion(sensors[i], HEALTHY, time, time, 0.0)
            else:
                _judge_innovations(sensors, i, time)
