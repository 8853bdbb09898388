"""Logs a state when it changes, not every time it is reported."""

import logging


class LogOnChange:
    """One line when a problem begins or changes, and one when it is over (if `recovered` is given)."""

    def __init__(self, log: logging.Logger, recovered: str = "") -> None:
        self._log = log
        self._recovered = recovered
        self._state = ""

    def report(self, text: str, *, level: int = logging.WARNING, state: str = "", detail: str = "") -> None:
        """Log the text and detail, unless the state (by default the text) was the last one reported."""
        if (state or text) != self._state:
            self._state = state or text
            self._log.log(level, "%s%s", text, detail)

    def ok(self) -> None:
        """The problem is over, if there was one."""
        if self._state:
            self._state = ""
            if self._recovered:
                self._log.info("%s", self._recovered)
