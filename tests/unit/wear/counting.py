"""Counters for the tests, and references in plain Python that share nothing with simcore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from simcore.model.quantity import assumed
from simcore.model.workspace import Array
from simcore.wear.counters import CycleCounters
from simcore.wear.rainflow import with_half_cycles
from simcore.wear.turning_points import Counted


def channel(name: str = "x", quantum: float = 1.0, gate: float = 1.0, span: float = 1000.0) -> Counted:
    quantities = (assumed(value, "N") for value in (quantum, gate, -span, span))
    return Counted(name, *quantities)


def counted(history: Iterable[float], gate: float = 1.0) -> CycleCounters:
    counters = CycleCounters([channel(gate=gate)])
    counters.count(np.array(list(history), dtype=float)[:, None])
    return counters


def ended(counters: CycleCounters, c: int = 0) -> dict[int, float]:
    """Cycles by range if the history ended now."""
    total: Array = with_half_cycles(counters.counts(c), counters.residue(c))
    return {int(k): float(total[k]) for k in np.flatnonzero(total)}


def turning(history: Sequence[float]) -> list[float]:
    """Turning points, first and last value included."""
    points: list[float] = []
    for x in history:
        if points and x == points[-1]:
            continue
        if len(points) >= 2 and (points[-1] - points[-2]) * (x - points[-1]) > 0:
            points.pop()
        points.append(x)
    return points


def astm(history: Sequence[float]) -> dict[float, float]:
    """Rainflow counting as ASTM E1049-85, 5.4.4 words it: three points, half cycles from the start."""
    counts: Counter[float] = Counter()
    points: list[float] = []
    for point in turning(history):
        points.append(point)
        while len(points) >= 3 and abs(points[-1] - points[-2]) >= (y := abs(points[-2] - points[-3])):
            if len(points) == 3:
                counts[y] += 0.5
                points.pop(0)
            else:
                counts[y] += 1.0
                del points[-3:-1]
    for a, b in pairwise(points):
        counts[abs(b - a)] += 0.5
    return dict(counts)
