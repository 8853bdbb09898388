"""Room on the telemetry server's disk: with a full one it exits rather than lose what it acknowledged.

Known only where ingest shares a host with the server; elsewhere the server's own supervision has to watch it.
"""

import shutil
import time
from collections.abc import Callable

LOOK_S = 1.0


class Room:
    """Looks at the disk at most once a second."""

    def __init__(self, directory: str, reserve: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._directory = directory  # empty if it is not on this host
        self._reserve = reserve
        self._clock = clock
        self._look_at = -float("inf")
        self._short = False

    def short(self) -> bool:
        """Less is free than has to be kept in reserve."""
        now = self._clock()
        if self._directory and now >= self._look_at:
            self._look_at = now + LOOK_S
            try:
                self._short = shutil.disk_usage(self._directory).free < self._reserve
            except OSError:  # nobody has made it yet
                self._short = False
        return self._short
