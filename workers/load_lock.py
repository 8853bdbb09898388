"""Who loads the kernels first: one process of a worker alone, then the others together.

After a crash every twin waits for the first runner, and loading takes a second of computing. Processes that
load at the same time share the cores, so that each of them, the first too, is ready later.
"""

import atexit
import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

# made before the fork; its locks belong to a process and end with it
_file = tempfile.TemporaryFile("w+b")  # noqa: SIM115
atexit.register(_file.close)


@contextmanager
def first_alone() -> Iterator[None]:
    """The first process to come runs the block alone; those that come meanwhile wait for its end."""
    try:
        fcntl.lockf(_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        fcntl.lockf(_file, fcntl.LOCK_SH)
    try:
        yield
    finally:
        fcntl.lockf(_file, fcntl.LOCK_UN)
