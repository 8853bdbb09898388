"""The demo feeder: feeds demo machines until they expire, and rests while there is none."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from twin.fleet import services
from twin.showroom.models import Exhibit
from workers.emulator.outbox import Sample
from workers.showroom.feeding import BATCH, DemoFeeder, Feed

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


class RecordingAppender:
    """An appender that remembers its calls and takes everything."""

    def __init__(self) -> None:
        self.commands: list[bytes] = []

    def append_all(self, commands: Any) -> list[Any]:
        self.commands += commands
        return [(BATCH, 0)] * len(commands)


def demo_machine(story: Any, hours: float) -> Exhibit:
    device = services.create_device(story.machine, f"Emulated {hours}")
    return Exhibit.objects.create(device=device, until=timezone.now() + timedelta(hours=hours))


def put(feed: Feed, count: int) -> None:
    for k in range(count):
        feed.put(Sample(k, 1_000_000 + 20_000 * k, {"hose.p": 1e6}))


def test_samples_go_to_every_demo_machine_that_has_not_expired(story: Any) -> None:
    current, over = demo_machine(story, 1.0), demo_machine(story, -1.0)
    appender = RecordingAppender()
    feed = Feed(appender, threading.Event())  # type: ignore[arg-type]
    assert feed.refresh()
    put(feed, 2 * BATCH)
    assert len(appender.commands) == 2
    assert all(str(current.device_id).encode() in command for command in appender.commands)
    assert not any(str(over.device_id).encode() in command for command in appender.commands)


def test_without_demo_machines_no_rig_is_built(story: Any) -> None:
    done = threading.Event()
    threading.Timer(0.1, done.set).start()

    def never(feed: Feed) -> Any:
        raise AssertionError("a rig was built")

    DemoFeeder(RecordingAppender(), never).run(done)  # type: ignore[arg-type]


def test_a_server_that_is_away_is_logged_once_and_stops_nothing(story: Any, caplog: Any) -> None:
    class Away(RecordingAppender):
        def append_all(self, commands: Any) -> list[Any]:
            raise OSError("away")

    demo_machine(story, 1.0)
    feed = Feed(Away(), threading.Event())  # type: ignore[arg-type]
    feed.refresh()
    put(feed, 3 * BATCH)
    assert caplog.text.count("telemetry server") == 1


def test_it_ends_when_asked_to(story: Any) -> None:
    demo_machine(story, 1.0)
    done = threading.Event()
    feed = Feed(RecordingAppender(), done)  # type: ignore[arg-type]
    assert feed.refresh()
    done.set()
    put(feed, 1)
    assert feed.enough.is_set()
