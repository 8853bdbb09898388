"""The drain flag: a worker that shuts down waits for its tasks, and a runner never ends by itself.

The flag is one byte of anonymous shared memory, made before the pool forks, so that what the worker's signal
handler writes is seen by the runner in each child.
"""

import mmap
import os

_flag = mmap.mmap(-1, 1)


def request() -> None:
    """Ask the runners of this worker to leave."""
    _flag[0] = 1


class Drain:
    """Whether the runner of this process has to leave: asked to, or its worker is gone."""

    def __init__(self) -> None:
        self._worker = os.getppid()

    def __call__(self) -> bool:
        return _flag[0] == 1 or os.getppid() != self._worker
