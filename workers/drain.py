"""The drain flag: asks the runners of a worker to end, because a worker that shuts down waits for its tasks.

The flag is one byte of anonymous shared memory. It is created before the pool forks, so that the runner in
each child process sees what the worker's signal handler writes.
"""

import mmap
import os

_flag = mmap.mmap(-1, 1)


def request() -> None:
    """Ask the runners of this worker to leave."""
    _flag[0] = 1


class Drain:
    """Tells whether the runner of this process has to leave: the flag is set, or the worker has gone."""

    def __init__(self) -> None:
        self._worker = os.getppid()

    def __call__(self) -> bool:
        return _flag[0] == 1 or os.getppid() != self._worker
