"""Reads history by time, page by page: raw samples, or summaries over equal time steps."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import F, FloatField, Max, Min, Sum
from django.db.models.functions import Cast

from twin.history.columns import Columns, unpack
from twin.history.models import Second, Segment
from twin.history.seconds import SECOND_US
from twin.history.writing import HOUR_US

COLUMNS = ("count", "min", "mean", "max")
SCAN_S = 200_000  # seconds of each channel that one page may read

Person = AbstractBaseUser | AnonymousUser
Numbers = list[float | None]


class Place(NamedTuple):
    """The beginning of a page: a machine time, and how many samples with exactly that time to skip."""

    t_us: int
    skip: int = 0


class Question(NamedTuple):
    machine: UUID
    channels: Sequence[str]
    begin: Place
    end_us: int  # exclusive
    most: int  # rows on a page


class Raw(NamedTuple):
    t_us: list[int]
    value: dict[str, Numbers]
    next: Place | None


class Summaries(NamedTuple):
    """Summaries per time step; `t_us` contains the beginning of each step. Columns are by channel."""

    t_us: list[int]
    columns: dict[str, dict[str, Numbers]]
    next: Place | None


def raw(user: Person, question: Question) -> Raw:
    """Return samples with a reading of one of the channels, ordered by machine time, then by stream order."""
    begin, most = question.begin, question.most
    parts: list[Columns] = []
    for segment in _segments(user, question):
        older = sum(int(np.count_nonzero(part.t_us < segment.first_us)) for part in parts)
        if older > begin.skip + most:
            break  # the following segments are later
        parts.append(_wanted(unpack(segment.data), question))
    t_us = np.concatenate([part.t_us for part in parts]) if parts else np.empty(0, dtype=np.int64)
    order = np.argsort(t_us, kind="stable")
    page, rest = order[begin.skip : begin.skip + most], order[begin.skip + most :]
    following = None
    if len(rest):
        t_next = int(t_us[rest[0]])
        following = Place(t_next, int(np.count_nonzero(t_us[order[: begin.skip + most]] == t_next)))
    value = {name: _numbers(parts, name)[page].tolist() for name in question.channels}
    return Raw(t_us[page].tolist(), {name: _or_none(column) for name, column in value.items()}, following)


def samples_between(user: Person, machine: UUID, begin_us: int, end_us: int) -> int:
    """Return an upper limit on the number of samples that a query for this time span would read."""
    rows = Segment.objects.for_user(user).filter(machine=machine, first_us__lt=end_us, last_us__gte=begin_us)
    return int(rows.aggregate(count=Sum("count"))["count"] or 0)


def _segments(user: Person, question: Question) -> Any:
    begin_us = question.begin.t_us
    rows = Segment.objects.for_user(user).filter(
        machine=question.machine,
        first_us__gt=begin_us - HOUR_US,  # no segment is longer
        first_us__lt=question.end_us,
        last_us__gte=begin_us,
    )
    return rows.order_by("first_us", "id").iterator(chunk_size=20)


def _wanted(part: Columns, question: Question) -> Columns:
    kept = (part.t_us >= question.begin.t_us) & (part.t_us < question.end_us)
    readings = {name: part.readings[name] for name in question.channels if name in part.readings}
    there = [~np.isnan(column) for column in readings.values()]
    kept &= np.any(there, axis=0) if there else False
    columns = {name: column[kept] for name, column in readings.items()}
    return Columns(part.t_us[kept], part.seq[kept], part.source[kept], part.sources, columns)


def _numbers(parts: Sequence[Columns], name: str) -> Any:
    found = [part.readings.get(name, np.full(len(part.t_us), np.nan)) for part in parts]
    return np.concatenate(found) if found else np.empty(0)


def _or_none(column: list[float]) -> Numbers:
    return [None if value != value else value for value in column]


def summaries(user: Person, question: Question, step_s: int) -> Summaries:
    """Return one row for every step of `step_s` seconds (counted from 1970) that contains a reading."""
    begin_s = question.begin.t_us // SECOND_US
    end_s = -(-question.end_us // SECOND_US)
    until_s = min(end_s, begin_s - begin_s % step_s + max(step_s, min(question.most * step_s, SCAN_S)))
    found: dict[int, dict[str, dict[str, float]]] = {}
    rows = (
        Second.objects.for_user(user)
        .filter(series__machine=question.machine, series__channel__in=question.channels)
        .filter(second__gte=begin_s, second__lt=until_s)
        .annotate(part=F("second") - F("second") % step_s, channel=F("series__channel"))
        .values("part", "channel")
        .annotate(n=Sum("count"), min=Min("least"), max=Max("most"))
        .annotate(sum=Sum(F("mean") * Cast("count", FloatField())))
        .order_by("part")
    )
    for row in rows:
        numbers = {"count": row["n"], "min": row["min"], "mean": row["sum"] / row["n"], "max": row["max"]}
        found.setdefault(row["part"], {})[row["channel"]] = numbers
    columns = {
        name: {of: [row.get(name, {}).get(of) for row in found.values()] for of in COLUMNS}
        for name in question.channels
    }
    following = Place(until_s * SECOND_US) if until_s < end_s else None
    return Summaries([part * SECOND_US for part in found], columns, following)
