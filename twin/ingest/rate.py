"""How much a device may send: a bucket for each, in the memory of the ingest process.

In memory and not in the telemetry server, because a flood has to be refused before it costs a round trip.
With several ingest processes a device may send so much through each of them: the limit guards against what
runs wild, it is no price list.
"""

import math
import time
from collections.abc import Callable

DEVICES = 10_000  # whose buckets are kept
ROUNDING = 1e-9  # who waits as long as told must not fail by the last digit


class Meter:
    """Buckets that fill by `rate` a second up to `burst`."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}  # level, and when it was that

    def take(self, device: str, amount: float) -> int:
        """0 if the device may have so much now; else nothing is taken, and it has to wait so many seconds."""
        now = self._clock()
        level, at = self._buckets.get(device, (self._burst, now))
        level = min(self._burst, level + (now - at) * self.rate)
        wanted = min(amount, self._burst)  # what is larger than the bucket waits until it is full
        if wanted > level + ROUNDING:
            return math.ceil((wanted - level) / self.rate)
        if device not in self._buckets and len(self._buckets) >= DEVICES:
            self._buckets.clear()
        self._buckets[device] = (level - wanted, now)
        return 0
