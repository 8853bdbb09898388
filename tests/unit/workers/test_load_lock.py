"""The first process loads alone, the others together after it, and a killed one holds nobody up."""

import os
import signal
import warnings
from collections.abc import Callable
from pathlib import Path

from tests.waiting import wait_for
from workers.load_lock import load_lock


def child(work: Callable[[], None]) -> int:
    """Another process that takes its turn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons: the test run may have threads
        pid = os.fork()
    if pid == 0:
        try:
            with load_lock():
                work()
        finally:
            os._exit(0)
    return pid


def waiting() -> set[int]:
    """Processes that the kernel keeps waiting for a lock."""
    lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return {int(words[5]) for words in lines if words[1] == "->"}


def test_the_first_is_alone_and_the_others_follow_together(tmp_path):
    def come(name: str) -> Callable[[], None]:
        def work() -> None:
            (tmp_path / name).touch()
            signal.pause()

        return work

    def here() -> set[str]:
        return {path.name for path in tmp_path.iterdir()}

    first = child(come("first"))
    wait_for(lambda: here() == {"first"}, "the first has its turn")
    others = [child(come(name)) for name in ("second", "third")]
    wait_for(lambda: waiting() >= set(others), "the others wait")
    assert here() == {"first"}
    os.kill(first, signal.SIGKILL)  # in the middle of its turn
    wait_for(lambda: here() == {"first", "second", "third"}, "the others have theirs, together")
    for pid in (first, *others):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
