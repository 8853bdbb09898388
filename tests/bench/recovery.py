"""How soon a twin goes on after its processes were killed.

python -m tests.bench.recovery    these figures alone, printed
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import numpy as np

from tests.bench.figures import Figure
from tests.system.stack import Stack, now_us, pid_of, running_stack
from twin import keys
from twin.runtime.sharding import shard_of
from twin.settings import SHARDS

TIMES = 3
PAUSE_S = 15.0  # between faults: the demo restarts a service later and later when it crashes often


def figures(stack: Stack) -> Iterator[Figure]:
    """Kill, then wait for the first frame that was made afterwards; the machine goes on sending meanwhile."""
    for what, kill in FAULTS.items():
        seconds = [_recovery(stack, kill) for _ in range(TIMES)]
        yield Figure(
            f"{what} killed to the next frame",
            f"{np.median(seconds):.1f} s median, {max(seconds):.1f} s at most",
            f"{TIMES} times, one every {PAUSE_S:.0f} s or more; leases last 2 s",
            "SIGKILL until a frame made after it",
        )


def _recovery(stack: Stack, kill: Callable[[Stack], None]) -> float:
    time.sleep(PAUSE_S)
    stack.wait_steady()
    with stack.following_frames() as following:
        kill(stack)
        killed_us = now_us()
        while (frame := following()).ts <= killed_us:
            pass
    return (frame.ts - killed_us) / 1e6


def _kill_owner(stack: Stack) -> None:
    """The runner that cares for the machine."""
    stamp = stack.client.get(keys.lease(shard_of(UUID(stack.machine), SHARDS)))
    os.kill(pid_of(stamp.decode().rsplit(":", 1)[0]), signal.SIGKILL)


def _kill_services(*names: str) -> Callable[[Stack], None]:
    def kill(stack: Stack) -> None:
        for pid in [stack.pid(name) for name in names]:
            os.killpg(pid, signal.SIGKILL)  # with all its children

    return kill


FAULTS = {
    "one runner": _kill_owner,
    "all runners, the whole twins worker": _kill_services("twins"),
    "both workers, twins and jobs": _kill_services("twins", "jobs"),
}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="ht-bench-") as folder, running_stack(Path(folder)) as stack:
        stack.start_emulator()
        for figure in figures(stack):
            print(
                f"{figure.what}: {figure.value} ({figure.accuracy}; load {os.getloadavg()[0]:.1f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
