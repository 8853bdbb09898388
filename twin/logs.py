"""Log lines: one event, one line, so that several processes can share a terminal or a collector."""

import logging

from twin.text import printable


class OneLineFormatter(logging.Formatter):
    """Folds tracebacks and multi-line messages into a single line; nothing of them is left out.

    Control characters are written as escapes: part of a message may come from outside, and whoever reads the
    log on a terminal must not have it obey.
    """

    def format(self, record: logging.LogRecord) -> str:
        lines = (line.rstrip() for line in super().format(record).splitlines() if line.strip())
        return " | ".join(map(printable, lines))
