"""Kills the demo's services when the demo ends, however it ends.

The reaper is a separate process. The demo registers the process groups of its services with the reaper,
through a pipe. The pipe closes when the demo ends, even after SIGKILL; then the reaper kills the groups that
are still registered.
"""

import contextlib
import os
import signal
import subprocess
import sys


class Reaper:
    """The demo's end of the pipe."""

    def __init__(self) -> None:
        reading, writing = os.pipe()
        self._pipe = os.fdopen(writing, "w")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "workers.demo.reaper"],
            stdin=reading,
            start_new_session=True,  # Ctrl-C must not reach the reaper
        )
        os.close(reading)

    def register(self, group: int) -> None:
        """Kill this process group when the demo ends."""
        self._send(f"+{group}")

    def unregister(self, group: int) -> None:
        """Forget this process group, because it has ended."""
        self._send(f"-{group}")

    def close(self) -> None:
        """End the demo: kill the groups that are still registered."""
        self._pipe.close()
        self._process.wait()

    def _send(self, line: str) -> None:
        self._pipe.write(f"{line}\n")
        self._pipe.flush()


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line.startswith("+"):
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        kill_group(group)


def kill_group(group: int) -> None:
    """Kill every process of a group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
