"""Log lines about others: what somebody does a thousand times a second is told now and then, with a count."""

import logging
import time
from collections.abc import Callable

EVERY_S = 10.0
MOST = 10_000  # subjects that are remembered


class Notices:
    """At most one line for each subject in ten seconds."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._told: dict[str, tuple[float, int]] = {}  # when, and how many have been swallowed since

    def say(self, subject: str, level: int, text: str, *values: object) -> None:
        now = self._clock()
        at, swallowed = self._told.get(subject, (-EVERY_S, 0))
        if now - at < EVERY_S:
            self._told[subject] = (at, swallowed + 1)
            return
        if len(self._told) >= MOST:
            self._told.clear()
        self._told[subject] = (now, 0)
        more = f" (and {swallowed} more like it before)" if swallowed else ""
        self._log.log(level, f"{text}%s", *values, more)
