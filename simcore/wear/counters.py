"""Counts the load cycles of a machine while it works, and keeps its turning points for a record.

The memory of the counters is a tuple of plain arrays, so that it fits into a checkpoint. Results do not
depend on how the samples are divided into chunks: each sample is treated by itself, and everything after
the rounding is whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simcore.errors import BadChannel
from simcore.kernels.direct import direct
from simcore.kernels.jit import inner, kernel
from simcore.model.workspace import Array
from simcore.wear.rainflow import barrier_of, capacity_for, close_cycles, close_smallest
from simcore.wear.turning_points import (
    GATE,
    HIGH,
    LOW,
    QUANTUM,
    Counted,
    Levels,
    Whole,
    settings_of,
)

# columns of a channel's head: direction of the signal; points on the stack; turning points kept for the
# record; samples; samples that were not a number; samples beyond the span; cycles closed in a full stack
DIRECTION, DEPTH, KEPT, SAMPLES, MISSING, CLIPPED, OVERFLOWS = range(7)
_SPARE = 256  # turning points for which there is room in the beginning


class CycleMemory(NamedTuple):
    """What the counters remember, a row per channel."""

    heads: Whole
    stacks: Whole  # residue in levels; its last point is provisional
    counts: Whole  # closed cycles by range in quanta
    points: Whole  # confirmed turning points since the last record, in levels


def memory_for(channels: Sequence[Counted]) -> CycleMemory:
    """The memory of counters that have seen nothing."""
    n, widest = len(channels), max((channel.widest for channel in channels), default=0)
    return CycleMemory(
        np.zeros((n, OVERFLOWS + 1), dtype=np.int64),
        np.zeros((n, capacity_for(channels)), dtype=np.int64),
        np.zeros((n, widest + 1), dtype=np.int64),
        np.zeros((n, _SPARE), dtype=np.int64),
    )


@inner
def _count_series(
    series: Array | Levels,
    quantum: float,
    settings: Array,
    head: Whole,
    stack: Whole,
    counts: Whole,
    points: Whole,
    keep: int,
) -> None:
    """Count the values of one channel; keep: 1 if their turning points are kept for a record.

    Levels are multiplied by the direction, so that the provisional turning point `top` is always a peak.
    """
    gate, lowest, highest = settings[GATE], settings[LOW], settings[HIGH]
    direction, depth, kept = float(head[DIRECTION]), head[DEPTH], head[KEPT]
    top = direction * stack[max(depth - 1, 0)]
    barrier = barrier_of(stack, depth, direction)
    for value in series:
        level = np.rint(value / quantum)
        if not lowest <= level <= highest:
            if level != level:
                head[MISSING] += 1
                continue
            head[CLIPPED] += 1
            level = lowest if level < lowest else highest
        rise = level * direction
        if top - gate < rise < barrier:
            top = max(top, rise)
            continue
        if direction == 0.0:
            if depth == 0:  # the first level of all is the first turning point
                stack[0], depth = int(level), 1
            if abs(level - stack[0]) < gate:
                continue
            direction = -1.0 if level > stack[0] else 1.0  # as if it had come from there: now it reverses
            rise, top = level * direction, stack[0] * direction
        if rise < top:
            stack[depth - 1] = points[kept] = int(top * direction)
            kept += keep
            if depth == len(stack):
                depth = close_smallest(stack, depth, counts)
                head[OVERFLOWS] += 1
            depth += 1
            direction = -direction
        stack[depth - 1] = int(level)
        depth = close_cycles(stack, depth, counts)
        top, barrier = level * direction, barrier_of(stack, depth, direction)
    if direction != 0.0:
        stack[depth - 1] = int(top * direction)
    head[DIRECTION], head[DEPTH], head[KEPT] = int(direction), depth, kept


@kernel
def count_samples(settings: Array, memory: CycleMemory, samples: Array) -> None:
    """Count samples: a row per time, a column per channel. Needs room for as many turning points and one."""
    for c in range(len(settings)):
        _count_series(
            samples[:, c], settings[c, QUANTUM], settings[c], memory.heads[c], memory.stacks[c],
            memory.counts[c], memory.points[c], 1,
        )  # fmt: skip
        memory.heads[c, SAMPLES] += len(samples)


@kernel
def count_levels(settings: Array, memory: CycleMemory, channel: int, levels: Levels) -> None:
    """Count the levels of a record in one channel."""
    _count_series(
        levels, 1.0, settings[channel], memory.heads[channel], memory.stacks[channel], memory.counts[channel],
        memory.points[channel], 0,
    )  # fmt: skip


class CycleCounters:
    """Rainflow counters of several channels.

    memory: plain arrays; `packed` and `unpacked` carry them over into a checkpoint and back.
    """

    def __init__(self, channels: Sequence[Counted]) -> None:
        self.channels = tuple(channels)
        self.memory = memory_for(channels)
        self._settings = settings_of(channels)
        self._call = direct(count_samples, self._settings, self.memory, np.zeros((0, len(self.channels))))
        self._room = 0  # samples that can be counted before the turning points may need more room

    def count(self, samples: Array) -> None:
        """Count samples: a row per time, a column per channel; not a number: no reading."""
        if samples.ndim != 2 or samples.shape[1] != len(self.channels):
            raise BadChannel(f"samples of shape {samples.shape}: must have {len(self.channels)} columns")
        if not (samples.dtype == float and samples.flags.c_contiguous):
            samples = np.ascontiguousarray(samples, dtype=float)
        if self._room < len(samples):
            self._make_room(len(samples))
        self._room -= len(samples)
        self._call(self._settings, self.memory, samples)

    def recount(self, channel: int, levels: Levels) -> None:
        """Count the levels of a record."""
        arguments = self._settings, self.memory, channel, levels
        direct(count_levels, *arguments)(*arguments)

    def residue(self, channel: int) -> Whole:
        """Turning points that no closed cycle contains, in levels; the last is provisional."""
        return self.memory.stacks[channel, : self.memory.heads[channel, DEPTH]].copy()

    def counts(self, channel: int) -> Whole:
        """Closed cycles by range in quanta."""
        return self.memory.counts[channel, : self.channels[channel].widest + 1].copy()

    def packed(self) -> Whole:
        """The memory without its unused parts, as one array for a checkpoint."""
        parts = [self.memory.heads.reshape(-1)]
        for head, stack, counts, points in zip(*self.memory, strict=True):
            seen = np.flatnonzero(counts)
            parts += [stack[: head[DEPTH]], points[: head[KEPT]], np.array([len(seen)]), seen, counts[seen]]
        return np.concatenate(parts)

    @classmethod
    def unpacked(cls, channels: Sequence[Counted], packed: Whole) -> CycleCounters:
        """Counters that continue from a packed memory."""
        made, at = cls(channels), 0

        def take(n: int) -> Whole:
            nonlocal at
            at += n
            return packed[at - n : at]

        made.memory.heads[:] = take(made.memory.heads.size).reshape(made.memory.heads.shape)
        made._make_room(0)
        for head, stack, counts, points in zip(*made.memory, strict=True):
            stack[: head[DEPTH]] = take(head[DEPTH])
            points[: head[KEPT]] = take(head[KEPT])
            seen = take(int(take(1)[0]))
            counts[seen] = take(len(seen))
        return made

    def take_points(self) -> list[Levels]:
        """Turning points of each channel since the last call, and the provisional one at the end."""
        taken = []
        for head, stack, points in zip(
            self.memory.heads, self.memory.stacks, self.memory.points, strict=True
        ):
            last = stack[head[DEPTH] - 1 : head[DEPTH]] if head[DEPTH] else stack[:0]
            taken.append(np.concatenate([points[: head[KEPT]], last]).astype(np.int16))
        self.memory.heads[:, KEPT] = 0
        return taken

    def _make_room(self, samples: int) -> None:
        """Make room for a turning point per sample, and one more."""
        kept, room = int(self.memory.heads[:, KEPT].max(initial=0)), self.memory.points.shape[1]
        if kept + samples >= room:
            grown = np.zeros((len(self.channels), max(kept + samples + 1, 2 * room)), dtype=np.int64)
            grown[:, :room] = self.memory.points
            self.memory = self.memory._replace(points=grown)
        self._room = self.memory.points.shape[1] - kept - 1
