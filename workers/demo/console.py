"""What the person at the terminal sees: one line per event, with the process it came from."""

import re
import sys
import threading

from twin.text import printable

# as the services log it: time, level, logger and message
LINE = re.compile(r"^[\d:]{8} (?P<level>[A-Z]+) (?P<logger>[\w.]+): (?P<text>.*)$")
OURS = ("twin", "workers", "webui", "emulator")
LOUD = ("WARNING", "ERROR", "CRITICAL")

_lock = threading.Lock()


def say(name: str, text: str) -> None:
    """One line, whatever is in the text."""
    with _lock:
        sys.stdout.write(f"{name:>9} | {printable(text)}\n")
        sys.stdout.flush()


def blank() -> None:
    """An empty line."""
    with _lock:
        sys.stdout.write("\n")
        sys.stdout.flush()


def event_in(line: str) -> str | None:
    """What a log line has to say to a person: our own events, and everybody's warnings."""
    found = LINE.match(line)
    if found is None:
        return None
    if found["level"] in LOUD:
        return f"{found['level'].lower()}: {found['text']}"
    if found["logger"].split(".")[0] in OURS:
        return found["text"]
    return None
