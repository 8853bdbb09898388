"""Machines that work, wear out and lose data, week by week. Knows nothing of the forecaster.

Work: operators of three styles who change at times, a yearly season of hours and severity, a job that drifts
back and forth, idle weeks. A counter adds up severity, with an error of its own for each machine. Parts fail
by one of several laws; the catalogue is off in life and in duty.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

WEEKS = 1560
STYLES = np.array([0.68, 1.0, 1.55])


@dataclass(frozen=True)
class Lives:
    """Tables by part and week. end_week: place of the failure in weeks; end_hours: h worked until then."""

    hours: np.ndarray  # h worked in the week
    damage: np.ndarray  # what a counter without gaps would add
    seen: np.ndarray  # whether the recorder ran
    end_week: np.ndarray
    end_hours: np.ndarray
    start_day: np.ndarray  # day of the year of the installation
    planned_week: np.ndarray  # preventive replacement, if it comes before the failure


@dataclass(frozen=True)
class World:
    """A law of failure and the maker's mistakes."""

    law: str
    true_life: float = 1.0  # load that the middling part bears
    catalogue_hours: float = 6200.0
    seed: int = 11


def _drifting_job(rng: np.random.Generator, n: int) -> np.ndarray:
    """Logarithm of the job's severity: forgets itself in about two years, spread 0.17."""
    keep = np.exp(-1.0 / 104.0)
    kicks = 0.17 * np.sqrt(1.0 - keep**2) * rng.standard_normal((n, WEEKS))
    path = np.empty((n, WEEKS))
    path[:, 0] = 0.17 * rng.standard_normal(n)
    for week in range(1, WEEKS):
        path[:, week] = keep * path[:, week - 1] + kicks[:, week]
    return path


def _operators(rng: np.random.Generator, n: int) -> np.ndarray:
    """Style of the operator in each week; about one change in five years."""
    changes = rng.random((n, WEEKS)) < 1.0 / 260.0
    changes[:, 0] = True
    drawn = rng.choice(STYLES, p=[0.3, 0.5, 0.2], size=(n, WEEKS))
    last = np.maximum.accumulate(np.where(changes, np.arange(WEEKS), 0), axis=1)
    return np.take_along_axis(drawn, last, axis=1)


def _outages(rng: np.random.Generator, n: int, share: float = 0.1) -> np.ndarray:
    """Whether the recorder runs: outages of four weeks on average, a tenth of the time."""
    seen = np.empty((n, WEEKS), dtype=bool)
    runs = rng.random(n) >= share
    to_run, to_stop = 0.25, 0.25 * share / (1.0 - share)
    for week in range(WEEKS):
        luck = rng.random(n)
        runs = np.where(runs, luck >= to_stop, luck < to_run)
        seen[:, week] = runs
    return seen


def gamma_wear(rng: np.random.Generator, load: np.ndarray) -> np.ndarray:
    """Load at failure of parts that wear in independent gamma steps, each part of its own hardness."""
    n, steps = len(load), 400
    hardness = rng.gamma(12.0, 1.0 / 12.0, n)
    wear = np.cumsum(rng.gamma(0.2, 0.05, (n, steps)) / hardness[:, None], axis=1)  # a step is 0.01 of load
    over = wear >= 1.0
    first = np.where(over.any(axis=1), over.argmax(axis=1), steps - 1)
    return (first + rng.random(n)) * 0.01


def log_logistic(rng: np.random.Generator, load: np.ndarray) -> np.ndarray:
    u = rng.random(len(load))
    return (u / (1.0 - u)) ** (1.0 / 5.0)


def gamma_strength(rng: np.random.Generator, load: np.ndarray) -> np.ndarray:
    return rng.gamma(8.0, 1.0 / 7.67, len(load))


def weak_batch(rng: np.random.Generator, load: np.ndarray) -> np.ndarray:
    """One part in eight comes from a weak batch; the others scatter by a quarter."""
    weak = rng.random(len(load)) < 0.125
    return np.where(weak, rng.normal(0.5, 0.1, len(load)), rng.normal(1.05, 0.27, len(load))).clip(0.08)


def first_passage(rng: np.random.Generator, load: np.ndarray) -> np.ndarray:
    """Wear as drifting Brownian motion: inverse Gaussian lives."""
    return rng.wald(1.06, 8.0, len(load))


def shocks_and_wear(rng: np.random.Generator, load: np.ndarray) -> np.ndarray:
    """Wear-out of small scatter, and shocks that come at random and end one part in five."""
    return np.minimum(1.1 * rng.weibull(4.0, len(load)), rng.exponential(4.0, len(load)) + 0.05)


LAWS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "gamma wear": gamma_wear,
    "log-logistic": log_logistic,
    "gamma strength": gamma_strength,
    "weak batch": weak_batch,
    "first passage": first_passage,
    "shocks and wear": shocks_and_wear,
}


def live(world: World, n: int, stream: int) -> Lives:
    """n lives; another stream gives other lives of the same world."""
    rng = np.random.default_rng([world.seed, stream])
    start = rng.integers(0, 365, n)
    phase = 2.0 * np.pi * (start[:, None] + 7.0 * np.arange(WEEKS)) / 365.0
    usual = rng.uniform(18.0, 44.0, n)[:, None]
    hours = usual * (1.0 + 0.35 * np.sin(phase)) * rng.gamma(6.0, 1.0 / 6.0, (n, WEEKS))
    hours = np.where(rng.random((n, WEEKS)) < 0.07, 0.0, np.minimum(hours, 120.0))
    swing = rng.uniform(0.1, 0.3, n)[:, None]
    severity = _operators(rng, n) * np.exp(_drifting_job(rng, n)) * (1.0 + swing * np.cos(phase))
    severity *= rng.gamma(12.0, 1.0 / 12.0, (n, WEEKS))
    load = hours * severity / 5000.0
    bears = world.true_life * LAWS[world.law](rng, load)
    borne = np.cumsum(load, axis=1)
    last = np.minimum((borne < bears[:, None]).sum(axis=1), WEEKS - 1)
    rows = np.arange(n)
    part = 1.0 - (borne[rows, last] - bears) / np.maximum(load[rows, last], 1e-12)
    part = part.clip(0.0, 1.0)
    worked = np.cumsum(hours, axis=1)
    end_hours = worked[rows, last] - (1.0 - part) * hours[rows, last]
    counter_error = rng.uniform(0.85, 1.15, n)[:, None]
    return Lives(
        hours=hours,
        damage=load * counter_error,
        seen=_outages(rng, n),
        end_week=last + part,
        end_hours=end_hours,
        start_day=start,
        planned_week=_planned(rng, last + part),
    )


def _planned(rng: np.random.Generator, end_week: np.ndarray) -> np.ndarray:
    """Weeks of preventive replacements, set without a look at the part, which save 30 % of the parts."""
    shape = rng.weibull(2.0, len(end_week))
    low, high = 1.0, 1e5
    for _ in range(60):
        middle = np.sqrt(low * high)
        saved = np.mean(middle * shape < end_week)
        low, high = (middle, high) if saved > 0.3 else (low, middle)
    return high * shape
