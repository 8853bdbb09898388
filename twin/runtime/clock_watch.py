"""Watches a sender's clock: how late samples arrive, and whether that changes.

The delay of a sample is its arrival, on the server's clock, less its own time stamp. It contains the way over
the network, which is never negative, and the difference of the clocks. The least delay of many samples is
nearly free of jitter, batches and repeats, so it shows the clocks. A large delay means that the sender is
behind or its clock is slow; a negative delay, that its clock is ahead. A slope shows a clock that runs too
fast or too slow, and a jump a clock that was set. The numbers below are our assumptions.
"""

import math
from collections.abc import Iterator

import msgspec
import numpy as np

from simcore.estimate.monitor.finding import Finding
from simcore.messages import Message
from twin import messages

WINDOW_US = 5_000_000  # the least delay of a window, at least this long, is one point
_FEWEST_SAMPLES = 25  # in a window
_MOST_POINTS = 60  # five minutes
_FEWEST_POINTS = 8  # before a slope is judged
_BEHIND_US = 1_000_000  # more than any usual network and batch
_AHEAD_US = 100_000
_JUMP_US = 80_000  # between neighbouring points; more than the least delay of a window varies
_JUMP_SHOWN_US = 300_000_000  # how long a jump is reported
_SKEW = 3e-5  # s/s; crystals have 2e-5 and less
_SURE = 5.0  # standard errors of the slope


class Point(msgspec.Struct, array_like=True):
    """Least delay of one window."""

    received_us: int  # when the window began
    delay_us: int


class ClockRecord(msgspec.Struct):
    """Memory of the watch, part of a session's record. Times are in µs on the server's clock."""

    begun_us: int = 0  # of the present window; 0: no sample yet
    samples: int = 0  # in it
    least_us: int = 0  # least delay in it
    points: list[Point] = msgspec.field(default_factory=list)  # since the last jump
    jump_us: int = 0  # size of the last jump of the sender's clock; 0: none
    jumped_us: int = 0  # when it was noticed
    noticed: dict[str, int] = msgspec.field(default_factory=dict)  # machine time of each present finding


def watch_clock(record: ClockRecord, t: int, received: int) -> None:
    """Take the time stamp and the arrival of one sample."""
    delay = received - t
    full = received - record.begun_us >= WINDOW_US and record.samples >= _FEWEST_SAMPLES
    if record.begun_us and full:
        _close_window(record, t)
    if not record.begun_us or full:
        record.begun_us, record.samples, record.least_us = received, 0, delay
    record.samples += 1
    record.least_us = min(record.least_us, delay)


def _close_window(record: ClockRecord, t: int) -> None:
    point = Point(record.begun_us, record.least_us)
    jump = point.delay_us - record.points[-1].delay_us if record.points else 0
    if abs(jump) > _JUMP_US:
        # the window in which a clock is set contains both settings, so the next one may add to the jump
        same = len(record.points) == 1 and record.jump_us != 0
        record.jump_us = (record.jump_us if same else 0) - jump
        record.jumped_us, record.points = record.begun_us, []
    record.points = [*record.points, point][-_MOST_POINTS:]
    present = {message.code for message in _messages(record)}
    record.noticed = {code: record.noticed.get(code, t) for code in present}


def skew(points: list[Point]) -> float:
    """By how much the sender's clock runs too fast, s/s; 0 where it is not significant."""
    if len(points) < _FEWEST_POINTS:
        return 0.0
    at = np.array([point.received_us for point in points], dtype=float)
    delay = np.array([point.delay_us for point in points], dtype=float)
    at -= at.mean()
    slope = float(at @ delay / (at @ at))
    left = delay - delay.mean() - slope * at
    error = math.sqrt(float(left @ left) / (len(points) - 2) / float(at @ at))
    return -slope if abs(slope) > max(_SKEW, _SURE * error) else 0.0


def clock_findings(record: ClockRecord) -> list[Finding]:
    """Present findings about the sender's clock, with the machine time at which each was first noticed."""
    return [
        Finding("clock", "", record.noticed[m.code], messages.english(m), m.code, m.values)
        for m in _messages(record)
        if m.code in record.noticed
    ]


def _messages(record: ClockRecord) -> Iterator[Message]:
    if not record.points:
        return
    last = record.points[-1]
    if last.delay_us > _BEHIND_US:
        yield Message("clock.behind", {"behind": last.delay_us / 1e6})
    elif last.delay_us < -_AHEAD_US:
        yield Message("clock.ahead", {"ahead": -last.delay_us / 1e6})
    if record.jump_us and last.received_us - record.jumped_us < _JUMP_SHOWN_US:
        direction = "forward" if record.jump_us > 0 else "back"
        yield Message(f"clock.set.{direction}", {"step": abs(record.jump_us) / 1e6})
    rate = skew(record.points)
    if rate:
        yield Message(f"clock.skew.{'fast' if rate > 0 else 'slow'}", {"rate": abs(rate) * 3600.0})
