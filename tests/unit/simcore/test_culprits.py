"""A cause is named where the evidence separates it from the others, else the group; in doubt no sensor."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from simcore.estimate.monitor.culprits import ALONE, IN_GROUP, NOTHING, distance, judge_causes

_TOLERANCE = np.array([1.0, 1.0, 0.6, 0.6])
_DOUBT = np.array([2.0, 2.0, 1.0, 1.0])
_OF_SENSOR = np.array([False, False, True, True])


def _judged(estimate: list[float], covariance: np.ndarray) -> list[float]:
    return judge_causes(np.array(estimate), covariance, _TOLERANCE, _DOUBT, _OF_SENSOR).tolist()


def _confused(i: int, j: int, sigma: float, apart: float) -> np.ndarray:
    """Covariance in which only the sum of two causes is known: their difference has the deviation `apart`."""
    found = np.eye(4) * sigma**2
    along = np.zeros(4)
    along[i], along[j] = apart / 2, -apart / 2
    return found + np.outer(along, along)


def test_the_distance_is_that_of_a_general_optimiser() -> None:
    random = np.random.default_rng(5)
    for _ in range(20):
        root = random.normal(size=(4, 4))
        information = root @ root.T + 0.1 * np.eye(4)
        estimate = random.normal(size=4) * 3
        free = (random.random(4) < 0.3).astype(float)
        bounds = [(None, None) if f else (-t, t) for f, t in zip(free, _TOLERANCE, strict=True)]

        def off(x: np.ndarray, w: np.ndarray = information, b: np.ndarray = estimate) -> float:
            return float((b - x) @ w @ (b - x))

        best = minimize(off, np.zeros(4), bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-14})
        ours = distance(information, estimate, _TOLERANCE, free, np.zeros(4))
        assert ours == pytest.approx(best.fun, rel=1e-4, abs=1e-6)


def test_what_a_healthy_machine_may_differ_is_no_cause() -> None:
    assert _judged([0.9, -0.9, 0.5, -0.5], np.eye(4) * 1e-4) == [NOTHING] * 4
    assert _judged([3.0, 0.0, 0.0, 0.0], np.eye(4)) == [NOTHING] * 4  # large, but hardly known


def test_a_cause_that_is_known_by_itself_is_named_alone() -> None:
    assert _judged([3.0, 0.2, 0.1, 0.0], np.eye(4) * 0.04) == [ALONE, NOTHING, NOTHING, NOTHING]
    assert _judged([0.2, 0.2, 0.0, -2.5], np.eye(4) * 0.04) == [NOTHING, NOTHING, NOTHING, ALONE]


def test_two_causes_at_a_time_are_both_named() -> None:
    assert _judged([3.0, 0.2, 0.1, -2.5], np.eye(4) * 0.04) == [ALONE, NOTHING, NOTHING, ALONE]


def test_causes_that_the_evidence_confuses_are_a_group() -> None:
    assert _judged([2.0, 2.0, 0.0, 0.0], _confused(0, 1, 0.1, 6.0)) == [IN_GROUP, IN_GROUP, NOTHING, NOTHING]


def test_a_sensor_is_not_blamed_where_the_machine_may_be_the_cause() -> None:
    roles = _judged([1.2, 0.0, 2.4, 0.0], _confused(0, 2, 0.1, 6.0))
    assert roles[2] != ALONE
    assert IN_GROUP in (roles[0], roles[2])


def test_the_machine_is_named_where_a_sensor_would_need_more() -> None:
    """Evidence that both share in part, at different rates, separates them after a while."""
    assert _judged([4.0, 0.0, 0.1, 0.0], _confused(0, 2, 0.1, 0.6))[:3] == [ALONE, NOTHING, NOTHING]
