"""Learns the resolution of a sensor: the smallest step by which its readings differ.

Differences of the readings of a digital sensor are whole multiples of its last digit q. Euclid's algorithm
finds q from them: any other difference than a multiple of the present candidate leaves a remainder, which
becomes the next one. Differences of a fine sensor have no common divisor; their remainders soon fall below
its noise.

Rounding to q adds an error of variance q²/12. It stays the same while the reading does, so the k-th of equal
readings counts with k times that variance: a digit that is read a hundred times is known no better.
"""

from __future__ import annotations

from simcore.kernels.jit import inner
from simcore.model.plan import Records

UNKNOWN, FINE, COARSE = range(3)  # resolution: not yet known, far below the noise, known

_FINE = 0.1  # of the noise: a digit this small changes nothing
_MULTIPLE = 0.05  # of the digit, by which a multiple of it may be off: readings are converted and rounded
_PROOF = 12.0  # multiples in a row; chance for a fine sensor: (2 · 0.05)^12
_FEWEST = 3.0  # times that a candidate must fall below the noise before the sensor counts as fine
_MOST_PROOF = 50.0  # so that a sensor that was exchanged is learned again within ten readings
_DISPROOF = 5.0  # multiples that one other difference outweighs
_VARIANCE = 12.0  # of a digit: q²/12
_MOST_EQUAL = 50.0  # equal readings counted: a twin that heeds a coarse sensor less may leave it


@inner
def learn_resolution(here: Records, time: float, reading: float) -> None:
    """Learn from a reading that follows `here.last`."""
    change = abs(reading - here.last)
    here.last = reading
    # the first reading (NaN) and an equal one say nothing
    if not change > 1e-3 * _FINE * here.sigma:
        return
    if here.digit == 0.0:
        here.digit = change
        return
    times = round(change / here.digit)
    rest = abs(change - times * here.digit)
    if times >= 1 and rest <= _MULTIPLE * here.digit:
        here.proof = min(here.proof + 1.0, _MOST_PROOF)
        if here.proof >= _PROOF and here.resolved != COARSE:
            here.resolved, here.resolved_at = COARSE, time
        return
    here.proof -= _DISPROOF
    if here.proof <= 0.0:
        here.proof, here.digit = 0.0, rest
        if here.resolved == COARSE:
            here.resolved, here.fine = UNKNOWN, 0.0
        if rest < _FINE * here.sigma:
            here.digit = 0.0
            here.fine += 1.0
            if here.fine >= _FEWEST:
                here.resolved = FINE


@inner
def step_of(here: Records) -> float:
    """Largest step that the readings may have, unit of the channel: known, or possible so far."""
    if here.resolved == FINE:
        return 0.0
    if here.resolved == COARSE:
        return float(here.digit)
    return float(min(here.digit, here.coarsest) if here.digit > 0.0 else here.coarsest)


@inner
def noise_of(here: Records, reading: float) -> float:
    """Standard deviation of a reading: the described noise, or that of its last digit if it is larger."""
    if here.resolved != COARSE:
        return float(here.sigma)
    equal = 1.0 + (min(here.still, _MOST_EQUAL) if abs(reading - here.reading) < 0.5 * here.digit else 0.0)
    return float(max(here.sigma, here.digit * (equal / _VARIANCE) ** 0.5))
