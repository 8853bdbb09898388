"""Duty to come: blocks of past weeks at a level that drifts, until a given damage is reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simcore.prognosis.catalogue import Catalogue
from simcore.prognosis.duty_level import (
    QUARTER,
    YEAR,
    Level,
    LevelPrior,
    Quarters,
    fleet_prior,
    follow,
    hours_quarters,
    severity_quarters,
)
from simcore.prognosis.readings import WEEK, DutyHistory, Numbers, week_of_year

_LAST_QUARTER = 60 * YEAR  # a forecast looks 60 years ahead, then goes on at the last level
_SEASON = 3  # weeks by which the season of a block may differ
_OWN_WEEKS = 2 * QUARTER  # from here on a part's own weeks are played, before that its fleet's
# spread of duties when no fleet is known (assumed): severity by 40 %, hours by 50 %, a quarter by 30 %,
# drift by 10 % in a year
_SEVERITY = (0.4**2, 0.3**2, 0.1**2 / YEAR)
_HOURS = (0.5**2, 0.3**2, 0.1**2 / YEAR)


@dataclass(frozen=True)
class Weeks:
    """Weeks to play again, relative to the level of the part that they come from."""

    hours: Numbers
    severity: Numbers
    season: NDArray[np.int64]  # week of the year


@dataclass(frozen=True)
class DutyPrior:
    """Duty of a part without history. source: "fleet" or "catalogue"."""

    severity: LevelPrior
    hours: LevelPrior
    weeks: Weeks
    source: str


@dataclass(frozen=True)
class Duty:
    """Duty of a part now. source: where the weeks to play come from, "part", "fleet" or "catalogue"."""

    severity: Level  # of damage per hour
    hours: Level  # of hours per week
    weeks: Weeks
    source: str


def catalogue_duty(catalogue: Catalogue) -> DutyPrior:
    one = np.ones(1)
    return DutyPrior(
        LevelPrior(math.log(catalogue.severity), *_SEVERITY),
        LevelPrior(math.log(catalogue.hours_per_week), *_HOURS),
        Weeks(one, one, np.zeros(1, dtype=np.int64)),
        "catalogue",
    )


def fleet_duty(catalogue: Catalogue, histories: Sequence[DutyHistory]) -> DutyPrior:
    """Duty of a fleet; the catalogue's where the fleet has recorded none."""
    start = catalogue_duty(catalogue)
    severities = [severity_quarters(history) for history in histories]
    hours = [hours_quarters(history) for history in histories]
    weeks = [
        _weeks(history, *levels)
        for history, *levels in zip(histories, severities, hours, strict=True)
        if _playable(history, levels[0])
    ]
    if not weeks:
        return start
    together = Weeks(
        *(np.concatenate([getattr(w, f) for w in weeks]) for f in ("hours", "severity", "season"))
    )
    return DutyPrior(
        fleet_prior(severities, start.severity), fleet_prior(hours, start.hours), together, "fleet"
    )


def duty_of(history: DutyHistory, prior: DutyPrior) -> Duty:
    severity, hours = severity_quarters(history), hours_quarters(history)
    own = _playable(history, severity)
    return Duty(
        follow(prior.severity, severity),
        follow(prior.hours, hours),
        _weeks(history, severity, hours) if own else prior.weeks,
        "part" if own else prior.source,
    )


def until(damage: Numbers, duty: Duty, season: int, rng: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Hours and days until each draw has taken its damage, from a week of the year on."""
    n, weeks = len(damage), duty.weeks
    hours_sum, damage_sum, place = _running_sums(weeks)
    starts = [_starts(weeks.season, season + QUARTER * k) for k in range(YEAR)]
    severity = duty.severity.mean + math.sqrt(duty.severity.variance) * rng.standard_normal(n)
    pace = duty.hours.mean + math.sqrt(duty.hours.variance) * rng.standard_normal(n)
    hours, left = np.zeros(n), damage.astype(float)
    quarters = np.zeros(n)
    open_ = np.arange(n)
    for quarter in range(_LAST_QUARTER):
        severity[open_] += math.sqrt(duty.severity.walk) * rng.standard_normal(len(open_))
        pace[open_] += math.sqrt(duty.hours.walk) * rng.standard_normal(len(open_))
        rate, speed = np.exp(severity[open_] + pace[open_]), np.exp(pace[open_])
        first = rng.choice(starts[quarter % YEAR], len(open_))
        taken = rate * (damage_sum[first + QUARTER] - damage_sum[first])
        ends = taken >= left[open_]
        whole = open_[~ends]
        left[whole] -= taken[~ends]
        hours[whole] += (speed * (hours_sum[first + QUARTER] - hours_sum[first]))[~ends]
        quarters[whole] += 1.0
        at_end, begin = open_[ends], first[ends]
        end = np.interp(damage_sum[begin] + left[at_end] / rate[ends], damage_sum, place)
        hours[at_end] += speed[ends] * (np.interp(end, place, hours_sum) - hours_sum[begin])
        quarters[at_end] += (end - begin) / QUARTER
        left[at_end] = 0.0
        open_ = whole
        if len(open_) == 0:
            break
    more = left[open_] / np.exp(severity[open_])
    hours[open_] += more
    quarters[open_] += more / (QUARTER * np.exp(pace[open_]))
    return hours, WEEK * QUARTER * quarters


def _playable(history: DutyHistory, severity: Quarters) -> bool:
    return len(history.week_hours) >= _OWN_WEEKS and len(severity.logs) > 0


def _weeks(history: DutyHistory, severity: Quarters, hours: Quarters) -> Weeks:
    """A part's weeks over its mean level; weeks without a counter have the mean severity."""
    recorded = history.week_recorded
    level = math.exp(float(np.average(severity.logs, weights=severity.seen)))
    pace = math.exp(float(np.average(hours.logs, weights=hours.seen)))
    known = recorded > 0.0
    mean = history.week_damage.sum() / recorded.sum()
    rates = np.divide(history.week_damage, recorded, out=np.full(len(recorded), mean), where=known)
    return Weeks(history.week_hours / pace, rates / level, week_of_year(history))


def _running_sums(weeks: Weeks) -> tuple[Numbers, Numbers, Numbers]:
    """Sums of hours and damage before each week; after the last week come the first ones again."""
    order = np.arange(len(weeks.hours) + QUARTER) % len(weeks.hours)
    hours = np.concatenate([[0.0], np.cumsum(weeks.hours[order])])
    damage = np.concatenate([[0.0], np.cumsum((weeks.hours * weeks.severity)[order])])
    return hours, damage, np.arange(len(hours), dtype=float)


def _starts(season: NDArray[np.int64], wanted: int) -> NDArray[np.int64]:
    """Weeks at which a block of this season can begin; any week if the season was not seen."""
    apart = np.abs((season - wanted + 26) % 52 - 26)
    near = np.flatnonzero(apart <= _SEASON)
    return near if len(near) else np.arange(len(season))
