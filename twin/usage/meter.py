"""Integrates hours, energy and fuel over a series of frames with the trapezoidal rule."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simcore.model import Channel
from twin.runtime.frames import VALUE, Frame

PART_US = 10_000_000  # machine time of one point of the recent load
PARTS = 60  # points kept
LONGEST_GAP_US = 1_000_000  # between two frames; longer gaps are not integrated
SHOWN_POWER = "pump.power"


class ChannelIndexes(NamedTuple):
    """Indexes of the channels in a machine's frames; None if the machine has no such channel."""

    power: int | None
    fuel: int | None


@dataclass
class Totals:
    """The totals; `recent` lists [number of the interval, J, s] for intervals of PART_US, oldest first."""

    until_us: int
    run_s: float
    energy_joule: float
    fuel_kg: float | None
    recent: list[list[float]] = field(default_factory=list)


@lru_cache(maxsize=256)
def channel_indexes(channels: tuple[Channel, ...]) -> ChannelIndexes:
    names = [channel.name for channel in channels]
    quantities = [channel.quantity for channel in channels]
    power = names.index(SHOWN_POWER) if SHOWN_POWER in names else None
    return ChannelIndexes(power, quantities.index("fuel") if "fuel" in quantities else None)


def add(totals: Totals, frames: Iterable[Frame], where: ChannelIndexes) -> bool:
    """Add the frames after `until_us`; return False if there are none."""
    began_us = totals.until_us
    if where.fuel is not None and totals.fuel_kg is None:
        totals.fuel_kg = 0.0
    ordered = sorted(frames, key=lambda frame: frame.t)
    for before, after in pairwise(ordered):
        span_us = after.t - before.t
        if after.t <= totals.until_us or not 0 < span_us <= LONGEST_GAP_US:
            continue
        if before.status == after.status == "synced":
            _add_span(totals, before, after, where)
        totals.until_us = after.t
    return totals.until_us > began_us


def number_at(frame: Frame, place: int | None) -> float | None:
    """Return one value of a frame; None if it is missing."""
    if place is None or place >= len(frame.flags) or not frame.flags[place] & VALUE:
        return None
    return float(np.frombuffer(frame.value, dtype="<f4", count=1, offset=4 * place)[0])


def _add_span(totals: Totals, before: Frame, after: Frame, where: ChannelIndexes) -> None:
    seconds = (after.t - before.t) / 1e6
    totals.run_s += seconds
    power = _mean(before, after, where.power)
    if power is not None:
        energy = max(0.0, power) * seconds
        totals.energy_joule += energy
        _add_recent(totals.recent, (before.t + after.t) // 2 // PART_US, energy, seconds)
    fuel = _mean(before, after, where.fuel)
    if fuel is not None and totals.fuel_kg is not None:
        totals.fuel_kg += max(0.0, fuel) * seconds


def _mean(before: Frame, after: Frame, place: int | None) -> float | None:
    first, last = number_at(before, place), number_at(after, place)
    return None if first is None or last is None else (first + last) / 2


def _add_recent(recent: list[list[float]], part: int, energy: float, seconds: float) -> None:
    if not recent or recent[-1][0] < part:
        recent.append([part, 0.0, 0.0])
        del recent[:-PARTS]
    recent[-1][1] += energy
    recent[-1][2] += seconds
