"""Signatures of load changes against plain linear algebra, and the decision on a small linear system."""

from __future__ import annotations

import numpy as np
import pytest

from simcore.estimate.filter.covariance import propagate, propagate_columns, transpose
from simcore.estimate.monitor.load_signature import (
    CANDIDATES,
    EVIDENCE,
    ONSET,
    add_candidate,
    find_load_change,
    forget_candidates,
    take_load_change,
    weigh_evidence,
)
from simcore.kernels.jit import kernel
from simcore.model.workspace import Array

_PERIOD, _CHANGE = 0.02, 40.0  # s; standard deviation of a load change in units of a known load
_ROW, _AT = 3, 1  # of the payload; first column of the signatures
# a mass on a stiff, damped support with friction: position, speed, friction and payload
_F = np.array(
    [[0.96, 0.018, 0.004, 0.001], [-3.0, 0.8, 0.2, 0.05], [0.0, 0.0, 0.99, 0.0], [0.0, 0.0, 0.0, 1.0]]
)
_Q = np.diag([1e-4, 4e-2, 2e-2, 1e-4])
_H = np.array([[1.0, 0.0, 0.0, 0.0], [30.0, 1.0, 0.0, 0.0]])
_R = np.array([0.01, 1.0])


@kernel
def _propagate_both(
    followers: int, dt: float, system: Array, c: Array, cov: Array, spare: Array, transposed: Array
) -> None:
    n, m = len(system), len(cov)
    transpose(n, followers, system, n, m, transposed)
    propagate_columns(n, followers, m, dt, system, 0, c, spare)
    propagate(n, followers, m, m, dt, system, cov, spare, transposed)


@kernel
def _count(innovation: float, s: float, seen: Array, evidence: Array) -> None:
    weigh_evidence(innovation, s, 1.0, seen, _AT, evidence)


@kernel
def _begin(time: float, columns: Array, evidence: Array) -> None:
    add_candidate(time, _ROW, columns, _AT, evidence)


@kernel
def _find(time: float, evidence: Array, cov: Array) -> int:
    return find_load_change(time, False, _ROW, _CHANGE, 0.0, evidence, cov)


@kernel
def _take(c: int, columns: Array, evidence: Array, dx: Array, cov: Array) -> None:
    take_load_change(3, _ROW, c, _CHANGE, columns, _AT, evidence, dx, cov)


@kernel
def _forget(evidence: Array) -> None:
    forget_candidates(evidence)


@pytest.mark.parametrize("followers", [0, 2])
def test_a_signature_is_propagated_as_the_covariance_is(followers: int) -> None:
    """P = v vᵀ becomes F v vᵀ Fᵀ: the square of the propagated column."""
    rng = np.random.default_rng(3)
    n, m = 5, 8
    system = np.zeros((n, 2 * n + m))
    system[:, n : n + m] = rng.standard_normal((n, m))
    v = rng.standard_normal((m, 1))
    cov = v @ v.T
    spare, transposed = np.zeros((m + 2, 2 * n + m)), np.zeros((m, 2 * n + m))
    _propagate_both(followers, 0.02, system, v, cov, spare, transposed)
    np.testing.assert_allclose(v @ v.T, cov, atol=1e-12)


class _Filter:
    """A Kalman filter in plain matrices with the signatures beside it."""

    def __init__(self) -> None:
        self.x, self.p = np.zeros(4), np.diag([0.1, 0.1, 1.0, 1.0])
        self.columns, self.evidence = np.zeros((4, _AT + CANDIDATES)), np.zeros((CANDIDATES, EVIDENCE))
        _forget(self.evidence)

    def take(self, time: float, readings: Array) -> int:
        self.x, self.p, self.columns = _F @ self.x, _F @ self.p @ _F.T + _Q, _F @ self.columns
        for h, r, z in zip(_H, _R, readings, strict=True):
            s = float(h @ self.p @ h + r)
            off = float(z - h @ self.x)
            _count(off, s, h @ self.columns, self.evidence)
            gain = self.p @ h / s
            self.x = self.x + gain * off
            self.p = self.p - np.outer(gain, h @ self.p)
            self.columns = self.columns - np.outer(gain, h @ self.columns)
        found = _find(time, self.evidence, self.p)
        if found < 0:
            _begin(time, self.columns, self.evidence)
        return found


def _run(seed: int, jump: float, other: Array, steps: int = 200) -> tuple[int, int, _Filter, Array]:
    """Step and candidate at which a load change is found, or -1; `jump` and `other` act from step 100."""
    rng = np.random.default_rng(seed)
    ours, x = _Filter(), np.zeros(4)
    for k in range(steps):
        x = _F @ x + np.sqrt(np.diag(_Q)) * rng.standard_normal(4)
        if k == 100:
            x = x + np.array([0.0, 0.0, 0.0, jump])
        z = _H @ x + np.sqrt(_R) * rng.standard_normal(2) + (other if k >= 100 else 0.0)
        found = ours.take(k * _PERIOD, z)
        if found >= 0:
            return k, found, ours, x
    return -1, -1, ours, x


def test_a_load_change_is_found_soon_with_its_moment_and_size() -> None:
    moments, errors = [], []
    for seed in range(20):
        step, found, ours, x = _run(seed, 20.0, np.zeros(2))
        assert 100 <= step < 150
        moments.append(ours.evidence[found, ONSET] / _PERIOD)
        dx = np.zeros(4)
        _take(found, ours.columns, ours.evidence, dx, ours.p)
        errors.append(x[_ROW] - (ours.x + dx)[_ROW])
        assert errors[-1] ** 2 < 9.0 * ours.p[_ROW, _ROW]
    assert abs(np.mean(moments) - 100) < 10
    assert abs(np.mean(errors)) < 5.0


def test_noise_and_faulty_sensors_are_no_load() -> None:
    """White noise alone; a position that is off; both sensors off against each other."""
    for seed in range(5):
        assert _run(seed, 0.0, np.zeros(2), 1000)[0] == -1
        for other in ([1.0, 0.0], [0.5, -20.0]):
            assert _run(seed, 0.0, np.array(other))[0] == -1, other


def test_an_impossible_load_is_no_load() -> None:
    """An empty machine cannot lose 20 standard deviations of a known load."""
    for seed in range(5):
        assert _run(seed, -20.0, np.zeros(2))[0] == -1
