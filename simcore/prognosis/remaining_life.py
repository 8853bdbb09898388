"""Remaining life of a part: damage still to come over duty to come, given that it has survived to now."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simcore.prognosis.checks import positive
from simcore.prognosis.duty import Duty, DutyPrior, duty_of, until
from simcore.prognosis.duty_level import QUARTER
from simcore.prognosis.forecast import GRID, Forecast
from simcore.prognosis.life_laws import LifeLaw
from simcore.prognosis.readings import DutyHistory, Numbers, season_of

DRAWS = 1000
_CANDIDATES = 4  # laws of life tried for each one that is kept


def remaining_life(
    history: DutyHistory, law: LifeLaw, prior: DutyPrior, draws: int = DRAWS, seed: int = 1
) -> Forecast:
    """Forecast from the day of the last reading; the same inputs and seed give the same numbers."""
    positive("draws", draws, "")
    rng = np.random.default_rng(seed)
    duty = duty_of(history, prior)
    used = used_life(history, duty)
    tries = law.chosen(_even(np.ones(len(law.law)), _CANDIDATES * draws, rng))
    spent = _used_draws(history, used, duty, _CANDIDATES * draws, rng)
    # survival to date is an observation: laws that make it unlikely lose weight
    survived = tries.log_survival(spent)
    kept = _even(np.exp(survived - survived.max()), draws, rng)
    chance = (rng.permutation(draws) + rng.random(draws)) / draws
    at_failure = tries.chosen(kept).beyond(spent[kept], chance)
    hours, days = until(at_failure - spent[kept], duty, season_of(history.last_day), rng)
    return Forecast(
        part=history.part.name,
        day=history.last_day,
        hours=history.hours,
        used_life=used,
        coverage=history.coverage,
        survived=law.survival(used),
        remaining=tuple(np.quantile(hours, GRID, method="hazen").tolist()),
        remaining_days=tuple(np.quantile(days, GRID, method="hazen").tolist()),
        duty_from=duty.source,
        law_from=law.source,
    )


def used_life(history: DutyHistory, duty: Duty) -> float:
    """Damage to date: the counter, and the hours without one at the usual severity and their factor."""
    return history.damage + history.priced_hours * _usual_severity(history, duty)


def _usual_severity(history: DutyHistory, duty: Duty) -> float:
    if duty.source == "part":
        return history.damage / history.recorded_hours
    return math.exp(duty.severity.mean + 0.5 * duty.severity.scatter)


def _used_draws(history: DutyHistory, used: float, duty: Duty, n: int, rng: np.random.Generator) -> Numbers:
    """Damage to date with the doubt about the hours without a counter, which scatter as quarters do."""
    missing = used - history.damage
    if missing <= 0.0:
        return np.full(n, used)
    quarters = history.missing_hours / (QUARTER * math.exp(duty.hours.mean))
    variance = duty.severity.scatter / max(quarters, 1.0)
    if duty.source != "part":
        variance += duty.severity.variance
    doubt = math.sqrt(variance)
    return history.damage + missing * np.exp(doubt * rng.standard_normal(n) - 0.5 * variance)


def _even(weights: Numbers, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """n places drawn in proportion to their weights, in even steps, in random order."""
    total = np.cumsum(weights)
    levels = (np.arange(n) + rng.random()) / n * total[-1]
    places = np.minimum(np.searchsorted(total, levels), len(weights) - 1)
    return np.asarray(rng.permutation(places), dtype=np.int64)
