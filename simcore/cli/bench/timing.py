"""Measures the CPU time of steps: best and median of seven runs.

The engines take turns, so that other load on the computer affects them equally. Everything runs in one
thread; if a peer starts more threads, their time counts as well.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

REPEATS = 7


class Steps(Protocol):
    """An engine that takes steps from its start state."""

    def advance(self, n_steps: int, /) -> None: ...


@dataclass(frozen=True)
class Timing:
    """CPU time of a step, us, and error of the run."""

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
    """CPU time of a step, us: each contender runs seven times from its start, alternating with the others."""
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
    """A row from times in us. dt: step, s. error: the quantity with its unit, and the size of the error."""
    best = min(times)
    return Timing(
        what, engine, best, statistics.median(times), error[1], error[0], dt * 1e6 / best, bodies=bodies
    )


def beside(ours: Timing, peers: Sequence[Timing]) -> list[Timing]:
    """Our timing, and each peer's with the ratio of our best time to its best time."""
    return [ours, *(replace(peer, ours_over_it=ours.best_us / peer.best_us) for peer in peers)]
