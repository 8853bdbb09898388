"""Prints the demo's terminal output: one line per event, with the name of the process."""

import re
import sys
import threading

from twin.text import printable

# log format of the services: time, level, logger and message
LINE = re.compile(r"^[\d:]{8} (?P<level>[A-Z]+) (?P<logger>[\w.]+): (?P<text>.*)$")
OURS = ("twin", "workers", "webui", "emulator")
LOUD = ("WARNING", "ERROR", "CRITICAL")

_lock = threading.Lock()


def say(name: str, text: str) -> None:
    """Print one line; control characters are escaped."""
    with _lock:
        sys.stdout.write(f"{name:>9} | {printable(text)}\n")
        sys.stdout.flush()


def blank() -> None:
    """Print an empty line."""
    with _lock:
        sys.stdout.write("\n")
        sys.stdout.flush()


def event_in(line: str) -> str | None:
    """Return the part of a log line to print: our messages, and warnings of all loggers; None otherwise."""
    found = LINE.match(line)
    if found is None:
        return None
    if found["level"] in LOUD:
        return f"{found['level'].lower()}: {found['text']}"
    if found["logger"].split(".")[0] in OURS:
        return found["text"]
    return None
