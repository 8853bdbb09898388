"""One emulated rig whose samples go to every exhibit. While there is none, nothing is computed."""

import logging
import secrets
import threading
import time
from collections.abc import Callable

import redis
from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from twin.ingest.append import Appender, NotTaken, Source, call, read_answer
from twin.showroom.models import Exhibit
from workers.emulator.controller import Controller
from workers.emulator.outbox import Sample

log = logging.getLogger(__name__)

LOOK_S = 2.0  # from one look at who is to be fed to the next
BATCH = 5  # samples in one append, as devices send them


class Showroom:
    """Feeds whoever is to be fed now."""

    def __init__(self, appender: Appender, make: "Callable[[Feed], Controller] | None" = None) -> None:
        self._appender = appender
        self._make = make or build_rig
        self._controller: Controller | None = None

    def run(self, done: threading.Event) -> None:
        feed = Feed(self._appender, done)
        while not done.is_set():
            if not feed.look():
                done.wait(LOOK_S)
                continue
            if self._controller is None:
                self._controller = self._make(feed)
                log.info("the rig is at work")
            self._controller.run(feed.enough)


class Feed:
    """Where the controller of the rig puts its samples; `enough` is set when nobody wants them any more."""

    def __init__(self, appender: Appender, done: threading.Event) -> None:
        self.enough = threading.Event()
        self._appender = appender
        self._done = done
        self._boot = secrets.token_hex(8)
        self._sources: list[Source] = []
        self._waiting: list[Sample] = []
        self._looked_at = 0.0
        self._said = ""

    def look(self) -> bool:
        """Who is to be fed? Exhibits whose time is over are not."""
        self._looked_at = time.monotonic()
        try:
            close_old_connections()
            current = Exhibit.objects.for_runtime().filter(until__gt=timezone.now()).select_related("device")
            self._sources = [Source(e.device.machine_id, e.device_id, self._boot) for e in current]
        except DatabaseError as error:
            self._say(f"database: {error}")
        wanted = bool(self._sources) and not self._done.is_set()
        self.enough.clear() if wanted else self.enough.set()
        return wanted

    def put(self, sample: Sample) -> None:
        """Never raises: what a demo machine misses nobody misses."""
        self._waiting.append(sample)
        if len(self._waiting) >= BATCH:
            self._append([(s.seq, s.t_us, s.channels) for s in self._waiting])
            self._waiting.clear()
        if self._done.is_set() or time.monotonic() - self._looked_at > LOOK_S:
            self.look()

    def _append(self, samples: list[tuple[int, int, dict[str, float]]]) -> None:
        received_us = time.time_ns() // 1000
        try:
            calls = [call(source, samples, received_us) for source in self._sources]
            for answer in self._appender.append_all(calls):
                read_answer(answer)
            self._say("")
        except (NotTaken, redis.RedisError, OSError) as error:
            self._say(f"telemetry server: {error!r}")

    def _say(self, text: str) -> None:
        """One line per change."""
        if text != self._said and text:
            log.warning("showroom: %s", text)
        self._said = text


def build_rig(feed: Feed) -> Controller:
    """Brings numba, so only when somebody is to be fed."""
    import numpy as np

    from workers.emulator.driver import Driver
    from workers.emulator.rig import Rig
    from workers.emulator.sensors import Sensors

    rig = Rig()
    human, electronic = np.random.default_rng().spawn(2)
    return Controller(rig, Driver(human), Sensors(rig.channels, electronic), feed)
