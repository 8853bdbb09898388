"""The writer on a real Valkey: what it has stored when it is killed, hindered or doubled."""

import threading
import time
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError
from redis import Redis

from tests.unit.history.conftest import DEVICE, STEP_US, T0
from tests.unit.history.test_storing import stored_seqs
from twin import keys
from twin.history.writing import positions
from twin.ingest import entries
from twin.ingest.append import Appender, Source
from twin.valkey.aof_sync import AppendOnlyFile
from twin.valkey.pipeline_client import PipelineClient
from workers.history import reader, writer
from workers.history.writer import Writer

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def client(valkey: Any) -> Any:
    with valkey.client() as client:
        yield client


@pytest.fixture
def pipeline(valkey: Any) -> PipelineClient:
    return valkey.pipeline


@pytest.fixture
def aof(valkey: Any) -> AppendOnlyFile:
    return valkey.aof


@pytest.fixture
def send(valkey: Any, story: Any) -> Any:
    """Samples first to last - 1 into the machine's stream, five to an entry."""

    def send(first: int, last: int) -> None:
        for begin in range(first, last, 5):
            numbers = range(begin, min(begin + 5, last))
            samples = [(k, T0 + k * STEP_US, {"hose.p": float(k)}) for k in numbers]
            Appender(valkey.pipeline, valkey.aof).append(
                Source(story.machine.pk, DEVICE, "boot"), samples, T0
            )

    return send


def newest_id(client: Redis, machine: UUID) -> str:
    return client.xrevrange(keys.stream(machine), count=1)[0][0].decode()


def test_what_is_due_is_stored_and_whoever_trims_is_told(
    client: Redis, pipeline: PipelineClient, aof: AppendOnlyFile, send: Any, story: Any
) -> None:
    machine = story.machine.pk
    send(0, 100)
    client.xadd(keys.stream(machine), {entries.FIELD: entries.encode(entries.Tick(T0, T0))})
    client.xadd(keys.stream(machine), {entries.FIELD: b"nonsense"})  # is skipped, and said so
    Writer(pipeline, aof, every_s=0.0).round()
    assert stored_seqs(machine) == list(range(100))
    newest = newest_id(client, machine)
    assert positions([machine]) == {machine: newest}
    assert client.get(keys.history_position(machine)).decode() == newest


def test_nothing_is_stored_before_it_is_due_or_a_row_is_full(
    pipeline: PipelineClient, aof: AppendOnlyFile, send: Any, story: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MOST_SAMPLES", 150)
    hasty, patient = Writer(pipeline, aof, every_s=0.0), Writer(pipeline, aof, every_s=3600.0)
    send(0, 100)
    patient.round()
    assert stored_seqs(story.machine.pk) == []
    send(100, 200)
    patient.round()
    assert stored_seqs(story.machine.pk) == list(range(200))
    hasty.round()
    assert stored_seqs(story.machine.pk) == list(range(200))


@pytest.mark.parametrize("machines", [1, 7, 30, 100])
def test_every_round_has_about_as_many_machines_to_store_also_after_an_outage(
    pipeline: PipelineClient, aof: AppendOnlyFile, machines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, tick = 1000.0, [entries.FIELD, entries.encode(entries.Tick(T0, T0))]
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(
        writer, "all_machines", lambda: [SimpleNamespace(id=UUID(int=k)) for k in range(machines)]
    )
    awake = Writer(pipeline, aof, every_s := 10.0)
    awake._refresh_machines()
    readers, stored = awake._readers.values(), []  # how many each second
    for second in range(60):
        now, count = 1000.25 + second, 0
        for each in readers:
            each.take([(f"{second + 1}-0".encode(), tick)])
            if not 20 <= second < 35 and each.to_store():
                each.stored(every_s)
                count += 1
        stored.append(count)
    assert stored[35] == machines  # all that waited
    for usual in (stored[:20], stored[36:]):
        assert max(usual) <= machines / every_s + 2
    assert sum(stored[45:55]) == machines  # each once in its time


def test_a_killed_writer_is_followed_by_one_that_loses_and_doubles_nothing(
    pipeline: PipelineClient, aof: AppendOnlyFile, send: Any, story: Any
) -> None:
    for round_number in range(5):
        send(40 * round_number, 40 * (round_number + 1))
        every_s = 0.0 if round_number % 2 == 0 else 3600.0  # some are killed with what they have read
        Writer(pipeline, aof, every_s).round()
    assert stored_seqs(story.machine.pk) == list(range(200))


def test_who_was_away_for_long_catches_up_round_by_round(
    pipeline: PipelineClient, aof: AppendOnlyFile, send: Any, story: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "ENTRIES", 7)
    monkeypatch.setattr(writer, "TOGETHER", 10)
    send(0, 500)
    catching_up = Writer(pipeline, aof, every_s=0.0)
    rounds = 1
    while catching_up.round():
        rounds += 1
    assert rounds == 500 // 5 // 7 + 1
    assert stored_seqs(story.machine.pk) == list(range(500))


@pytest.mark.django_db(transaction=True)  # the writer opens its connections anew
def test_an_outage_of_the_database_is_waited_for(
    client: Redis,
    pipeline: PipelineClient,
    aof: AppendOnlyFile,
    send: Any,
    story: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    machine = story.machine.pk
    monkeypatch.setattr(writer, "RETRY_S", 0.0)
    caplog.set_level("INFO")
    send(0, 50)
    patient = Writer(pipeline, aof, every_s=0.0)
    with monkeypatch.context() as away:

        def fails(*_: object) -> None:
            raise DatabaseError("is away")

        away.setattr(writer, "store", fails)
        for _ in range(3):
            patient._try()
        send(50, 80)
        patient._try()
    assert client.get(keys.history_position(machine)) is None  # nothing may be trimmed
    patient._try()
    assert stored_seqs(machine) == list(range(80))
    said = [record.message for record in caplog.records if record.name == writer.__name__]
    assert said == [
        "history not stored, because the database is not responding: is away",
        "storing history again",
    ]


def test_two_writers_at_once_double_nothing(
    pipeline: PipelineClient, aof: AppendOnlyFile, send: Any, story: Any
) -> None:
    one, other = Writer(pipeline, aof, every_s=0.0), Writer(pipeline, aof, every_s=0.0)
    for number in range(6):
        send(20 * number, 20 * (number + 1))
        for each in (one, other) if number % 2 else (other, one):
            each._read()  # both have read it before either stores
        one.round()
        other.round()
    one.round()
    assert stored_seqs(story.machine.pk) == list(range(120))


@pytest.mark.django_db(transaction=True)
def test_it_stores_what_it_holds_when_it_is_told_to_stop(
    pipeline: PipelineClient, aof: AppendOnlyFile, send: Any, story: Any
) -> None:
    send(0, 30)
    done = threading.Event()
    done.set()
    Writer(pipeline, aof, every_s=3600.0).run(done)
    assert stored_seqs(story.machine.pk) == list(range(30))
