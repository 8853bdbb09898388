"""Tests of a filter's honesty: against tables, closed forms, brute force and series made to fail."""

import math

import numpy as np
import pytest
from scipy import stats

from simcore.errors import SimcoreError
from simcore.estimate.monitor.consistency import (
    chi_square_bounds,
    coverage,
    mean_test,
    regressor_test,
    whiteness,
)


def _white(n: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n)


def test_the_bounds_are_those_of_the_tables() -> None:
    # chi-square of 100 degrees, 2.5 and 97.5 %: 74.222 and 129.561; 50 samples of two degrees
    assert chi_square_bounds(50, 2) == pytest.approx((1.48444, 2.59122), abs=1e-5)
    # two degrees have the closed form -2 ln(1 - share)
    low, high = chi_square_bounds(1, 2, 0.9)
    assert (low, high) == pytest.approx((-2 * math.log(0.95), -2 * math.log(0.05)))


def test_the_mean_of_honest_nis_lies_within_its_bounds_as_often_as_it_should() -> None:
    nis = np.sum(np.random.default_rng(2).normal(size=(2000, 40, 4)) ** 2, axis=2)
    low, high = chi_square_bounds(40, 4)
    inside = np.mean(nis, axis=1)
    assert stats.binomtest(int(np.sum((inside > low) & (inside < high))), 2000, 0.95).pvalue > 0.001
    too_sure = inside / 0.7  # S a third too small
    assert np.mean((too_sure > low) & (too_sure < high)) < 0.2


def test_autocorrelation_and_ljung_box_equal_their_sums() -> None:
    series = _white(60) + 0.4
    found = whiteness(series, lags=4)
    mean = sum(series) / 60
    power = sum((x - mean) ** 2 for x in series)
    statistic = 0.0
    for k in range(1, 5):
        r = sum((series[i] - mean) * (series[i - k] - mean) for i in range(k, 60)) / power
        assert found.correlation[k - 1] == pytest.approx(r, rel=1e-12)
        statistic += 60 * 62 * r * r / (60 - k)
    assert found.ljung_box == pytest.approx(statistic, rel=1e-12)
    # chi-square of four degrees: closed form of its tail
    assert found.p_value == pytest.approx(math.exp(-statistic / 2) * (1 + statistic / 2), rel=1e-9)
    assert found.bound == pytest.approx(1.96 / math.sqrt(60))


def test_white_series_fail_as_often_as_the_level_says() -> None:
    failed = sum(whiteness(_white(400, seed)).p_value < 0.05 for seed in range(600))
    assert stats.binomtest(failed, 600, 0.05).pvalue > 0.001
    outside = np.mean([np.abs(whiteness(_white(400, s)).correlation) > 1.96 / 20 for s in range(200)])
    assert 0.03 < outside < 0.07


def test_a_coloured_series_is_seen_with_gaps_or_without() -> None:
    drive, series = _white(1000), np.zeros(1000)
    for i in range(1, 1000):
        series[i] = 0.3 * series[i - 1] + drive[i]
    gaps = np.insert(series, range(0, 1000, 3), np.nan)
    for given in (series, gaps):
        found = whiteness(given)
        assert found.samples == 1000
        assert found.correlation[0] == pytest.approx(0.3, abs=0.1)
        assert found.p_value < 1e-6


def test_a_mean_that_is_not_zero_is_seen() -> None:
    plus_minus = np.tile([1.0, -1.0], 1250)
    found = mean_test(plus_minus + 0.1)
    assert found.value == pytest.approx(0.1)
    assert found.statistic == pytest.approx(5.0)
    assert found.p_value == pytest.approx(math.erfc(5 / math.sqrt(2)))
    assert mean_test(plus_minus).p_value == pytest.approx(1.0)


def test_a_model_error_shows_beside_the_spool_while_nis_looks_well() -> None:
    spool = np.where(np.arange(1500) % 300 < 150, 1.0, -1.0)  # V, of either sign by turns
    noise = _white(1500, seed=7)
    wrong = noise + 0.15 * spool
    low, high = chi_square_bounds(1500, 1)
    assert low < np.mean(wrong**2) < high
    assert mean_test(wrong).p_value > 0.001
    assert regressor_test(wrong, spool).p_value < 1e-5
    assert regressor_test(noise, spool).p_value > 0.001


def test_the_correlation_skips_what_is_missing() -> None:
    noise, spool = _white(300), np.sin(np.arange(300))
    gaps = noise.copy()
    gaps[::4] = np.nan
    kept = np.isfinite(gaps)
    found = regressor_test(gaps, spool)
    assert found.value == pytest.approx(stats.pearsonr(noise[kept], spool[kept]).statistic, rel=1e-10)
    assert found.statistic == pytest.approx(found.value * math.sqrt(225))


def test_coverage_is_that_of_the_normal_distribution() -> None:
    errors = np.random.default_rng(3).normal(size=(40_000, 3))
    sigmas = np.ones((40_000, 3)) * [1.0, 0.5, np.nan]
    share = coverage(errors, sigmas)
    assert share[0] == pytest.approx(0.95, abs=0.005)
    assert share[1] == pytest.approx(math.erf(0.98 / math.sqrt(2)), abs=0.01)
    assert np.isnan(share[2])
    errors[::2, 0] = np.nan
    assert coverage(errors, sigmas, level=0.5)[0] == pytest.approx(0.5, abs=0.015)


def test_what_cannot_be_judged_is_refused() -> None:
    with pytest.raises(SimcoreError, match=r"samples = 0, degrees = 1, confidence = 0\.95"):
        chi_square_bounds(0, 1)
    with pytest.raises(SimcoreError, match="lags = 10: must be 1 to 4 for 5 readings"):
        whiteness(_white(5))
    with pytest.raises(SimcoreError, match="all equal"):
        whiteness(np.ones(50))
    with pytest.raises(SimcoreError, match="innovations contain no finite value"):
        mean_test(np.full(10, np.nan))
    with pytest.raises(SimcoreError, match="must be a one-dimensional series from one sensor"):
        mean_test(np.ones((10, 2)))
    with pytest.raises(SimcoreError, match=r"innovations \(5,\), regressor \(4,\)"):
        regressor_test(np.ones(5), np.ones(4))
    with pytest.raises(SimcoreError, match="neither may be constant"):
        regressor_test(_white(5), np.ones(5))
