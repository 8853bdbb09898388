"""The showroom: feeds exhibits and nobody else, and rests while there is none."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from twin.fleet import services
from twin.showroom.models import Exhibit
from workers.emulator.outbox import Sample
from workers.showroom.feeding import BATCH, Feed, Showroom

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


class Noting:
    """An appender that remembers its calls and takes everything."""

    def __init__(self) -> None:
        self.calls: list[bytes] = []

    def append_all(self, calls: Any) -> list[Any]:
        self.calls += calls
        return [(BATCH, 0)] * len(calls)


def exhibit(story: Any, hours: float) -> Exhibit:
    device = services.create_device(story.machine, f"Emulated {hours}")
    return Exhibit.objects.create(device=device, until=timezone.now() + timedelta(hours=hours))


def put(feed: Feed, count: int) -> None:
    for k in range(count):
        feed.put(Sample(k, 1_000_000 + 20_000 * k, {"hose.p": 1e6}))


def test_samples_go_to_every_exhibit_whose_time_is_not_over(story: Any) -> None:
    current, over = exhibit(story, 1.0), exhibit(story, -1.0)
    appender = Noting()
    feed = Feed(appender, threading.Event())  # type: ignore[arg-type]
    assert feed.look()
    put(feed, 2 * BATCH)
    assert len(appender.calls) == 2
    assert all(str(current.device_id).encode() in call for call in appender.calls)
    assert not any(str(over.device_id).encode() in call for call in appender.calls)


def test_without_exhibits_no_rig_is_built(story: Any) -> None:
    done = threading.Event()
    threading.Timer(0.1, done.set).start()

    def never(feed: Feed) -> Any:
        raise AssertionError("a rig was built")

    Showroom(Noting(), never).run(done)  # type: ignore[arg-type]


def test_a_server_that_is_away_is_said_once_and_stops_nobody(story: Any, caplog: Any) -> None:
    class Away(Noting):
        def append_all(self, calls: Any) -> list[Any]:
            raise OSError("away")

    exhibit(story, 1.0)
    feed = Feed(Away(), threading.Event())  # type: ignore[arg-type]
    feed.look()
    put(feed, 3 * BATCH)
    assert caplog.text.count("telemetry server") == 1


def test_it_ends_when_asked_to(story: Any) -> None:
    exhibit(story, 1.0)
    done = threading.Event()
    feed = Feed(Noting(), done)  # type: ignore[arg-type]
    assert feed.look()
    done.set()
    put(feed, 1)
    assert feed.enough.is_set()
