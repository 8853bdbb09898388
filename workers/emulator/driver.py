"""The driver of the emulated rig, who moves the crank up and down, with pauses."""

import math

import numpy as np

LOW_RAD = math.radians(45.0)
HIGH_RAD = math.radians(70.0)
SPREAD_RAD = math.radians(3.0)  # of the stopping places
PAUSE_S = (1.0, 3.0)
FULL_V = 10.0
EASE_RAD = math.radians(6.0)  # the lever stroke falls within this distance of the target
LEAST_V = 1.5


class Driver:
    """Decides the valve command once per controller cycle.

    A positive command extends the cylinder and so lowers the crank.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._rising = True
        self._target = self._next_target()
        self._pause_until = rng.uniform(*PAUSE_S)

    def command(self, time_s: float, angle_rad: float) -> float:
        """Return the valve voltage for the coming cycle."""
        if time_s < self._pause_until:
            return 0.0
        left = self._target - angle_rad if self._rising else angle_rad - self._target
        if left <= 0:
            self._rising = not self._rising
            self._target = self._next_target()
            self._pause_until = time_s + self._rng.uniform(*PAUSE_S)
            return 0.0
        size = max(LEAST_V, FULL_V * min(1.0, left / EASE_RAD))
        return -size if self._rising else size

    def _next_target(self) -> float:
        middle = HIGH_RAD if self._rising else LOW_RAD
        return middle + self._rng.uniform(-SPREAD_RAD, SPREAD_RAD)
