"""Timing: CPU time of the process, best and median of seven.

The contenders take turns, so that each sees the same load. Everything runs in one thread; if a peer starts
more, their time counts as well.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

REPEATS = 7


class Steps(Protocol):
    """An engine that steps from its start state."""

    def advance(self, n_steps: int, /) -> None: ...


@dataclass(frozen=True)
class Timing:
    """Time of a step, us, and the error of the run."""

    what: str
    engine: str
    best_us: float
    median_us: float
    error: float
    error_of: str
    realtime_factor: float
    bodies: int | None = None  # where a benchmark has several sizes
    ours_over_it: float | None = None  # of a peer: our best over its best

    @property
    def name(self) -> str:
        """What was timed, with its size."""
        return self.what if self.bodies is None else f"{self.what}, {self.bodies} bodies"


@dataclass(frozen=True)
class Contender:
    """An engine with a machine at its start; created for every run."""

    engine: str
    make: Callable[[], Steps]
    steps: int


def in_turns(contenders: Sequence[Contender]) -> list[list[float]]:
    """CPU time of a step of each contender, us, seven times from its start."""
    found: list[list[float]] = [[] for _ in contenders]
    for _ in range(REPEATS):
        for times, contender in zip(found, contenders, strict=True):
            engine = contender.make()
            begin = time.process_time()
            engine.advance(contender.steps)
            times.append((time.process_time() - begin) / contender.steps * 1e6)
    return found


def timing(
    what: str,
    engine: str,
    times: Sequence[float],
    dt: float,
    error: tuple[str, float],
    bodies: int | None = None,
) -> Timing:
    """Times in us as a row; dt: step in s; error: of what, with its unit, and its size."""
    best = min(times)
    return Timing(
        what, engine, best, statistics.median(times), error[1], error[0], dt * 1e6 / best, bodies=bodies
    )


def beside(ours: Timing, peers: Sequence[Timing]) -> list[Timing]:
    """Ours, and each peer with our best over its best."""
    return [ours, *(replace(peer, ours_over_it=ours.best_us / peer.best_us) for peer in peers)]
