"""Sums the damage at each hot spot (Palmgren-Miner): D = Σ n(Δ)/N(Δ), failure expected at D = 1.

Ranges of a quantised signal are whole numbers of quanta, so a table with the damage of each of them is
exact. The counters keep numbers of cycles, not damage: these add up exactly, and another curve needs
another table only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from simcore.errors import BadChannel, BadParameter
from simcore.kernels.jit import kernel
from simcore.model.quantity import Quantity
from simcore.model.workspace import Array
from simcore.wear.counters import CycleCounters
from simcore.wear.rainflow import with_half_cycles
from simcore.wear.turning_points import Counted


class LifeLine(Protocol):
    """What says how much damage a cycle does: an S-N curve, a hose or an envelope."""

    def damage(self, ranges: Array) -> Array:
        """Damage of one cycle of each range."""


@dataclass(frozen=True, slots=True)
class HotSpot:
    """A place where fatigue is watched.

    channel: name of the counted channel that loads it. per_unit: its range (stress, pressure; Pa) per unit of
    the channel, safety factors included.
    """

    name: str
    channel: str
    per_unit: Quantity
    line: LifeLine

    def __post_init__(self) -> None:
        if not (np.isfinite(float(self.per_unit)) and float(self.per_unit) != 0.0):
            value = f"{self.per_unit.value:g} {self.per_unit.unit}"
            raise BadParameter(f"hot spot {self.name!r}: per_unit = {value}: must be finite and not zero")


def damage_table(spot: HotSpot, channel: Counted) -> Array:
    """Damage of one cycle at a hot spot by range of the channel in quanta."""
    ranges = np.arange(channel.widest + 1.0) * (float(channel.quantum) * abs(float(spot.per_unit)))
    return spot.line.damage(ranges)


@kernel
def miner_sum(counts: Array, table: Array) -> float:
    """Σ n/N in a fixed order, so that equal counts give equal bits."""
    total = 0.0
    for k in range(len(counts)):
        total += counts[k] * table[k]
    return total


def damages(counters: CycleCounters, spots: Sequence[HotSpot], open_cycles: bool = False) -> Array:
    """Miner sum at each hot spot; open_cycles: with the ranges of the residue as half cycles."""
    names = [channel.name for channel in counters.channels]
    found = np.zeros(len(spots))
    for k, spot in enumerate(spots):
        if spot.channel not in names:
            raise BadChannel(
                f"hot spot {spot.name!r}: channel = {spot.channel!r}: must be one of {', '.join(names)}"
            )
        c = names.index(spot.channel)
        counts = counters.counts(c)
        cycles = with_half_cycles(counts, counters.residue(c)) if open_cycles else counts.astype(float)
        found[k] = miner_sum(cycles, damage_table(spot, counters.channels[c]))
    return found
