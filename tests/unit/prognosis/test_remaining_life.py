"""Remaining life against closed forms, scipy's censored fit, and impossible inputs."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from scipy import stats

from simcore.errors import BadHistory
from simcore.prognosis.calibration import Replacement, calibrate
from simcore.prognosis.catalogue import Catalogue
from simcore.prognosis.duty import catalogue_duty, duty_of
from simcore.prognosis.forecast import Forecast
from simcore.prognosis.life_laws import LAWS
from simcore.prognosis.metrics import cumulative_relative_accuracy, ks_distance
from simcore.prognosis.readings import DutyHistory, DutyKnownBy, Part, Reading, duty_history
from simcore.prognosis.remaining_life import remaining_life, used_life

MADE = date(2024, 1, 1)
CATALOGUE = Catalogue(life_hours=10_000.0, hours_per_week=40.0)
MEDIAN, SHAPE = 1.3, 2.5  # of the damage at failure in the fleet
SCALE = MEDIAN / np.log(2.0) ** (1.0 / SHAPE)
WEIBULL = next(law for law in LAWS if law.name == "Weibull")


def fleet(count: int, seed: int = 3) -> list[Replacement]:
    """Replacements of a fleet; the preventive ones come at random, without regard to the part."""
    rng = np.random.default_rng(seed)
    ends, planned = SCALE * rng.weibull(SHAPE, count), rng.uniform(0.8, 2.5, count)
    return [Replacement(float(min(e, p)), bool(e <= p)) for e, p in zip(ends, planned, strict=True)]


def steady(weeks: int, severity: float = 1e-4, hours: float = 40.0) -> DutyHistory:
    """A part whose duty never changes."""
    part = Part("boom pin", MADE, MADE)
    days = [MADE + timedelta(days=7 * k) for k in range(1, weeks + 1)]
    return duty_history(
        part,
        [Reading(d, k * hours, k * hours, k * hours * severity) for k, d in enumerate(days, start=1)],
    )


def test_calibration_equals_the_censored_fit_of_scipy() -> None:
    replacements = fleet(3000)
    found = calibrate(replacements, CATALOGUE, laws=[WEIBULL])
    ends = [r.damage for r in replacements if r.failed]
    working = [r.damage for r in replacements if not r.failed]
    shape, _, scale = stats.weibull_min.fit(stats.CensoredData(ends, right=working), floc=0)
    assert (found.failures, found.censored) == (len(ends), len(working))
    assert found.shape.middle == pytest.approx(shape, rel=0.03)
    assert found.median_damage.middle == pytest.approx(scale * np.log(2.0) ** (1.0 / shape), rel=0.02)
    assert found.bias.low < 1.0 / MEDIAN < found.bias.high


@pytest.mark.parametrize("weeks", [104, 325])  # used life 0.42 and 1.3: the median of the fleet
def test_a_steady_part_follows_the_law_given_that_it_has_survived(weeks: int) -> None:
    """P(D > d | D > c) = S(d)/S(c), with the duty of a part that never changes."""
    law = calibrate(fleet(3000), CATALOGUE, laws=[WEIBULL]).law
    history = steady(weeks)
    forecast = remaining_life(history, law, catalogue_duty(CATALOGUE), draws=4000)
    spent = stats.weibull_min(SHAPE, scale=SCALE).sf(history.damage)
    for level, hours in ((0.1, forecast.p10), (0.5, forecast.p50), (0.9, forecast.p90)):
        damage = stats.weibull_min(SHAPE, scale=SCALE).isf((1.0 - level) * spent)
        expected = (damage - history.damage) / 1e-4
        # the duty to come is uncertain, so the tails are wider than those of the law alone
        assert hours == pytest.approx(expected, rel=0.12 if level == 0.5 else 0.35)
    end = forecast.end_date(0.5)
    assert end is not None
    assert (end - history.last_day).days == pytest.approx(forecast.p50 / 40.0 * 7.0, rel=0.15)


def test_the_same_inputs_and_seed_give_the_same_forecast() -> None:
    law = calibrate(fleet(100), CATALOGUE).law
    first, again, other = (
        remaining_life(steady(60), law, catalogue_duty(CATALOGUE), seed=seed) for seed in (1, 1, 2)
    )
    assert first == again != other
    assert Forecast.of(first.kept()) == first


def test_a_part_far_beyond_experience_still_has_a_forecast() -> None:
    forecast = remaining_life(steady(1500), calibrate(fleet(100), CATALOGUE).law, catalogue_duty(CATALOGUE))
    assert 0.0 < forecast.p10 < forecast.p50 < forecast.p90
    assert forecast.survived < 0.01


def test_hours_without_a_counter_are_priced() -> None:
    part = Part("boom pin", MADE, MADE)
    days = [MADE + timedelta(days=7 * k) for k in range(1, 53)]
    known = [Reading(d, 40.0 * k, 40.0 * k, 4e-3 * k) for k, d in enumerate(days, start=1)]
    later, counted = days[-1] + timedelta(days=70), known[-1].damage
    gap = Reading(later, 2480.0, 2080.0, counted, missing=DutyKnownBy.UNKNOWN)
    history = duty_history(part, [*known, gap])
    assert history.coverage == pytest.approx(2080.0 / 2480.0)
    # 400 h at the part's own 1e-4 per hour, times 1.5 for an unknown history
    used = used_life(history, duty_of(history, catalogue_duty(CATALOGUE)))
    assert used == pytest.approx(0.208 + 400.0 * 1e-4 * 1.5)


def test_ks_distance_equals_scipy() -> None:
    values = np.random.default_rng(1).beta(2.0, 1.5, 200)
    assert ks_distance(values) == pytest.approx(stats.kstest(values, "uniform").statistic, abs=1e-12)


def test_relative_accuracy_by_hand() -> None:
    """Two forecasts of an end at 1000 h: mean ends 900 and 1050 h give (0.9 + 0.95)/2."""
    grid = len(
        remaining_life(steady(60), calibrate(fleet(50), CATALOGUE).law, catalogue_duty(CATALOGUE)).remaining
    )
    made = [
        Forecast("pin", MADE, hours, 0.1, 1.0, 1.0, (left,) * grid, (left,) * grid, "part", "fleet")
        for hours, left in ((500.0, 400.0), (600.0, 450.0))
    ]
    assert cumulative_relative_accuracy(made, 1000.0) == pytest.approx(0.925, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: Part("pin", MADE, MADE - timedelta(days=1)),
            "pin.installed = 2023-12-31: must be on or after",
        ),
        (lambda: Catalogue(life_hours=0.0, hours_per_week=40.0), "catalogue.life_hours = 0.0: must be"),
        (lambda: Replacement(float("nan"), True), "replacement.damage = nan: must be"),
        (lambda: steady(2, hours=-1.0), "hours = -1.0: must be"),
        (
            lambda: duty_history(
                Part("pin", MADE, MADE),
                [
                    Reading(MADE + timedelta(days=7), 40, 40, 0.2),
                    Reading(MADE + timedelta(days=14), 80, 80, 0.1),
                ],
            ),
            "damage = ",
        ),
        (
            lambda: duty_history(
                Part("pin", MADE, MADE),
                [
                    Reading(MADE + timedelta(days=14), 40, 40, 0.1),
                    Reading(MADE + timedelta(days=7), 80, 80, 0.2),
                ],
            ),
            "day = 2024-01-08: must be on or after 2024-01-15",
        ),
    ],
)
def test_impossible_input_is_refused_by_name(make, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadHistory, match=words):
        make()
