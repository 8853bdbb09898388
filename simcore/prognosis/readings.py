"""Readings of a part's hour meter and damage counter, and the weekly duty that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from simcore.prognosis.checks import not_after, not_before, not_negative, refuse

Numbers = NDArray[np.float64]
WEEK = 7  # days
HOURS_OF_A_DAY = 24.0
_ROUNDING = 1e-9  # h, and relative: counters are written with few digits


class DutyKnownBy(Enum):
    """How the duty of hours without a counter is known; the value multiplies it (ISO 12482:2014, table 1)."""

    COUNTERS = 1.0  # automatic recording, or counters that are written down
    PROCESS = 1.1  # a documented process
    PRODUCTION = 1.2  # documented production of the site
    ESTIMATE = 1.3  # undocumented, estimated production
    UNKNOWN = 1.5  # unknown history


@dataclass(frozen=True)
class Part:
    """A part in a machine.

    earlier_hours: h that a second-hand part worked before its installation, known as `earlier` says.
    """

    name: str
    made: date
    installed: date
    earlier_hours: float = 0.0
    earlier: DutyKnownBy = DutyKnownBy.UNKNOWN

    def __post_init__(self) -> None:
        not_negative(f"{self.name}.earlier_hours", self.earlier_hours, "h")
        not_before(f"{self.name}.installed", self.installed, self.made, "the day it was made")


@dataclass(frozen=True)
class Reading:
    """Counters at the end of a day. All count from the installation, or from the last reset.

    hours: h the part has worked. recorded_hours: h of them during which the damage counter ran.
    damage: counter, 1 = the catalogue's life. reset: the counters started again from zero.
    missing: how the duty of hours without a counter since the last reading is known.
    """

    day: date
    hours: float
    recorded_hours: float
    damage: float
    reset: bool = False
    missing: DutyKnownBy = DutyKnownBy.COUNTERS


@dataclass(frozen=True)
class DutyHistory:
    """Duty of a part; the weeks begin after its installation and end on the day of its last reading."""

    part: Part
    last_day: date
    hours: float  # h worked, those before its installation included
    recorded_hours: float  # h worked with a running counter
    damage: float  # in the recorded hours
    priced_hours: float  # h without a counter, times the factor of how their duty is known
    week_hours: Numbers  # h worked in each whole week, oldest first
    week_recorded: Numbers  # h with a running counter
    week_damage: Numbers  # in the recorded hours

    @property
    def coverage(self) -> float:
        """Share of the hours worked whose damage was counted."""
        return self.recorded_hours / self.hours if self.hours > 0.0 else 1.0

    @property
    def missing_hours(self) -> float:
        return self.hours - self.recorded_hours


def duty_history(part: Part, readings: Sequence[Reading]) -> DutyHistory:
    """The duty of a part; without readings it is fresh from the day of its installation."""
    steps = _increments(part, readings)
    hours, recorded, damage = (np.cumsum(steps[:, k]) for k in range(3))
    last_day = readings[-1].day if readings else part.installed
    days = [part.installed, *(reading.day for reading in readings)]
    ages = np.array([(day - part.installed).days for day in days], dtype=float)
    age = int(ages[-1])
    edges = np.arange(age % WEEK, age + 1, WEEK, dtype=float)
    missing = (steps[:, 0] - steps[:, 1])[1:]
    factors = np.array([reading.missing.value for reading in readings])

    def weekly(counter: Numbers) -> Numbers:
        return np.diff(np.interp(edges, ages, counter))

    return DutyHistory(
        part=part,
        last_day=last_day,
        hours=part.earlier_hours + float(hours[-1]),
        recorded_hours=float(recorded[-1]),
        damage=float(damage[-1]),
        priced_hours=part.earlier_hours * part.earlier.value + float(missing @ factors),
        week_hours=weekly(hours),
        week_recorded=weekly(recorded),
        week_damage=weekly(damage),
    )


def season_of(day: date) -> int:
    """Week of the year, 0 to 51."""
    return min((day.timetuple().tm_yday - 1) * 52 // 365, 51)


def week_of_year(history: DutyHistory) -> NDArray[np.int64]:
    """Season of each week, by the day on which it begins."""
    n = len(history.week_hours)
    first = season_of(history.last_day - timedelta(days=WEEK * n))
    return np.asarray((first + np.arange(n)) % 52, dtype=np.int64)


def _increments(part: Part, readings: Sequence[Reading]) -> Numbers:
    """Rows of hours, recorded hours and damage since the reading before; the first row is zero."""
    table = np.zeros((len(readings) + 1, 3))
    before = Reading(part.installed, 0.0, 0.0, 0.0)
    for k, reading in enumerate(readings):
        name = f"{part.name}.readings[{k}]"
        not_before(f"{name}.day", reading.day, before.day, "the day of the reading before or of installation")
        not_negative(f"{name}.hours", reading.hours, "h")
        not_negative(f"{name}.recorded_hours", reading.recorded_hours, "h")
        not_negative(f"{name}.damage", reading.damage, "")
        start = Reading(before.day, 0.0, 0.0, 0.0) if reading.reset else before
        for field in ("hours", "recorded_hours", "damage"):
            now, then = getattr(reading, field), getattr(start, field)
            if now < then:
                raise refuse(
                    f"{name}.{field}", now, f"at least {then:g}, the reading before, or marked as a reset"
                )
        worked, recorded = reading.hours - start.hours, reading.recorded_hours - start.recorded_hours
        slack = _ROUNDING * max(1.0, reading.hours)
        not_after(
            f"{name}.recorded_hours", recorded, worked + slack, "the hours worked since the reading before"
        )
        span = HOURS_OF_A_DAY * ((reading.day - before.day).days + 1)
        not_after(
            f"{name}.hours", worked, span + slack, "the hours that have passed since the reading before"
        )
        table[k + 1] = worked, min(recorded, worked), reading.damage - start.damage
        before = reading
    return table
