"""How good past forecasts were, once the hours at which the parts ended are known.

Alpha-lambda, prognostic horizon and cumulative relative accuracy are defined as in ProgPy (NASA): on the time
of the end, here in hours of the part, with the kept quantiles as equally likely outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from simcore.prognosis.catalogue import Catalogue
from simcore.prognosis.checks import not_empty, positive
from simcore.prognosis.forecast import Forecast
from simcore.prognosis.readings import Numbers

LEVELS = (0.1, 0.5, 0.9)  # of the pinball loss


@dataclass(frozen=True)
class Outcome:
    """A forecast and the hours that the part then still worked."""

    forecast: Forecast
    remaining: float


def alpha_lambda(
    forecasts: Sequence[Forecast], end_hours: float, at_hours: float, alpha: float, beta: float
) -> bool | None:
    """Whether the first forecast from at_hours on puts beta within ± alpha of the remaining hours."""
    for forecast in _in_order(forecasts):
        if forecast.hours >= at_hours:
            return _share_within(forecast, end_hours, alpha) >= beta
    return None


def prognostic_horizon(
    forecasts: Sequence[Forecast], end_hours: float, good: Callable[[Forecast, float], bool]
) -> float | None:
    """Hours before the end of the first forecast that is good; None if none is."""
    for forecast in _in_order(forecasts):
        if good(forecast, end_hours) and end_hours > forecast.hours:
            return end_hours - forecast.hours
    return None


def within_alpha(alpha: float, beta: float) -> Callable[[Forecast, float], bool]:
    """The usual test of a good forecast, that of alpha-lambda."""
    return lambda forecast, end_hours: _share_within(forecast, end_hours, alpha) >= beta


def cumulative_relative_accuracy(forecasts: Sequence[Forecast], end_hours: float) -> float:
    """Mean of 1 − |end − mean forecast of the end| / end."""
    not_empty("forecasts", forecasts, "at least one forecast")
    positive("end_hours", end_hours, "h")
    ends = np.array([forecast.hours + np.mean(forecast.remaining) for forecast in forecasts])
    return float(np.mean(1.0 - np.abs(end_hours - ends) / end_hours))


def coverage(outcomes: Sequence[Outcome]) -> float:
    """Share of parts that ended between P10 and P90; 0.8 if the forecasts are honest."""
    return float(np.mean([o.forecast.p10 <= o.remaining <= o.forecast.p90 for o in outcomes]))


def passed(outcomes: Sequence[Outcome], level: float) -> float:
    """Share of parts that worked longer than this quantile; 1 − level if the forecasts are honest."""
    return float(np.mean([o.remaining > o.forecast.quantile(level) for o in outcomes]))


def pit(outcomes: Sequence[Outcome]) -> Numbers:
    """Probability integral transforms: what each forecast gave to an end as early as the one that came."""
    return np.array([o.forecast.ends_by(o.remaining) for o in outcomes])


def ks_distance(values: Numbers) -> float:
    """Largest distance of the values' distribution from the uniform one (Kolmogorov and Smirnov)."""
    ordered, n = np.sort(values), len(values)
    steps = np.arange(n) / n
    return float(max(np.max(ordered - steps), np.max(steps + 1.0 / n - ordered)))


def stated_and_observed(outcomes: Sequence[Outcome], share: float) -> tuple[float, float]:
    """Mean stated probability of ending within this share of P50, and how often that came true."""
    stated = np.mean([o.forecast.within(share) for o in outcomes])
    hits = [abs(o.remaining - o.forecast.p50) <= share * o.forecast.p50 for o in outcomes]
    return float(stated), float(np.mean(hits))


def pinball(actual: float, quantile: float, level: float) -> float:
    return (actual - quantile) * (level if actual >= quantile else level - 1.0)


def pinball_loss(outcomes: Sequence[Outcome]) -> float:
    """Mean loss in h over P10, P50 and P90."""
    losses = [pinball(o.remaining, o.forecast.quantile(level), level) for o in outcomes for level in LEVELS]
    return float(np.mean(losses))


def hours_loss(outcomes: Sequence[Outcome], catalogue: Catalogue) -> float:
    """The same loss of the forecast without a twin: the catalogue's life minus the hours worked."""
    losses = []
    for o in outcomes:
        left = max(catalogue.life_hours - o.forecast.hours, 0.0)
        losses += [pinball(o.remaining, left, level) for level in LEVELS]
    return float(np.mean(losses))


def _share_within(forecast: Forecast, end_hours: float, alpha: float) -> float:
    slack = alpha * (end_hours - forecast.hours)
    ends = forecast.hours + np.array(forecast.remaining)
    return float(np.mean((ends > end_hours - slack) & (ends < end_hours + slack)))


def _in_order(forecasts: Sequence[Forecast]) -> list[Forecast]:
    return sorted(forecasts, key=lambda forecast: forecast.hours)
