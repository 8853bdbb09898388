"""The bridge without a broker: messages enter the streams, and are answered and acknowledged."""

import json
import threading
import time
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError

from simcore import registry
from simcore.model import channel_table
from tests.waiting import PATIENCE_S, wait_for
from twin import keys
from twin.fleet.identity import Identity
from twin.ingest.messages import Answer
from twin.ingest.topic_cache import TopicCache
from twin.ingest.topics import TopicOwner, topic
from workers.bridge import bridge as module
from workers.bridge.acknowledger import Acknowledger
from workers.bridge.bridge import Bridge, OpenBroker
from workers.bridge.broker_connection import Message

MACHINE, DEVICE = UUID(int=1), UUID(int=2)
CHANNELS = {c.name: c for c in channel_table(registry.get("four-bar-b").build()) if c.name == "hose.p"}


class Connection:
    """Stands for the connection to the broker."""

    def __init__(self, anonymous: bool | None = False) -> None:
        self.number = 1
        self.anonymous = anonymous
        self.messages: list[Message] = []
        self.published: list[Answer] = []
        self.acknowledged: list[Message] = []

    def accepts_anonymous(self) -> bool | None:
        return self.anonymous

    def take(self, most: int, seconds: float) -> list[Message]:
        taken, self.messages = self.messages[:most], self.messages[most:]
        time.sleep(0 if taken else 0.001)
        return taken

    def dropped(self) -> int:
        return 0

    def publish(self, answers: Any) -> None:
        self.published += answers

    def acknowledge(self, messages: Any) -> None:
        self.acknowledged += messages


class Control:
    """No control events."""

    def wait(self, seconds: float) -> bool:
        return False


def message(seq: int) -> Message:
    t = time.time_ns() // 1000
    body = {"boot": "b", "samples": [{"seq": seq, "t": t, "channels": {"hose.p": 1e7}}]}
    name = topic("telemetry", TopicOwner(MACHINE, None))
    return Message(1, seq + 1, 1, name, json.dumps(body).encode(), t)


@pytest.fixture
def look_up() -> list[Exception]:
    """Errors that the database raises first."""
    return []


@pytest.fixture
def run(valkey: Any, look_up: list[Exception], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a bridge on a connection until all its messages are acknowledged."""

    def identify(machine: UUID, device: UUID | None) -> Identity:
        if look_up:
            raise look_up.pop()
        return Identity(str(DEVICE), str(MACHINE), CHANNELS)

    monkeypatch.setattr(module, "TopicCache", lambda: TopicCache(identify))
    monkeypatch.setattr(module, "RETRY_S", 0.001)

    def run(connection: Connection, count: int) -> None:
        done = threading.Event()
        with valkey.client() as client, Acknowledger(connection, valkey.aof) as acknowledger:  # type: ignore[arg-type]
            bridge = Bridge(connection, acknowledger, client, valkey.pipeline, Control())  # type: ignore[arg-type]
            failures: list[BaseException] = []

            def work() -> None:
                try:
                    bridge.run(done)
                except Exception as error:
                    failures.append(error)

            thread = threading.Thread(target=work)
            thread.start()
            try:
                wait_for(lambda: failures or len(connection.acknowledged) == count, "acknowledged")
            finally:
                done.set()
                thread.join(PATIENCE_S)
        if failures:
            raise failures[0]

    return run


def test_messages_enter_the_stream_and_are_answered_and_acknowledged(run: Any, valkey: Any) -> None:
    connection = Connection()
    connection.messages = sent = [message(0), message(1), message(2)]
    run(connection, 3)
    assert connection.acknowledged == sent
    accepted = [each for answer in connection.published for each in json.loads(answer.body)["accepted"]]
    assert {seq for first, last in accepted for seq in range(first, last + 1)} == {0, 1, 2}
    with valkey.client() as client:
        assert client.xlen(keys.stream(MACHINE)) == 3
        assert b"3" in client.hgetall(next(iter(client.scan_iter(match=keys.INGEST_COUNTERS)))).values()


def test_a_database_that_is_away_is_waited_for_and_logged_once(
    run: Any, look_up: list[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    look_up += [OperationalError("gone")] * 3
    connection = Connection()
    connection.messages = [message(0)]
    with caplog.at_level("INFO"):
        run(connection, 1)
    assert caplog.text.count("the database is not responding") == 1
    assert caplog.text.count("taking messages again") == 1


def test_a_broker_that_accepts_anonymous_clients_is_refused(run: Any) -> None:
    connection = Connection(anonymous=True)
    connection.messages = [message(0)]
    with pytest.raises(OpenBroker):
        run(connection, 1)
    assert connection.acknowledged == []
