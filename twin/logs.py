"""Log lines: one event, one line, so that several processes can share a terminal or a collector."""

import logging


class OneLineFormatter(logging.Formatter):
    """Folds tracebacks and multi-line messages into a single line; nothing of them is left out."""

    def format(self, record: logging.LogRecord) -> str:
        return " | ".join(line.rstrip() for line in super().format(record).splitlines() if line.strip())
