"""Devices hear that samples are durable, and the broker forgets messages, after the sync and not before."""

import threading
from typing import Any

import pytest

from tests.waiting import PATIENCE_S, wait_for
from twin.ingest.messages import Answer
from workers.bridge import acknowledger as module
from workers.bridge.acknowledger import Acknowledger

ANSWERS = [Answer("hydratwin/m/ack", b"{}")]


class Connection:
    """What is said, in order."""

    def __init__(self) -> None:
        self.said: list[tuple[str, Any]] = []

    def publish(self, answers: Any) -> None:
        self.said.append(("durable", answers))

    def acknowledge(self, messages: Any) -> None:
        self.said.append(("forget", messages))


class Disk:
    """A file whose sync takes as long as the test wants, and fails as often."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.failures = 0
        self.syncs = 0

    def sync(self) -> None:
        assert self.go_on.wait(PATIENCE_S)
        if self.failures:
            self.failures -= 1
            raise OSError(5, "Input/output error")
        self.syncs += 1


def test_nothing_is_said_before_the_disk_has_it() -> None:
    connection, disk = Connection(), Disk()
    with Acknowledger(connection, disk) as acknowledger:  # type: ignore[arg-type]
        acknowledger.add(["first"], ANSWERS)  # type: ignore[list-item]
        acknowledger.add(["second"], [])  # type: ignore[list-item]
        assert connection.said == []
        disk.go_on.set()
    assert [what for what in connection.said if what[0] == "forget"] == [
        ("forget", ["first"]),
        ("forget", ["second"]),
    ]
    assert connection.said[0] == ("durable", ANSWERS)


def test_a_sync_that_fails_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "RETRY_S", 0.01)
    connection, disk = Connection(), Disk()
    disk.failures = 3
    disk.go_on.set()
    with Acknowledger(connection, disk) as acknowledger:  # type: ignore[arg-type]
        acknowledger.add(["one"], [])  # type: ignore[list-item]
        wait_for(lambda: ("forget", ["one"]) in connection.said, "the message is acknowledged")
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert len(errors) == 1  # said once, not three times


def test_at_the_end_what_the_disk_does_not_take_stays_with_the_broker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "RETRY_S", 0.01)
    connection, disk = Connection(), Disk()
    disk.failures = 1_000_000
    disk.go_on.set()
    with Acknowledger(connection, disk) as acknowledger:  # type: ignore[arg-type]
        acknowledger.add(["one"], ANSWERS)  # type: ignore[list-item]
    assert connection.said == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_bridge_whose_confirming_has_ended_is_told() -> None:
    class Broken(Connection):
        def publish(self, answers: Any) -> None:
            raise ValueError("no such topic")

    disk = Disk()
    disk.go_on.set()
    with Acknowledger(Broken(), disk) as acknowledger:  # type: ignore[arg-type]
        acknowledger.add(["one"], ANSWERS)  # type: ignore[list-item]
        wait_for(lambda: not acknowledger.alive, "the thread has ended")
        with pytest.raises(RuntimeError, match="thread that acknowledges MQTT messages has ended"):
            acknowledger.add(["two"], [])  # type: ignore[list-item]
