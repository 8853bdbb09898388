"""Defines a linear estimation problem for simcore's filter and for filterpy, and solves it with filterpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simcore.model.geometry import Array


@dataclass(frozen=True)
class Problem:
    """Linear system dx/dt = A x + noise, measured by sensors with equal noise."""

    dt: float  # s
    slope: Array  # A
    noise: Array  # density of each rate
    sensors: Array  # a row each
    sigma: float
    covariance: Array  # at the start

    def discrete(self) -> tuple[Array, Array]:
        """Transition matrix and process noise for one step of the trapezoidal rule."""
        one, half = np.eye(len(self.slope)), 0.5 * self.dt * self.slope
        entry = np.linalg.inv(one - half)
        spread = entry * self.noise
        return entry @ (one + half), spread @ spread.T * self.dt

    def covariance_after(self, cycles: int) -> Array:
        """Covariance from the textbook equations, with one gain for all readings together."""
        transition, process = self.discrete()
        h, p = self.sensors, self.covariance
        for _ in range(cycles):
            p = transition @ p @ transition.T + process
            p = p - p @ h.T @ np.linalg.solve(h @ p @ h.T + self.sigma**2 * np.eye(len(h)), h @ p)
        return np.asarray(p)


class Filter:
    """filterpy's KalmanFilter for the problem; it is given the transition matrix, as our filter is."""

    def __init__(self, problem: Problem) -> None:
        from filterpy.kalman import KalmanFilter

        sensors, states = problem.sensors.shape
        self._filter = KalmanFilter(dim_x=states, dim_z=sensors)
        self._filter.F, self._filter.Q = problem.discrete()
        self._filter.H, self._filter.P = problem.sensors, problem.covariance.copy()
        self._filter.R = problem.sigma**2 * np.eye(sensors)
        self._readings = np.zeros((sensors, 1))

    def advance(self, n_steps: int, /) -> None:
        for _ in range(n_steps):
            self._filter.predict()
            self._filter.update(self._readings)

    @property
    def covariance(self) -> Array:
        return np.asarray(self._filter.P)
