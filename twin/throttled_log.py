"""Limits how often events caused by devices are logged: at most one line per subject in ten seconds."""

import logging
import time
from collections.abc import Callable

EVERY_S = 10.0
MOST = 10_000  # subjects remembered


class ThrottledLog:
    """Logs at most one line per subject in ten seconds, with the number of similar events left out."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._logged: dict[str, tuple[float, int]] = {}  # time of the last line, and events since

    def log(self, subject: str, level: int, text: str, *values: object) -> None:
        now = self._clock()
        at, suppressed = self._logged.get(subject, (-EVERY_S, 0))
        if now - at < EVERY_S:
            self._logged[subject] = (at, suppressed + 1)
            return
        if len(self._logged) >= MOST:
            self._logged.clear()
        self._logged[subject] = (now, 0)
        more = f" ({suppressed} similar events since the last line)" if suppressed else ""
        self._log.log(level, f"{text}%s", *values, more)
