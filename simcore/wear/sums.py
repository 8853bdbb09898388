"""Integrates channels over time in blocks of ten seconds, as whole numbers of a quantum.

The part of an integral that rounding leaves over is carried into the next block, so a total is never more
than half a quantum from the exact integral, and totals from records equal the live ones exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simcore.errors import BadChannel, BadParameter
from simcore.kernels.direct import direct
from simcore.kernels.jit import kernel
from simcore.model.quantity import Quantity
from simcore.model.workspace import Array
from simcore.wear.turning_points import Whole

BLOCK_S = 10.0
_SPARE = 64  # blocks for which there is room in the beginning
FILLED, CLOSED = range(2)  # steps in the open block, closed blocks since the last record


@dataclass(frozen=True, slots=True)
class Summed:
    """A channel that is integrated over time. quantum: of its integral, unit of the channel times s."""

    name: str
    quantum: Quantity

    def __post_init__(self) -> None:
        if not 0.0 < float(self.quantum) < math.inf:
            raise BadParameter(
                f"{self.name}: quantum = {self.quantum.value:g} {self.quantum.unit}: "
                "must be more than zero and finite"
            )


class SumMemory(NamedTuple):
    """What the sums remember."""

    place: Whole  # FILLED, CLOSED
    open: Array  # sum of the samples of the open block, by channel
    rest: Array  # what rounding left over, in the unit of the integral
    missing: Whole  # samples that were not a number, by channel
    totals: Whole  # integrals of all closed blocks in quanta
    blocks: Whole  # closed blocks since the last record, a row each, in quanta


@kernel
def sum_samples(quanta: Array, dt: float, steps: int, memory: SumMemory, samples: Array) -> None:
    """Add samples, a row per step of dt, to blocks of `steps`. Needs room for every block that closes."""
    place = memory.place
    for k in range(len(samples)):
        for c in range(len(quanta)):
            value = samples[k, c]
            if value - value == 0.0:
                memory.open[c] += value
            else:
                memory.missing[c] += 1
        place[FILLED] += 1
        if place[FILLED] == steps:
            for c in range(len(quanta)):
                integral = memory.rest[c] + memory.open[c] * dt
                number = np.rint(integral / quanta[c])
                memory.rest[c] = integral - number * quanta[c]
                memory.open[c] = 0.0
                memory.blocks[place[CLOSED], c] = int(number)
                memory.totals[c] += int(number)
            place[FILLED] = 0
            place[CLOSED] += 1


class BlockSums:
    """Integrals of several channels in blocks of ten seconds. dt: s between samples."""

    def __init__(self, channels: Sequence[Summed], dt: float) -> None:
        if not 0.0 < dt <= BLOCK_S:
            raise BadParameter(f"dt = {dt:g} s: must be more than zero and at most {BLOCK_S:g} s")
        n = len(channels)
        self.channels, self.dt, self._steps = tuple(channels), dt, round(BLOCK_S / dt)
        self._quanta = np.array([float(channel.quantum) for channel in channels])
        self.memory = SumMemory(
            np.zeros(2, dtype=np.int64),
            np.zeros(n),
            np.zeros(n),
            np.zeros(n, dtype=np.int64),
            np.zeros(n, dtype=np.int64),
            np.zeros((_SPARE, n), dtype=np.int64),
        )

    def add(self, samples: Array) -> None:
        """Add samples: a row per step, a column per channel; not a number: no reading."""
        if samples.ndim != 2 or samples.shape[1] != len(self.channels):
            raise BadChannel(f"samples of shape {samples.shape}: must have {len(self.channels)} columns")
        self._make_room(len(samples))
        arguments = (
            self._quanta,
            self.dt,
            self._steps,
            self.memory,
            np.ascontiguousarray(samples, dtype=float),
        )
        direct(sum_samples, *arguments)(*arguments)

    def take_blocks(self) -> Whole:
        """Closed blocks since the last call, a row each, in quanta."""
        taken = self.memory.blocks[: self.memory.place[CLOSED]].copy()
        self.memory.place[CLOSED] = 0
        return taken

    def packed(self) -> Whole:
        """The memory without its unused part, as one array for a checkpoint; floats by their bits."""
        *parts, blocks = self.memory
        used = blocks[: self.memory.place[CLOSED]].reshape(-1)
        return np.concatenate([*(part.view(np.int64) for part in parts), used])

    @classmethod
    def unpacked(cls, channels: Sequence[Summed], dt: float, packed: Whole) -> BlockSums:
        """Sums that continue from a packed memory."""
        made, at = cls(channels, dt), 0
        for part in made.memory[:-1]:
            part.view(np.int64)[:] = packed[at : at + len(part)]
            at += len(part)
        made._make_room(0)
        made.memory.blocks[: made.memory.place[CLOSED]] = packed[at:].reshape(-1, len(channels))
        return made

    def _make_room(self, samples: int) -> None:
        blocks = self.memory.blocks
        needed = int(self.memory.place[CLOSED]) + samples // self._steps + 1
        if needed > len(blocks):
            grown = np.zeros((max(needed, 2 * len(blocks)), len(self.channels)), dtype=np.int64)
            grown[: len(blocks)] = blocks
            self.memory = self.memory._replace(blocks=grown)
