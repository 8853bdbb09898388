"""Samples, their seconds and the place in the stream go into the database together, each sample once."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, transaction

from tests.unit.history.conftest import DEVICE, STEP_US, T0
from twin.history import writing
from twin.history.columns import Taken, unpack
from twin.history.models import Position, Second, Segment, Series, Start
from twin.history.writing import HOUR_US, Overtaken, positions, store

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def stored_seqs(machine: UUID) -> list[int]:
    rows = Segment.objects.for_runtime().filter(machine=machine).order_by("id")
    return [int(seq) for row in rows for seq in unpack(row.data).seq]


def seconds_of(machine: UUID, channel: str) -> list[tuple[Any, ...]]:
    rows = Second.objects.for_runtime().filter(series__machine=machine, series__channel=channel)
    return list(rows.order_by("second").values_list("second", "count", "least", "mean", "most"))


def test_two_batches_make_the_rows_of_one(batch: Any, story: Any) -> None:
    assert store([batch(0, 70)]) == 70
    assert store([batch(70, 100, after=70)]) == 30
    assert stored_seqs(story.machine.pk) == list(range(100))
    first, second = seconds_of(story.machine.pk, "hose.p")
    assert first == (T0 // 1_000_000, 50, 0.0, pytest.approx(24.5), 49.0)
    assert second == (T0 // 1_000_000 + 1, 50, 50.0, pytest.approx(74.5), 99.0)
    assert positions([story.machine.pk]) == {story.machine.pk: "100-0"}


def test_who_begins_elsewhere_than_the_history_ends_stores_nothing(batch: Any, story: Any) -> None:
    store([batch(0, 50)])
    for wrong in (batch(50, 60), batch(50, 60, after=49), batch(50, 60, after=51)):
        with pytest.raises(Overtaken):
            store([wrong])
    assert stored_seqs(story.machine.pk) == list(range(50))


def test_a_sample_that_is_in_the_stream_again_is_not_stored_again(batch: Any, story: Any) -> None:
    """The telemetry server was lost, and the device has sent everything once more."""
    store([batch(0, 50)])
    assert store([batch(20, 60, after=50)]) == 10
    assert store([batch(0, 60, after=60)]) == 0
    assert sorted(stored_seqs(story.machine.pk)) == list(range(60))
    assert sum(count for _, count, *_ in seconds_of(story.machine.pk, "hose.p")) == 60
    assert store([batch(0, 50, after=60, boot="another")]) == 50  # the device was restarted: no duplicate
    starts = Start.objects.for_runtime().filter(machine=story.machine)
    assert {row.boot: row.stored for row in starts} == {"boot": [[0, 59]], "another": [[0, 49]]}


def test_whatever_fails_on_the_way_leaves_nothing_behind(
    batch: Any, story: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise DatabaseError("full")

    monkeypatch.setattr(writing, "_store_seconds", fails)
    with pytest.raises(DatabaseError), transaction.atomic():
        store([batch(0, 50)])
    for model in (Position, Segment, Series, Second, Start):
        assert not model.objects.for_runtime().exists()


def test_entries_without_samples_move_the_place_only(batch: Any, story: Any) -> None:
    store([batch(0, 0, last_id="9-0")])
    assert positions([story.machine.pk]) == {story.machine.pk: "9-0"}
    assert not Segment.objects.for_runtime().exists()


def test_a_machine_that_was_deleted_meanwhile_is_passed_over(batch: Any, story: Any) -> None:
    assert store([batch(0, 10, machine=uuid4()), batch(0, 50)]) == 50
    assert Position.objects.for_runtime().count() == 1


def test_two_machines_at_once_do_not_mix(batch: Any, story: Any) -> None:
    other = story.strange_machine.pk
    store([batch(0, 50), batch(5, 10, machine=other)])
    assert stored_seqs(other) == list(range(5, 10))
    assert [row[1] for row in seconds_of(other, "hose.p")] == [5]
    assert not Segment.objects.for_user(story.charlie).filter(machine=story.machine).exists()
    assert Second.objects.for_user(story.charlie).count() == 2


def test_no_segment_spans_more_than_an_hour_of_machine_time(batch: Any, story: Any) -> None:
    spread = [(k, T0 + k * HOUR_US // 2, {"hose.p": 1.0}) for k in range(6)]
    later = [(0, T0 + HOUR_US, {"crank.angle": 2.0})]
    store([batch(0, 6, taken=[Taken(DEVICE, "boot", spread), Taken(DEVICE, "other", later)])])
    rows = list(Segment.objects.for_runtime().order_by("first_us"))
    assert [row.count for row in rows] == [2, 3, 2]
    assert all(row.last_us - row.first_us < HOUR_US for row in rows)
    found = [unpack(row.data) for row in rows]  # and holds only what occurs in it
    assert [list(part.readings) for part in found] == [["hose.p"], ["hose.p", "crank.angle"], ["hose.p"]]
    assert [[boot for _, boot in part.sources] for part in found] == [["boot"], ["boot", "other"], ["boot"]]


def test_a_late_sample_joins_its_second(batch: Any, story: Any) -> None:
    store([batch(0, 100)])
    late = [Taken(DEVICE, "other", [(0, T0 + STEP_US // 2, {"hose.p": -1.0})])]
    store([batch(0, 0, after=100, last_id="101-0", taken=late)])
    first, _ = seconds_of(story.machine.pk, "hose.p")
    assert first[1:] == (51, -1.0, pytest.approx((24.5 * 50 - 1) / 51), 49.0)


def test_deleting_a_machine_deletes_its_history(batch: Any, story: Any) -> None:
    store([batch(0, 50)])
    story.machine.delete()
    for model in (Position, Segment, Series, Second, Start):
        assert not model.objects.for_runtime().exists()
