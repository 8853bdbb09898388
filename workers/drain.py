"""The drain flag: it ends the runners of a worker that shuts down and waits for its tasks.

The flag is one byte of anonymous shared memory, created before the pool forks, so that the runner in each
child process sees what the worker's signal handler writes.
"""

import mmap
import os

_flag = mmap.mmap(-1, 1)


def request() -> None:
    """Make the runners of this worker leave."""
    _flag[0] = 1


class Drain:
    """True when the runner of this process has to leave: the flag is set, or the worker is gone."""

    def __init__(self) -> None:
        self._worker = os.getppid()

    def __call__(self) -> bool:
        return _flag[0] == 1 or os.getppid() != self._worker
