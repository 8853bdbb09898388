"""Sees to it that no service outlives the demo, however the demo ends.

The guard is a process of its own that reads which process groups to watch from a pipe. When the pipe
closes, the demo is gone, be it by SIGKILL, and the guard kills whatever is still registered.
"""

import contextlib
import os
import signal
import subprocess
import sys


class Guard:
    """The demo's end of the pipe."""

    def __init__(self) -> None:
        reading, writing = os.pipe()
        self._pipe = os.fdopen(writing, "w")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "workers.demo.reaper"],
            stdin=reading,
            start_new_session=True,  # Ctrl-C is for the demo, not for the guard
        )
        os.close(reading)

    def watch(self, group: int) -> None:
        """Kill this process group if the demo disappears."""
        self._tell(f"+{group}")

    def forget(self, group: int) -> None:
        """This process group has ended."""
        self._tell(f"-{group}")

    def close(self) -> None:
        """The demo ends; what is still registered is killed."""
        self._pipe.close()
        self._process.wait()

    def _tell(self, line: str) -> None:
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
    """End every process of a group at once."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
