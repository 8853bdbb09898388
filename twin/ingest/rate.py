"""Limits the rates of devices with one token bucket per device, in the memory of the ingest process.

The buckets are in memory and not in the telemetry server, because a flood has to be refused before it costs a
round trip. With several ingest processes, a device may use the full rate in each of them. The limit protects
against devices that are out of control; it is not a quota.
"""

import math
import time
from collections.abc import Callable

DEVICES = 10_000  # buckets kept
ROUNDING = 1e-9  # a device that waits exactly as long as requested must not fail by rounding


class RateLimiter:
    """Token buckets that fill at `rate` per second up to `burst`."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}  # level, and its time

    def take(self, device: str, amount: float) -> int:
        """Take an amount from the bucket and return 0; if there is too little, return the seconds to wait."""
        now = self._clock()
        level, at = self._buckets.get(device, (self._burst, now))
        level = min(self._burst, level + (now - at) * self.rate)
        wanted = min(amount, self._burst)  # an amount larger than the bucket waits until it is full
        if wanted > level + ROUNDING:
            return math.ceil((wanted - level) / self.rate)
        if device not in self._buckets and len(self._buckets) >= DEVICES:
            self._buckets.clear()
        self._buckets[device] = (level - wanted, now)
        return 0
