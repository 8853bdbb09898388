"""Messages on a real Valkey, without a broker: what is answered when something stands in the way."""

import json
import time
from typing import Any
from uuid import UUID

import pytest
import redis
from django.db import OperationalError

from simcore import registry
from simcore.model import channel_table
from tests.waiting import PATIENCE_S
from twin import keys
from twin.fleet.identity import Identity
from twin.ingest import identity_cache
from twin.ingest.messages import MessageIntake
from twin.ingest.topic_cache import TopicCache
from twin.ingest.topics import TopicOwner, topic

pytestmark = pytest.mark.system

MACHINE, DEVICE = UUID(int=1), UUID(int=2)
CHANNELS = {c.name: c for c in channel_table(registry.get("four-bar-b").build()) if c.name == "hose.p"}
TELEMETRY = topic("telemetry", TopicOwner(MACHINE, None))


class Directory:
    """Stands for the database: one machine with one device."""

    def __init__(self) -> None:
        self.away = False
        self.asked = 0

    def __call__(self, machine: UUID, device: UUID | None) -> Identity | None:
        self.asked += 1
        if self.away:
            raise OperationalError("gone")
        known = machine == MACHINE and device in (None, DEVICE)
        return Identity(str(DEVICE), str(MACHINE), CHANNELS) if known else None


def body(*seqs: int, boot: str = "b") -> bytes:
    t = time.time_ns() // 1000
    samples = [{"seq": seq, "t": t, "channels": {"hose.p": 1e7}} for seq in seqs]
    return json.dumps({"boot": boot, "samples": samples}).encode()


def deliver(intake: MessageIntake, *bodies: bytes) -> list[tuple[str, dict[str, Any]]]:
    validated = [intake.validate(TELEMETRY, each, time.time_ns() // 1000) for each in bodies]
    return [
        (each.topic, json.loads(each.body)) for each in intake.answer(validated, intake.append(validated))
    ]


@pytest.fixture
def intake(valkey: Any) -> MessageIntake:
    return MessageIntake(valkey.pipeline, valkey.aof, TopicCache(Directory()))


def test_messages_of_one_boot_are_answered_together(intake: MessageIntake) -> None:
    answers = deliver(intake, body(0, 1), body(2), body(7, boot="c"), body(1, 5))
    assert answers == [
        (
            f"hydratwin/{MACHINE}/ack",
            {"boot": "b", "accepted": [[0, 2], [5, 5]], "duplicate": 1, "rejected": []},
        ),
        (f"hydratwin/{MACHINE}/ack", {"boot": "c", "accepted": [[7, 7]], "duplicate": 0, "rejected": []}),
    ]


def test_a_device_that_sends_too_much_is_told_to_wait_and_nothing_is_taken(
    valkey: Any, settings: Any
) -> None:
    settings.RATE_BODIES, settings.RATE_BURST_S = 0.001, 2000.0  # two, and no third within this test
    intake = MessageIntake(valkey.pipeline, valkey.aof, TopicCache(Directory()))
    answers = deliver(intake, body(0), body(1), body(2))
    assert [answer.get("accepted", answer.get("status")) for _, answer in answers] == [[[0, 1]], 429]
    assert 1000 - PATIENCE_S < answers[1][1]["retry_after"] <= 1000  # to the second: unit/ingest/test_rate
    with valkey.client() as client:
        assert client.xlen(keys.stream(MACHINE)) == 2


def test_a_full_stream_is_answered_and_the_others_are_taken(intake: MessageIntake, settings: Any) -> None:
    settings.STREAM_CAP = 1
    answers = [answer for _, answer in deliver(intake, body(0), body(1))]
    assert answers[0]["accepted"] == [[0, 0]]
    assert (answers[1]["status"], answers[1]["retry_after"]) == (503, 10)
    assert intake.intake.counters.values["bodies.refused.503"] == 1


def test_while_the_telemetry_server_is_away_nothing_is_answered_and_later_all_of_it_is_taken_once(
    intake: MessageIntake, valkey: Any
) -> None:
    validated = [intake.validate(TELEMETRY, body(0, 1), time.time_ns() // 1000)]
    valkey.stop()
    with pytest.raises(redis.RedisError):
        intake.append(validated)
    valkey.start()
    assert json.loads(intake.answer(validated, intake.append(validated))[0].body)["duplicate"] == 0
    again = json.loads(
        intake.answer(validated, intake.append(validated))[0].body
    )  # as if the first answer was lost
    assert (again["accepted"], again["duplicate"]) == ([[0, 1]], 2)


def test_nobodys_topic_is_refused_without_an_answer(intake: MessageIntake) -> None:
    validated = [
        intake.validate(f"hydratwin/{UUID(int=9)}/telemetry", body(0), 0),
        intake.validate("x/y", body(0), 0),
    ]
    assert intake.answer(validated, intake.append(validated)) == []
    assert intake.intake.counters.values == {"bodies.refused.401": 2}


def test_a_pause_of_the_database_locks_out_only_who_was_not_in(monkeypatch: pytest.MonkeyPatch) -> None:
    directory = Directory()
    topics = TopicCache(directory)
    assert topics.get(TELEMETRY) == topics.get(TELEMETRY)
    assert directory.asked == 1
    directory.away = True
    later = time.monotonic() + identity_cache.LIFE_S
    monkeypatch.setattr(identity_cache.time, "monotonic", lambda: later)
    assert topics.get(TELEMETRY) is not None
    with pytest.raises(OperationalError):
        topics.get(topic("telemetry", TopicOwner(MACHINE, DEVICE)))
    topics.clear()
    with pytest.raises(OperationalError):
        topics.get(TELEMETRY)
