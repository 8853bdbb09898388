"""Formats each log record as one line, so that several processes can share a terminal or a collector."""

import logging

from twin.text import printable


class OneLineFormatter(logging.Formatter):
    """Joins tracebacks and multi-line messages into a single line without losing any text.

    Control characters are escaped, because part of a message may come from outside and must not control the
    terminal.
    """

    def format(self, record: logging.LogRecord) -> str:
        lines = (line.rstrip() for line in super().format(record).splitlines() if line.strip())
        return " | ".join(map(printable, lines))
