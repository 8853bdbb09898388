"""The level of a part's duty, and how it differs between parts, scatters and drifts.

The logarithm of a quarter's duty is a level that walks at random, plus scatter; the level of a part starts
somewhere within its fleet. A Kalman filter with two numbers follows it. So one rule covers few data,
a long history, no history and drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simcore.prognosis.readings import DutyHistory, Numbers

QUARTER = 13  # weeks: longer than weather and contracts last, short enough to show a season
YEAR = 4  # quarters
_STANDSTILL = 0.05  # of the mean: a quarter below it counts as standing, not as a level (assumed)
_LEAST_PARTS = 5  # parts from which scatter and drift are estimated (assumed)


@dataclass(frozen=True)
class LevelPrior:
    """What is known of the logarithm of a duty before a part's own history."""

    mean: float
    between: float  # variance between parts
    within: float  # variance of a quarter about the level, seasons included
    walk: float  # variance of the level's change in a quarter


@dataclass(frozen=True)
class Level:
    """The logarithm of a duty now."""

    mean: float
    variance: float
    walk: float  # variance of its change in a quarter
    scatter: float  # variance of a quarter about the level


@dataclass(frozen=True)
class Quarters:
    """Logarithms of a duty in each quarter, oldest first, and how much of a quarter each one saw."""

    logs: Numbers
    seen: Numbers


def severity_quarters(history: DutyHistory) -> Quarters:
    """Damage per recorded hour."""
    damage, recorded, worked = (
        _by_quarter(weeks) for weeks in (history.week_damage, history.week_recorded, history.week_hours)
    )
    usual = worked.mean() if len(worked) else 0.0
    return _quarters(damage, recorded, recorded / usual if usual > 0.0 else recorded)


def hours_quarters(history: DutyHistory) -> Quarters:
    """Hours per week."""
    weeks = _by_quarter(np.ones_like(history.week_hours))
    return _quarters(_by_quarter(history.week_hours), weeks, weeks / QUARTER)


def follow(prior: LevelPrior, quarters: Quarters) -> Level:
    """The level after a part's own history."""
    mean, variance = prior.mean, prior.between
    for log, seen in zip(quarters.logs, quarters.seen, strict=True):
        variance += prior.walk
        gain = variance / (variance + prior.within / seen)
        mean += gain * (log - mean)
        variance *= 1.0 - gain
    return Level(mean, variance, prior.walk, prior.within)


def fleet_prior(fleet: Sequence[Quarters], start: LevelPrior) -> LevelPrior:
    """The prior that a fleet's histories give; `start` where they are too few or too short."""
    logs = [part.logs for part in fleet if len(part.logs) > 0]
    if not logs:
        return start
    means = np.array([part.mean() for part in logs])
    long = [part for part in logs if len(part) >= YEAR]
    if len(long) < _LEAST_PARTS:
        # the mean of few parts is itself uncertain by a share of their spread
        return LevelPrior(
            float(means.mean()), start.between * (1.0 + 1.0 / len(means)), start.within, start.walk
        )
    walk = _walk(long, start.walk)
    counts = np.array([len(part) for part in long], dtype=float)
    squares = np.array([part.var(ddof=1) for part in long])
    # a random walk of n steps has the variance n/6 about its own mean
    within = float(np.average(squares - walk * counts / 6.0, weights=counts - 1.0))
    within = max(within, 0.1 * float(np.average(squares, weights=counts - 1.0)))
    sampling = float(np.mean(within / counts + walk * counts / 3.0))
    spread = float(np.var([part.mean() for part in long], ddof=1))
    between = max(spread - sampling, 0.1 * spread) * (1.0 + 1.0 / len(long))
    return LevelPrior(float(means.mean()), between, within, walk)


def _walk(parts: Sequence[Numbers], start: float) -> float:
    """Variance of the drift in a quarter: slope of the variogram over whole years, where seasons cancel."""
    lags, squares, pairs = [], [], []
    for lag in range(YEAR, max(len(part) for part in parts), YEAR):
        steps = np.concatenate([part[lag:] - part[:-lag] for part in parts if len(part) > lag])
        if len(steps) >= _LEAST_PARTS:
            lags.append(lag)
            squares.append(float(np.mean(steps**2)))
            pairs.append(len(steps))
    if len(lags) < 2:
        return start
    slope = np.polyfit(lags, squares, 1, w=np.sqrt(pairs))[0]
    return max(float(slope), 0.0)


def _by_quarter(weeks: Numbers) -> Numbers:
    """Sums by quarter; the quarters end with the last week, and the oldest may be short."""
    if len(weeks) == 0:
        return np.zeros(0)
    starts = np.arange(len(weeks) % QUARTER, len(weeks), QUARTER)
    if len(weeks) % QUARTER:
        starts = np.concatenate([[0], starts])
    return np.asarray(np.add.reduceat(weeks, starts), dtype=float)


def _quarters(amount: Numbers, per: Numbers, seen: Numbers) -> Quarters:
    total = per.sum()
    usual = amount.sum() / total if total > 0.0 else 0.0
    some = (per > 0.0) & (amount > _STANDSTILL * usual * per)
    return Quarters(np.log(amount[some] / per[some]), np.minimum(seen[some], 1.0))
