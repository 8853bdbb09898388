"""Stops accepting telemetry shortly before the disk of the telemetry server is full: the server would exit.

This works only if ingest runs on the server's host. Otherwise the operator has to monitor the server's disk.
"""

import shutil
import time
from collections.abc import Callable

CHECK_S = 1.0


class DiskGuard:
    """Checks the free space at most once a second."""

    def __init__(self, directory: str, reserve: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._directory = directory  # empty if it is on another host
        self._reserve = reserve  # bytes
        self._clock = clock
        self._check_at = -float("inf")
        self._almost_full = False

    def almost_full(self) -> bool:
        """Return whether less than the reserve is free."""
        now = self._clock()
        if self._directory and now >= self._check_at:
            self._check_at = now + CHECK_S
            try:
                self._almost_full = shutil.disk_usage(self._directory).free < self._reserve
            except OSError:  # the directory does not exist yet
                self._almost_full = False
        return self._almost_full
