"""Logs a problem once when it begins or changes, and once when it is over, however often it is reported."""

import logging


class LogOnChange:
    """Logs one line when a problem begins or changes, and one when it is over (if `recovered` is given)."""

    def __init__(self, log: logging.Logger, recovered: str = "") -> None:
        self._log = log
        self._recovered = recovered
        self._state = ""

    def report(self, text: str, *, level: int = logging.WARNING, state: str = "", detail: str = "") -> None:
        """Log text and detail, unless the state was also the last one reported.

        The state is the text by default.
        """
        if (state or text) != self._state:
            self._state = state or text
            self._log.log(level, "%s%s", text, detail)

    def ok(self) -> None:
        """Report that the problem, if there was one, is over."""
        if self._state:
            self._state = ""
            if self._recovered:
                self._log.info("%s", self._recovered)
