"""Simulates the sensors: adds noise to the true values of the channels that have a sensor."""

from collections.abc import Iterable, Mapping

import numpy as np

from simcore.model import Channel

STUCK_AFTER = 500  # readings: ten seconds


class Sensors:
    """Adds Gaussian noise to the channels that have a sensor; commands are known exactly.

    stuck: the channel of a sensor that repeats its value from reading number stuck_after on.
    """

    def __init__(
        self,
        channels: Iterable[Channel],
        rng: np.random.Generator,
        stuck: str = "",
        stuck_after: int = STUCK_AFTER,
    ) -> None:
        self._rng = rng
        self._stuck, self._stuck_after = stuck, stuck_after
        self._count = 0
        self._held = 0.0
        self._sigma = {
            channel.name: channel.noise_sigma or 0.0
            for channel in channels
            if channel.role in ("sensor", "input")
        }

    def read(self, truth: Mapping[str, float]) -> dict[str, float]:
        """Return one reading of every telemetry channel."""
        noise = self._rng.standard_normal(len(self._sigma))
        readings = {
            name: truth[name] + sigma * float(n)
            for (name, sigma), n in zip(self._sigma.items(), noise, strict=True)
        }
        self._count += 1
        if self._stuck:
            if self._count <= self._stuck_after:
                self._held = readings[self._stuck]
            readings[self._stuck] = self._held
        return readings
