"""Tests the consistency of a filter from recorded innovations and errors (docs/methods/filter-health.md)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from simcore.errors import SimcoreError
from simcore.model.workspace import Array

_SURE, _MUCH = 1e-6, 0.1  # chance for a consistent filter; share of the innovation's size


class Whiteness(NamedTuple):
    """Autocorrelation of a series of normalised innovations."""

    samples: int
    correlation: Array  # at lags 1, 2, ...
    bound: float  # 95 % of the correlations of a white series lie within it
    ljung_box: float
    p_value: float  # chance that a white series shows as much or more


class Verdict(NamedTuple):
    """A statistic that is standard normal for a consistent filter, and the probability of a larger one."""

    value: float  # mean of the normalised innovation, or its correlation
    statistic: float
    p_value: float


def chi_square_bounds(samples: int, degrees: int, confidence: float = 0.95) -> tuple[float, float]:
    """Bounds for the mean of `samples` NIS or NEES values of a consistent filter (Bar-Shalom 2001, 5.4).

    degrees: number of sensors per correction for NIS, number of states for NEES.
    """
    if samples < 1 or degrees < 1 or not 0.0 < confidence < 1.0:
        raise SimcoreError(
            f"samples = {samples}, degrees = {degrees}, confidence = {confidence}: "
            "samples and degrees must be at least 1, and confidence between 0 and 1"
        )
    low, high = stats.chi2.interval(confidence, samples * degrees)
    return float(low) / samples, float(high) / samples


def whiteness(innovations: npt.ArrayLike, lags: int = 10) -> Whiteness:
    """Autocorrelation of one sensor's normalised innovations, with the statistic of Ljung and Box 1978.

    Corrections without a reading (NaN) are skipped: a lag counts readings.
    """
    series = _readings(innovations)
    n = len(series)
    if not 1 <= lags < n:
        raise SimcoreError(f"lags = {lags}: must be 1 to {n - 1} for {n} readings")
    series = series - np.mean(series)
    power = float(series @ series)
    if power == 0.0:
        raise SimcoreError("innovations are all equal, so their autocorrelation is undefined")
    correlation = np.array([series[k:] @ series[:-k] for k in range(1, lags + 1)]) / power
    statistic = n * (n + 2) * float(np.sum(correlation**2 / (n - np.arange(1, lags + 1))))
    return Whiteness(n, correlation, 1.96 / math.sqrt(n), statistic, float(stats.chi2.sf(statistic, lags)))


def mean_test(innovations: npt.ArrayLike) -> Verdict:
    """Test whether one sensor's normalised innovations have zero mean: √N mean is then standard normal."""
    series = _readings(innovations)
    mean = float(np.mean(series))
    return _verdict(mean, mean * math.sqrt(len(series)))


def regressor_test(innovations: npt.ArrayLike, regressor: npt.ArrayLike) -> Verdict:
    """Test whether innovations correlate with a quantity that is not a state, such as spool or flow.

    White innovations correlate with no regressor: √N times the correlation is then standard normal.
    """
    series, other = np.asarray(innovations, dtype=float), np.asarray(regressor, dtype=float)
    if series.shape != other.shape or series.ndim != 1:
        shapes = f"innovations {series.shape}, regressor {other.shape}"
        raise SimcoreError(f"{shapes}: must be two one-dimensional series of equal length")
    both = np.isfinite(series) & np.isfinite(other)
    series, other = series[both], other[both]
    if len(series) < 3 or np.ptp(series) == 0.0 or np.ptp(other) == 0.0:
        raise SimcoreError(
            "the correlation is undefined: innovations and regressor must have at least 3 finite values "
            "in common, and neither may be constant"
        )
    correlation = float(np.corrcoef(series, other)[0, 1])
    return _verdict(correlation, correlation * math.sqrt(len(series)))


def goes_with(innovations: npt.ArrayLike, regressor: npt.ArrayLike) -> bool:
    """Whether the correlation with the regressor is strong enough to show an error of the model.

    No model is exact, and many readings reveal the smallest error, so 1 % of the variance is accepted.
    """
    verdict = regressor_test(innovations, regressor)
    return verdict.p_value < _SURE and abs(verdict.value) > _MUCH


def coverage(errors: Array, sigmas: Array, level: float = 0.95) -> Array:
    """Share of errors within their bounds at this level, per channel (column); NaN if there are no errors."""
    known = np.isfinite(errors) & np.isfinite(sigmas)
    inside = np.abs(errors) <= stats.norm.ppf(0.5 + level / 2) * sigmas
    count = np.sum(known, axis=0)
    share = np.sum(inside & known, axis=0) / np.maximum(count, 1)
    return np.asarray(np.where(count > 0, share, np.nan))


def _readings(innovations: npt.ArrayLike) -> Array:
    series = np.asarray(innovations, dtype=float)
    if series.ndim != 1:
        raise SimcoreError(
            f"innovations have shape {series.shape}: must be a one-dimensional series from one sensor"
        )
    found = np.asarray(series[np.isfinite(series)])
    if not len(found):
        raise SimcoreError("innovations contain no finite value, so they cannot be tested")
    return found


def _verdict(value: float, statistic: float) -> Verdict:
    return Verdict(value, statistic, 2.0 * float(stats.norm.sf(abs(statistic))))
