"""Counts load cycles by the four-point rainflow algorithm on a stack of turning points, the residue.

Of four consecutive points A B C D the inner range BC is a closed cycle if it exceeds neither AB nor CD; B
and C are then removed. The last point D is provisional. Counting before it is confirmed is right: it can
only move further away, so CD can only become wider.

In a residue no range is enclosed by its neighbours, so ranges strictly grow and then strictly shrink, with
at most two equal ones between. Of a quantised signal they are whole numbers from the gate g to the widest
range w: at most 2 (w - g + 1) of them, and one point more. A channel gets that capacity, at most
MOST_POINTS. A real residue has a few dozen points. If the stack is full nevertheless, its smallest inner
range is counted as a cycle, and the overflow is counted too.

Source: ASTM E1049-85, 5.4.4 (its three-point rule closes the same cycles; what remains are half cycles);
four points: Amzallag 1994.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simcore.kernels.jit import inner
from simcore.model.workspace import Array
from simcore.wear.turning_points import GATE, Counted, Whole, settings_of

MOST_POINTS = 128  # (assumed) 1 kB a channel; a spiral with steps of 1/64 of the widest range fits
_LEAST_POINTS = 6


def capacity_for(channels: Sequence[Counted]) -> int:
    """Points that the residue of any of these channels can have, at most MOST_POINTS."""
    gates = settings_of(channels)[:, GATE].astype(int)
    needed = [2 * (channel.widest - gate + 1) + 1 for channel, gate in zip(channels, gates, strict=True)]
    return min(MOST_POINTS, max([_LEAST_POINTS, *(int(n) for n in needed)]))


def _close_cycles(stack: Whole, depth: int, counts: Whole) -> int:
    """Count and remove the closed cycles at the end of a stack; returns its depth.

    counts: cycles by range in quanta.
    """
    while depth >= 4:
        within = abs(stack[depth - 2] - stack[depth - 3])
        if within > abs(stack[depth - 3] - stack[depth - 4]) or within > abs(
            stack[depth - 1] - stack[depth - 2]
        ):
            break
        counts[within] += 1
        stack[depth - 3] = stack[depth - 1]
        depth -= 2
    return depth


close_cycles = inner(_close_cycles)


@inner
def barrier_of(stack: Whole, depth: int, direction: float) -> float:
    """Level, times the direction, at which the provisional point D closes the cycle before it: that of B.

    Infinite if nothing can close: BC exceeds AB, or there are fewer points. Below everything while the signal
    has no direction.
    """
    if direction == 0.0:
        return -np.inf
    if depth < 4 or abs(stack[depth - 2] - stack[depth - 3]) > abs(stack[depth - 3] - stack[depth - 4]):
        return np.inf
    return float(stack[depth - 3] * direction)


@inner
def close_smallest(stack: Whole, depth: int, counts: Whole) -> int:
    """Count the smallest inner range of a full stack as a cycle and remove it; returns the depth."""
    best = 1
    for k in range(2, depth - 2):
        if abs(stack[k + 1] - stack[k]) < abs(stack[best + 1] - stack[best]):
            best = k
    counts[abs(stack[best + 1] - stack[best])] += 1
    for k in range(best, depth - 2):
        stack[k] = stack[k + 2]
    return depth - 2


def with_half_cycles(counts: Whole, residue: Whole) -> Array:
    """Cycles by range if the history ended here: every range of the residue is half a cycle (ASTM E1049)."""
    total = counts.astype(float)
    np.add.at(total, np.abs(np.diff(residue)), 0.5)
    return total


def with_repeated(counts: Whole, residue: Whole) -> Whole:
    """Cycles by range of one repetition if the history were repeated for ever (ASTM E1049-85, 5.4.5).

    A second pass over the residue closes all that one repetition closes, and leaves the residue as it was.
    """
    total, stack, depth = counts.copy(), np.zeros(2 * len(residue), dtype=np.int64), 0
    for level in np.concatenate([residue, residue]):
        if depth >= 2 and (stack[depth - 1] - stack[depth - 2]) * (level - stack[depth - 1]) >= 0:
            depth -= 1  # at the joint: not a turning point
        elif depth == 1 and level == stack[0]:
            depth = 0
        stack[depth] = level
        depth = _close_cycles(stack, depth + 1, total)
    return total
