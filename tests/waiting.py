"""Waiting for what must come, however busy the computer is.

A test says what has to happen; how long it takes depends on what else the computer does. So the bounds are
generous, and a test waits for the condition instead of judging the first thing it sees. How long things take
is measured in tests/bench.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

# Far above anything seen while others took both cores of a small computer; below the 60 s after which sockets
# and token caches look again by themselves, so that a test still notices news that got lost.
PATIENCE_S = 45.0
LOOK_S = 0.02

_Found = TypeVar("_Found")


def wait_for(
    look: Callable[[], _Found | None], what: str | Callable[[], str], seconds: float = PATIENCE_S
) -> _Found:
    """What `look` finds in the end; fails when it takes too long. `what` may say what there was instead."""
    deadline = time.monotonic() + seconds
    while True:
        late = time.monotonic() > deadline  # before the look: a last one is taken after the time is over
        found = look()
        if found:
            return found
        if late:
            raise AssertionError(f"{what() if callable(what) else what}: not within {seconds:g} s")
        time.sleep(LOOK_S)


async def until(condition: Callable[[], object], what: str, seconds: float = PATIENCE_S) -> None:
    """The same for asynchronous tests."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {seconds:g} s"
        await asyncio.sleep(LOOK_S / 2)
