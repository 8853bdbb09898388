"""Times many machines that are stepped in one call, and two processes that run at once.

Each time is compared with that of a single machine or a single process.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numpy as np

from simcore import registry
from simcore.cli.bench.timing import REPEATS, Contender, Timing, beside, in_turns, timing
from simcore.run.batch import Batch
from simcore.run.simulation import Simulation

_DT = 1e-3  # s
_RIG = "four-bar-b"
_MACHINES = 1000
_STEPS = 50  # of each machine in one call, as a runner takes them
_COMMAND = 2.0  # V
_PROCESS_STEPS = 1_500_000  # some seconds
_CODE = f"""
import sys, time
from simcore import registry
from simcore.run.simulation import Simulation
sim = Simulation(registry.get("{_RIG}").build())
sim.advance(1)
print("ready", flush=True)
sys.stdin.readline()
begin = time.monotonic()
sim.advance({_PROCESS_STEPS})
print(time.monotonic() - begin, flush=True)
"""


class _Many:
    def __init__(self) -> None:
        self._batch = Batch(registry.get(_RIG).build(), _MACHINES, dt=_DT)
        self._batch.command_all("valve.command", np.full(_MACHINES, _COMMAND))

    def advance(self, n_steps: int, /) -> None:
        self._batch.advance(n_steps // _MACHINES)


class _One:
    """One machine that repeats the same steps, so that Newton's method needs equally many iterations."""

    def __init__(self) -> None:
        self._sim = Simulation(registry.get(_RIG).build(), dt=_DT)
        self._start = self._sim.state.copy()

    def advance(self, n_steps: int, /) -> None:
        for _ in range(n_steps // _STEPS):
            self._sim.state[:] = self._start
            self._sim.advance(_STEPS, {"valve.command": _COMMAND})


def take() -> Iterator[Timing]:
    """Time steps of a thousand machines, and as many steps of one machine that is restarted each time."""
    steps = _MACHINES * _STEPS
    many, one = in_turns([Contender("", _Many, steps), Contender("", _One, steps)])
    error = "difference of the states", _difference()
    ours = timing(f"{_RIG}, {_MACHINES} machines", "one call", many, _DT, error)
    yield from beside(ours, [timing(f"{_RIG}, one machine", "calls of 50 steps", one, _DT, error)])


def _difference() -> float:
    many, one = _Many(), _One()
    many.advance(_MACHINES * _STEPS)
    one.advance(_STEPS)
    return float(np.max(np.abs(many._batch.states - one._sim.state)))


def processes() -> Iterator[Timing]:
    """Wall time of a step with one process and with two; error: how far two fall short of twice the rate."""
    alone = [_seconds(1) for _ in range(REPEATS // 2)]
    both = [_seconds(2) for _ in range(REPEATS // 2)]
    scale = 2.0 * min(alone) / min(both)
    error = f"{scale:.3f} times as many steps with two; short of 2 by", 2.0 - scale
    for engine, seconds, count in (("one process", alone, 1), ("two processes", both, 2)):
        times = [s / (count * _PROCESS_STEPS) * 1e6 for s in seconds]
        yield timing(f"{_RIG}, wall time", engine, times, _DT, error)


def _seconds(count: int) -> float:
    """Time taken by the slowest of several processes that start together, s."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(count)
    ]
    for child in children:
        assert child.stdout is not None  # noqa: S101 - it is a pipe
        child.stdout.readline()
    for child in children:
        assert child.stdin is not None  # noqa: S101 - it is a pipe
        child.stdin.write("go\n")
        child.stdin.flush()
    return max(float(child.communicate(timeout=300)[0]) for child in children)
