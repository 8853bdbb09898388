"""Feeds all demo machines with the telemetry of one emulated rig.

The rig runs only while there are demo machines (rows of `twin.showroom.models.Exhibit`).
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable

import redis
from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from twin.ingest.append import Appender, NotAccepted, Source, append_command, read_reply
from twin.log_on_change import LogOnChange
from twin.showroom.models import Exhibit
from workers.emulator.controller import Controller
from workers.emulator.outbox import Sample

log = logging.getLogger(__name__)

REFRESH_S = 2.0  # how often the list of demo machines is read
BATCH = 5  # samples per append, as devices send them


class DemoFeeder:
    """Runs the rig while there are demo machines."""

    def __init__(self, appender: Appender, make: "Callable[[Feed], Controller] | None" = None) -> None:
        self._appender = appender
        self._make = make or build_rig
        self._controller: Controller | None = None

    def run(self, done: threading.Event) -> None:
        feed = Feed(self._appender, done)
        while not done.is_set():
            if not feed.refresh():
                done.wait(REFRESH_S)
                continue
            if self._controller is None:
                self._controller = self._make(feed)
                log.info("the demo rig is running")
            self._controller.run(feed.enough)


class Feed:
    """Appends the rig's samples for every demo machine; sets `enough` when there are no demo machines."""

    def __init__(self, appender: Appender, done: threading.Event) -> None:
        self.enough = threading.Event()
        self._appender = appender
        self._done = done
        self._boot = secrets.token_hex(8)
        self._sources: list[Source] = []
        self._waiting: list[Sample] = []
        self._refreshed_at = 0.0
        self._log = LogOnChange(log)

    def refresh(self) -> bool:
        """Read the list of demo machines that have not expired; return False if there are none."""
        self._refreshed_at = time.monotonic()
        try:
            close_old_connections()
            current = Exhibit.objects.for_runtime().filter(until__gt=timezone.now()).select_related("device")
            self._sources = [Source(e.device.machine_id, e.device_id, self._boot) for e in current]
        except DatabaseError as error:
            self._log.report(f"demo machines not refreshed, because the database is not responding: {error}")
        wanted = bool(self._sources) and not self._done.is_set()
        self.enough.clear() if wanted else self.enough.set()
        return wanted

    def put(self, sample: Sample) -> None:
        """Append a sample for every demo machine. Never raises, because demo samples may be lost."""
        self._waiting.append(sample)
        if len(self._waiting) >= BATCH:
            self._append([(s.seq, s.t_us, s.channels) for s in self._waiting])
            self._waiting.clear()
        if self._done.is_set() or time.monotonic() - self._refreshed_at > REFRESH_S:
            self.refresh()

    def _append(self, samples: list[tuple[int, int, dict[str, float]]]) -> None:
        received_us = time.time_ns() // 1000
        try:
            commands = [append_command(source, samples, received_us) for source in self._sources]
            for reply in self._appender.append_all(commands):
                read_reply(reply)
            self._log.ok()
        except (NotAccepted, redis.RedisError, OSError) as error:
            self._log.report(
                f"demo samples lost, because the telemetry server does not accept them: {error!r}"
            )


def build_rig(feed: Feed) -> Controller:
    """Build the rig. This imports numba, so it is called only when there is a demo machine."""
    import numpy as np

    from workers.emulator.driver import Driver
    from workers.emulator.rig import Rig
    from workers.emulator.sensors import Sensors

    rig = Rig()
    human, electronic = np.random.default_rng().spawn(2)
    return Controller(rig, Driver(human), Sensors(rig.channels, electronic), feed)
