"""Readings with the errors of sensors and clocks, and the entries of the machine's stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simcore.model import Channel
from simcore.model.workspace import Array
from tests.field.causes import OTHER_ENGINE
from tests.field.draws import NOISE, TRAVEL, Draw
from tests.field.other_excavator import ENCODER_OFF
from tests.field.truth import Truth
from twin.ingest.entries import Samples

T0_US = 1_700_000_000_000_000  # our clock at the start of the work
_CLOCK_STEP_AT = 0.55  # of the work: the sender's clock is set
# mounting errors of every machine, standard deviations (assumed), by unit
_MOUNTING = {"rad": 9e-4, "m": 1e-3, "Pa": 1e4, "rad/s": 2e-3}
_ENGINE_MOUNTING = 0.1  # rad/s, of an engine speed
_NOISE = (0.7, 1.2)  # of the described noise
_FINE = {"rad": 9e-4, "m": 5e-4, "Pa": 1e4, "rad/s": 1e-3}  # resolution of half of the machines


class Clock:
    """The sender's clock over the true time, both in s since the start."""

    def __init__(self, draw: Draw) -> None:
        wrong = draw.cause.name == "clock"
        self._skew = draw.cause.sizes["skew"] if wrong else 0.0
        self._step = draw.cause.sizes["step"] if wrong else 0.0
        self._at = _CLOCK_STEP_AT * draw.seconds

    def stamp(self, t: Array) -> Array:
        return np.asarray(t * (1.0 + self._skew) + np.where(t >= self._at, self._step, 0.0))

    def true_time(self, stamp: float, now: float) -> float:
        """The instant that has this stamp, seen at true time `now` (a clock set back gives a stamp twice)."""
        after = (stamp - self._step) / (1.0 + self._skew)
        before = stamp / (1.0 + self._skew)
        if self._step == 0.0 or now < self._at:
            return before
        return after if after >= self._at else min(before, self._at)


@dataclass(frozen=True)
class Telemetry:
    """Of one draw."""

    entries: tuple[tuple[float, Samples], ...]  # by arrival, s since the start
    clock: Clock
    gaps: tuple[tuple[float, float], ...]  # s, arrivals between which nothing came


def telemetry(draw: Draw, truth: Truth, channels: tuple[Channel, ...]) -> Telemetry:
    """What arrives, and when."""
    chance, link = draw.chance(TRAVEL), draw.link
    clock = Clock(draw)
    count = int(truth.seconds * link.rate)
    taken = (np.arange(count) + link.sample_jitter * (chance.random(count) - 0.5)) / link.rate
    taken = np.clip(taken, 0.0, truth.seconds)
    sent = ~_lost(chance, count, link.loss, link.bursts)
    for begin, end in link.gaps:
        sent &= (taken < begin) | (taken >= end)
    names, values = _readings(draw, truth, channels, taken)
    stamps = clock.stamp(taken) + link.stamp_jitter * chance.standard_normal(count)
    body = np.floor(taken / link.batch).astype(np.int64) if link.batch > 0.0 else np.arange(count)
    behind = draw.cause.sizes["s"] if draw.cause.name == "behind" else 0.0
    entries = []
    for k in np.unique(body[sent]):
        rows = np.flatnonzero(sent & (body == k)) if link.batch == 0.0 else _rows(body, sent, k)
        arrives = (
            float(taken[rows[-1]]) + link.latency + link.arrival_jitter * float(chance.exponential()) + behind
        )
        samples = [
            (
                int(row),
                T0_US + round(float(stamps[row]) * 1e6),
                dict(zip(names, values[row].tolist(), strict=True)),
            )
            for row in rows
        ]
        entries.append((arrives, Samples("Controller", "boot", T0_US + round(arrives * 1e6), samples)))
    entries.sort(key=lambda pair: pair[0])
    gaps = tuple((begin + behind, end + behind) for begin, end in link.gaps if end < truth.seconds - 3.0)
    return Telemetry(tuple(entries), clock, gaps)


def _rows(body: Array, sent: Array, k: int) -> Array:
    low, high = np.searchsorted(body, [k, k + 1])
    return np.asarray(low + np.flatnonzero(sent[low:high]))


def _lost(chance: np.random.Generator, count: int, share: float, length: int) -> Array:
    """Losses of a mean length."""
    lost = chance.random(count) < share / length
    for _ in range(length - 1):
        lost[1:] |= lost[:-1]
    return np.asarray(lost)


def _readings(
    draw: Draw, truth: Truth, channels: tuple[Channel, ...], taken: Array
) -> tuple[tuple[str, ...], Array]:
    """Names and values by sample; commands are the operator's."""
    chance, cause = draw.chance(NOISE), draw.cause
    exact = truth.at(taken)
    if cause.name == "pressures-late":
        earlier = truth.at(np.maximum(taken - cause.sizes["s"], 0.0))
        late = [k for k, channel in enumerate(channels) if channel.unit == "Pa"]
        exact[:, late] = earlier[:, late]
    fine = bool(chance.random() < 0.5)
    names, columns = [], []
    for k, channel in enumerate(channels):
        if channel.role == "input":
            names.append(channel.name)
            columns.append(truth.commands_at(taken)[:, truth.commands.index(channel.name)])
        elif channel.role == "sensor":
            names.append(channel.name)
            columns.append(_sensor(draw, chance, channel, exact[:, k], taken, fine))
    return tuple(names), np.column_stack(columns)


def _sensor(
    draw: Draw, chance: np.random.Generator, channel: Channel, exact: Array, taken: Array, fine: bool
) -> Array:
    cause, unit = draw.cause, channel.unit
    sigma = float(channel.noise_sigma or 0.0)
    mounting = _ENGINE_MOUNTING if channel.name == "engine.speed" else _MOUNTING[unit]
    mounting *= float(np.clip(chance.standard_normal(), -2.0, 2.0))
    noise = sigma * float(chance.uniform(*_NOISE)) * chance.standard_normal(len(exact))
    wild = chance.random(len(exact)), chance.standard_normal(len(exact))
    read = exact + mounting + noise
    mine = cause.part == channel.name
    if mine and cause.name in ("angle-bias", "pressure-bias"):
        read = read + cause.sizes["off"]
    if mine and cause.name == OTHER_ENGINE:
        read = read + ENCODER_OFF
    if mine and cause.name == "outliers":
        hit = wild[0] < cause.sizes["share"]
        read = np.where(hit, read + cause.sizes["far"] * sigma * wild[1], read)
    resolution = _FINE[unit] if fine and channel.name != "engine.speed" else 0.0
    if cause.name == "quantised":
        resolution = {"rad": cause.sizes["angle"], "Pa": cause.sizes["pressure"]}.get(unit, resolution)
    if resolution > 0.0:
        read = resolution * np.round(read / resolution)
    if mine and cause.name == "stuck":
        begin = np.searchsorted(taken, cause.sizes["from"] * draw.seconds / 300.0)
        read[begin:] = read[min(begin, len(read) - 1)]
    return np.asarray(read)
