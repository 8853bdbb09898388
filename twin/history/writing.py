"""Stores samples, their summaries and the position in the stream in one transaction.

A writer that is killed before the end of the transaction has stored nothing; its successor reads the same
entries again.
Two writers cannot store a sample twice, because a batch must begin at the stored position.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar
from uuid import UUID

from django.db import connection, transaction

from twin.fleet.models import Machine
from twin.history import columns, runs, seconds
from twin.history.columns import Columns, Taken
from twin.history.models import Position, Second, Segment, Series, Start
from twin.history.seconds import FIELDS, Summary
from twin.ingest.entries import Sample

HOUR_US = 3_600_000_000  # longest segment: a query finds overlapping segments by their begin
BEGINNING = "0-0"
AT_ONCE = 500  # values in one query
SECONDS_AT_ONCE = 150  # rows of six values in one statement: below the limit of any SQLite

_Value = TypeVar("_Value")
Key = tuple[UUID, UUID, str]  # machine, device, boot
SecondRow = tuple[int, int, int, float, float, float]  # series, second, then as in FIELDS

STORE_SECONDS = """
    INSERT INTO history_second (series_id, second, count, least, mean, most) VALUES {values}
    ON CONFLICT (series_id, second) DO UPDATE
    SET count = excluded.count, least = excluded.least, mean = excluded.mean, most = excluded.most
