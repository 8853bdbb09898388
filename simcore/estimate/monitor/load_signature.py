"""Recognises a load that was suddenly picked up or put down by the innovations that only a load can cause.

A load change j at a moment θ makes the error v j of states and biases, v = 1 on the payload at θ. Since then
v went through the same steps and corrections as any other error, and every reading has shown a part of it
(Willsky and Jones 1976; docs/methods/weighing.md):

    v ← F v,   then for each reading   v ← (I - K h) v,   y = h v j + white noise of variance S

Least squares over the readings since θ gives j and its variance, and says how much of the innovations a load
explains. Several moments θ are candidates at a time, dense in the near past and sparse further back.
"""

from __future__ import annotations

from math import isfinite

import numpy as np

from simcore.kernels.jit import inner, outlined
from simcore.model.workspace import Array

# columns of the evidence of a candidate
ONSET = 0  # θ, s; NaN: no candidate
INFORMATION = 1  # Σ (h v)²/S
MATCH = 2  # Σ (h v) y/S
ENERGY = 3  # Σ y²/S, each at most 9
READINGS = 4
LARGEST = 5  # largest part of MATCH that a single reading made
EVIDENCE = 6
CANDIDATES = 10

_WINDOW = 1.5  # s, how long ago a load may have come: later the twin has taken it for something else
CLEAR = 30.0  # squared standard deviations that a load must explain: a chance of 4e-8 for each candidate
_UNEXPLAINED = 0.25  # share of the explained that may stay unexplained, beside noise (assumed)
_NOISE = 4.0  # standard deviations of the unexplained sum of squares of white noise
_EARLIEST = 0.09  # s after which a load shows in more than one sensor, and a faulty sensor does not (assumed)
_WORKS = 1.5  # times as much must be clear while the machine works: the model bounces otherwise than it
_HINT = 0.3  # of what is clear
_CUT = 5.0  # standard deviations that a reading counts at most
_MISFIT = 3.0  # standard deviations that a reading counts at most against a load: others move as well
_LINEAR = 1.0  # share of a load change to which a linear signature is known: the load adds inertia (assumed)
_LEAST = 2.0  # standard deviations of a known load: a smaller change is left to the usual filter
_MOST = 4.0  # standard deviations of a load change: no machine lifts more


@inner
def forget_candidates(evidence: Array) -> None:
    """Begin again: what came before now is no evidence of a load."""
    for c in range(len(evidence)):
        evidence[c, ONSET] = np.nan


@inner
def _oldest_or_densest(time: float, evidence: Array) -> int:
    """Candidate that is missed least: none yet, too old, or close to its neighbours for its age."""
    found, least = 0, np.inf
    for c in range(len(evidence)):
        onset = evidence[c, ONSET]
        if not isfinite(onset) or time - onset > _WINDOW:
            return c
        before, after = onset - _WINDOW, time
        for other in range(len(evidence)):
            there = evidence[other, ONSET]
            if there < onset:
                before = max(before, there)
            elif there > onset:
                after = min(after, there)
        gap = (after - before) / (time - onset)
        if gap < least:
            found, least = c, gap
    return found


@inner
def add_candidate(time: float, payload: int, signatures: Array, at: int, evidence: Array) -> None:
    """From now on, follow the signature of a load that comes now. payload: its row in the covariance."""
    c = _oldest_or_densest(time, evidence)
    for i in range(len(signatures)):
        signatures[i, at + c] = 1.0 if i == payload else 0.0
    evidence[c, ONSET] = time
    for k in range(1, EVIDENCE):
        evidence[c, k] = 0.0


@inner
def weigh_evidence(innovation: float, s: float, usual: float, seen: Array, at: int, evidence: Array) -> None:
    """Count a reading, but not further off than the gate: there nothing is linear, or it is an outlier.

    usual: mean square of the sensor's normalised innovations; where it is above one, the model errs there
    without a load as well. seen: h v of every column; those of the candidates begin at `at`.
    """
    s *= max(usual, 1.0)
    most = _CUT * s**0.5
    innovation = min(max(innovation, -most), most)
    energy = min(innovation * innovation / s, _MISFIT * _MISFIT)
    for c in range(len(evidence)):
        here, part = evidence[c], seen[at + c]
        match = part * innovation / s
        here[INFORMATION] += part * part / s
        here[MATCH] += match
        here[ENERGY] += energy
        here[READINGS] += 1.0
        if abs(match) > abs(here[LARGEST]):
            here[LARGEST] = match


@inner
def _explained(here: Array, prior: float, clear: float) -> float:
    """What a load explains of the sum of squares, if it explains most of it and not by one reading; or 0."""
    weight = here[INFORMATION] + prior
    explained = here[MATCH] * here[MATCH] / weight
    rest = here[ENERGY] - here[READINGS] - explained
    noise = _NOISE * (2.0 * here[READINGS]) ** 0.5
    without = here[MATCH] - here[LARGEST]
    single = without * here[MATCH] <= 0.0 or without * without < 0.25 * clear * weight
    if explained < clear or single or rest > max(_UNEXPLAINED * explained, noise):
        return 0.0
    return float(explained)


@outlined
def find_load_change(
    time: float, works: bool, payload: int, change: float, carried: float, evidence: Array, cov: Array
) -> int:
    """Candidate that explains the innovations best as a load change that is possible, or -1.

    works: whether a lever was moved lately. change: standard deviation of a load change. carried: load as
    known so far. Filter units of the payload.
    """
    found, most, prior = -1, 0.0, 1.0 / (change * change)
    clear = _WORKS * CLEAR if works else CLEAR
    for c in range(len(evidence)):
        here = evidence[c]
        if not time - here[ONSET] > _EARLIEST:
            continue
        explained = _explained(here, prior, clear)
        if explained > most:
            j = here[MATCH] / (here[INFORMATION] + prior)
            unsure = 3.0 * (1.0 / (here[INFORMATION] + prior) + cov[payload, payload]) ** 0.5
            if abs(j) > _LEAST and -unsure < carried + j < _MOST * change + unsure:
                found, most = c, explained
    return found


@inner
def may_be_load(change: float, evidence: Array) -> bool:
    """Whether a load change may be about to show."""
    found = False
    for c in range(len(evidence)):
        here = evidence[c]
        if isfinite(here[ONSET]) and here[READINGS] > 0.0:
            explained = here[MATCH] * here[MATCH] / (here[INFORMATION] + 1.0 / (change * change))
            rest = here[ENERGY] - here[READINGS] - explained
            found = found or (explained > _HINT * CLEAR and rest < explained)
    return found


@outlined
def take_load_change(
    n: int,
    payload: int,
    c: int,
    change: float,
    signatures: Array,
    at: int,
    evidence: Array,
    dx: Array,
    cov: Array,
) -> None:
    """Add a found load change to the correction dx, and its variance, with what it has moved since.

    Other biases stay: in that time they have learned little of it, and a heavy load may not throw them off.
    """
    information = evidence[c, INFORMATION] + 1.0 / (change * change)
    j = evidence[c, MATCH] / information
    variance = max(1.0 / information, _LINEAR * _LINEAR * j * j, 0.25 * change * change)
    for i in range(len(dx)):
        if i < n or i == payload:
            moved = signatures[i, at + c]
            dx[i] += j * moved
            for k in range(len(dx)):
                if k < n or k == payload:
                    cov[i, k] += variance * moved * signatures[k, at + c]
            if i < n:
                cov[i, i] += _LINEAR * _LINEAR * j * j * moved * moved
