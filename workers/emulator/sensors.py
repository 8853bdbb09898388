"""What the controller gets to see: some channels, with noise."""

from collections.abc import Iterable, Mapping

import numpy as np

from simcore.model import Channel


class Sensors:
    """Adds Gaussian noise to the channels that have a sensor; commands are known exactly."""

    def __init__(self, channels: Iterable[Channel], rng: np.random.Generator) -> None:
        self._rng = rng
        self._sigma = {
            channel.name: channel.noise_sigma or 0.0
            for channel in channels
            if channel.role in ("sensor", "input")
        }

    def read(self, truth: Mapping[str, float]) -> dict[str, float]:
        """One reading of every telemetry channel."""
        noise = self._rng.standard_normal(len(self._sigma))
        return {
            name: truth[name] + sigma * float(n)
            for (name, sigma), n in zip(self._sigma.items(), noise, strict=True)
        }
