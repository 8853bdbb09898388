"""A lock that lets the first process of a worker load the kernels alone, and the others together afterwards.

Loading takes a second of processor time. After a crash, all twins wait until the first runner is ready; if
all processes loaded at once, they would share the cores and the first runner would be ready later.
"""

import atexit
import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

# created before the fork; a lock belongs to one process and ends with it
_file = tempfile.TemporaryFile("w+b")  # noqa: SIM115
atexit.register(_file.close)


@contextmanager
def load_lock() -> Iterator[None]:
    """Run the block alone in the first process; processes that arrive meanwhile wait until it is done."""
    try:
        fcntl.lockf(_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        fcntl.lockf(_file, fcntl.LOCK_SH)
    try:
        yield
    finally:
        fcntl.lockf(_file, fcntl.LOCK_UN)
