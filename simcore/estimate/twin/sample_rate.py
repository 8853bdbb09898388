"""Observes how often a machine sends readings, and says when that is too rarely for its twin."""

from __future__ import annotations

from simcore.messages import Message
from simcore.model.workspace import Array

PERIOD, SLOW_SINCE = range(2)  # mean time from one reading to the next, s; when that became too long, s
RATE = 2  # size of the memory; zeros: nothing observed yet
_MEMORY = 2.0  # s over which intervals are averaged
_LONGEST = 3.0  # periods by which a single interval counts at most: a gap is no change of rate
_TOLERATED = 0.9  # share of the rate that is needed, below which samples are too rare: jitter and loss
_SPARSE = 0.5  # s from sample to sample, beyond which oil and speeds are forgotten in between


def observe(rate: Array, time: float, interval: float, least: float | None) -> None:
    """Add the time since the reading before, s. least: rate that the machine's twin needs, Hz."""
    if interval <= 0.0:
        return
    usual = float(rate[PERIOD]) or interval
    counted = min(interval, _LONGEST * usual)
    rate[PERIOD] = usual + (counted - usual) * min(1.0, counted / _MEMORY)
    if not is_slow(rate, least):
        rate[SLOW_SINCE] = 0.0
    elif rate[SLOW_SINCE] == 0.0:
        rate[SLOW_SINCE] = time


def is_slow(rate: Array, least: float | None) -> bool:
    """Whether samples come too rarely for this machine."""
    return is_sparse(rate) or (least is not None and rate[PERIOD] * least * _TOLERATED > 1.0)


def is_sparse(rate: Array) -> bool:
    """Whether samples come so rarely that only slow quantities and measured ones are known."""
    return bool(rate[PERIOD] > _SPARSE)


def complaint(rate: Array, least: float | None) -> Message | None:
    """What there is to say about the rate."""
    if not is_slow(rate, least):
        return None
    observed = float(1.0 / rate[PERIOD])
    if is_sparse(rate):
        return Message("telemetry.sparse", {"rate": observed})
    return Message("telemetry.slow", {"rate": observed, "needed": float(least or 0.0)})
