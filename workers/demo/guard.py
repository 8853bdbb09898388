"""Sees to it that no service outlives the demo, however the demo ends.

The guard is a process of its own that reads which process groups to watch from a pipe. When the pipe
closes, the demo is gone, be it by SIGKILL, and the guard kills whatever is still registered.
"""

import os
import signal
import subprocess
import sys


class Guard:
    """The demo's end of the pipe."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "workers.demo.guard"],
            stdin=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the demo, not for the guard
        )

    def watch(self, group: int) -> None:
        """Kill this process group if the demo disappears."""
        self._tell(f"+{group}")

    def forget(self, group: int) -> None:
        """This process group has ended."""
        self._tell(f"-{group}")

    def close(self) -> None:
        """The demo ends; what is still registered is killed."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()


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
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


if __name__ == "__main__":
    main()