"""


class Overtaken(Exception):
    """Another writer has already stored these entries, so nothing was stored."""


@dataclass(frozen=True)
class Batch:
    """Entries of one stream, from the one after `after` up to and including `last_id`."""

    machine: UUID
    after: str
    last_id: str
    taken: Sequence[Taken]

    @property
    def count(self) -> int:
        return sum(len(each.samples) for each in self.taken)


def positions(machines: Iterable[UUID]) -> dict[UUID, str]:
    """Return the stored position of each machine that has history."""
    rows = Position.objects.for_runtime().filter(machine__in=list(machines))
    return dict(rows.values_list("machine", "last_id"))


@transaction.atomic
def store(batches: Sequence[Batch]) -> int:
    """Store batches; return the number of new samples. Batches of deleted machines are skipped."""
    batches = _of_machines_that_exist(batches)
    if any(found != batch.after for batch, found in zip(batches, _places(batches), strict=True)):
        raise Overtaken
    fresh = _without_known(batches)
    parts = [(batch.machine, columns.columns_of(part)) for batch in fresh for part in _by_hour(batch)]
    Segment.objects.bulk_create(_segment(machine, part) for machine, part in parts)
    _store_seconds(parts)
    Position.objects.bulk_create(
        [Position(machine_id=batch.machine, last_id=batch.last_id) for batch in batches],
        update_conflicts=True,
        unique_fields=["machine"],
        update_fields=["last_id"],
    )
    return sum(batch.count for batch in fresh)


def _of_machines_that_exist(batches: Sequence[Batch]) -> list[Batch]:
    """Lock the machines' rows: then machines cannot be deleted, and another writer has to wait."""
    wanted = Machine.objects.for_runtime().filter(pk__in=[batch.machine for batch in batches])
    alive = set(wanted.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
    return [batch for batch in batches if batch.machine in alive]


def _places(batches: Sequence[Batch]) -> list[str]:
    known = positions(batch.machine for batch in batches)
    return [known.get(batch.machine, BEGINNING) for batch in batches]


# each sample once


def _without_known(batches: Sequence[Batch]) -> list[Batch]:
    """Remove samples that are already stored; mark the remaining ones as stored."""
    stored = _starts(batches)
    found = []
    for batch in batches:
        fresh = [
            each._replace(samples=_new(stored[batch.machine, each.device, each.boot], each.samples))
            for each in batch.taken
        ]
        found.append(replace(batch, taken=[each for each in fresh if each.samples]))
    Start.objects.bulk_create(
        [
            Start(machine_id=machine, device=device, boot=boot, stored=known[-runs.MOST_RUNS :])
            for (machine, device, boot), known in stored.items()
        ],
        update_conflicts=True,
        unique_fields=["machine", "device", "boot"],
        update_fields=["stored"],
    )
    return found


def _new(known: runs.Runs, samples: list[Sample]) -> list[Sample]:
    if runs.append(known, [seq for seq, _, _ in samples]):
        return samples
    return [sample for sample in samples if runs.add(known, sample[0])]


def _starts(batches: Sequence[Batch]) -> dict[Key, runs.Runs]:
    wanted: dict[Key, runs.Runs] = {
        (batch.machine, each.device, each.boot): [] for batch in batches for each in batch.taken
    }
    for some in _some(sorted({boot for _, _, boot in wanted})):
        rows = Start.objects.for_runtime().filter(
            machine__in={machine for machine, _, _ in wanted}, boot__in=some
        )
        for row in rows:
            if (key := (row.machine_id, row.device, row.boot)) in wanted:
                wanted[key] = row.stored
    return wanted


# segments


def _by_hour(batch: Batch) -> list[Sequence[Taken]]:
    hours = dict.fromkeys(t_us // HOUR_US for each in batch.taken for _, t_us, _ in each.samples)
    if len(hours) == 1:
        return [batch.taken]
    return [_within(hour, batch.taken) for hour in hours]


def _within(hour: int, taken: Sequence[Taken]) -> list[Taken]:
    kept = [
        each._replace(samples=[sample for sample in each.samples if sample[1] // HOUR_US == hour])
        for each in taken
    ]
    return [each for each in kept if each.samples]


def _segment(machine: UUID, part: Columns) -> Segment:
    return Segment(
        machine_id=machine,
        first_us=int(part.t_us.min()),
        last_us=int(part.t_us.max()),
        count=len(part.t_us),
        data=columns.pack(part),
    )


# seconds


def _store_seconds(parts: Sequence[tuple[UUID, Columns]]) -> None:
    """Combine summaries with stored ones: a batch may end within a second, and samples may arrive late."""
    series = _series({(machine, name) for machine, part in parts for name in part.readings})
    fresh: dict[tuple[int, int], Summary] = {}
    for machine, part in parts:  # of different hours, so each second occurs in one of them
        for (name, second), summary in seconds.summaries(part).items():
            fresh[series[machine, name], second] = summary
    for key, known in _known_seconds(fresh).items():
        fresh[key] = known.joined(fresh[key])
    _write_seconds([(*key, each.count, each.least, each.mean, each.most) for key, each in fresh.items()])


def _write_seconds(rows: list[SecondRow]) -> None:
    """Write in plain SQL: creating one model instance per row takes several times as long as the database."""
    with connection.cursor() as cursor:
        for some in _some(rows, SECONDS_AT_ONCE):
            values = ", ".join(["(%s, %s, %s, %s, %s, %s)"] * len(some))
            cursor.execute(STORE_SECONDS.format(values=values), list(chain.from_iterable(some)))


def _series(wanted: set[tuple[UUID, str]]) -> dict[tuple[UUID, str], int]:
    rows = Series.objects.for_runtime().filter(machine__in={machine for machine, _ in wanted})
    known = {(machine, name): pk for machine, name, pk in rows.values_list("machine", "channel", "pk")}
    for machine, name in wanted - known.keys():
        known[machine, name] = Series.objects.create(machine_id=machine, channel=name).pk
    return known


def _known_seconds(fresh: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Summary]:
    wanted = set(fresh)
    series = {of for of, _ in wanted}
    found: dict[tuple[int, int], Summary] = {}
    for some in _some(sorted({second for _, second in wanted})):
        rows = Second.objects.for_runtime().filter(series__in=series, second__in=some)
        for of, second, *numbers in rows.values_list("series", "second", *FIELDS):
            if (of, second) in wanted:
                found[of, second] = Summary(*numbers)
    return found


def _some(values: list[_Value], most: int = AT_ONCE) -> Iterator[list[_Value]]:
    """Split into slices that fit into one query."""
    return (values[begin : begin + most] for begin in range(0, len(values), most))
