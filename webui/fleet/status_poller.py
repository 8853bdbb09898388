"""Polls the status of all machines on the fleet pages of this process, twice a second.

Polling costs less than subscribing: a hundred machines publish two thousand frames a second, but a fleet page
shows only two states of each machine a second. One request to the telemetry server returns the last frames of
all machines, and each is decoded once for all pages. Neither the database nor the channel layer is needed.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

import redis
from django.utils import translation

from twin import keys
from twin.log_on_change import LogOnChange
from twin.valkey.clients import connect_async
from webui.clock import now_us
from webui.fleet.last_frames import UNKNOWN, Seen, seen_in
from webui.fleet.live_rows import ShownMachine, live_row
from webui.sockets.slot import PING_EVERY, Slot
from webui.tasks import end
from webui.units import System

log = logging.getLogger(__name__)

POLL_S = 0.5
POLLS_PER_PING = round(PING_EVERY / POLL_S)
POLLED = b"fleet"  # offered to slots: rows may have changed; they are compared when the client is ready

Row = dict[str, Any]


class Reader(NamedTuple):
    """How a person reads a page: language and units."""

    language: str
    units: System


class FleetSlot(Slot):
    """The slot of a fleet page, with the rows that its client already has."""

    def __init__(self, machines: Mapping[str, ShownMachine], reader: Reader) -> None:
        super().__init__()
        self.machines = dict(machines)
        self.reader = reader
        self._sent: dict[str, Row] = {}

    def changed_rows(self, rows: Mapping[str, Row]) -> list[Row]:
        """Return the rows that differ from those sent last."""
        fresh = [rows[id] for id in self.machines if id in rows and self._sent.get(id) != rows[id]]
        self._sent.update((row["id"], row) for row in fresh)
        return fresh


class FleetStatusPoller:
    """Polls while at least one fleet page is open."""

    def __init__(self, url: str) -> None:
        self._client = connect_async(url)
        self._slots: set[FleetSlot] = set()
        self._machines: dict[str, ShownMachine] = {}
        self._seen: dict[str, Seen] = {}
        self._rows: dict[Reader, dict[str, Row]] = {}  # made on first use
        self._log = LogOnChange(log, recovered="telemetry server is back")
        self._task: asyncio.Task[None] | None = None

    async def attach(self, machines: Mapping[str, ShownMachine], reader: Reader) -> FleetSlot:
        slot = FleetSlot(machines, reader)
        self._slots.add(slot)
        self.machines_changed()
        await self._poll()
        slot.offer(POLLED)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="fleet status poller")
        return slot

    def detach(self, slot: FleetSlot) -> None:
        self._slots.discard(slot)
        self.machines_changed()

    def machines_changed(self) -> None:
        """Collect the machines of all pages again, after a page opened, closed or changed its machines."""
        self._machines = {id: each for slot in self._slots for id, each in slot.machines.items()}

    def changed_rows(self, slot: FleetSlot) -> list[Row]:
        rows = self._rows.get(slot.reader)
        if rows is None:
            rows = self._rows[slot.reader] = self._rows_in(slot.reader)
        return slot.changed_rows(rows)

    async def stop(self) -> None:
        await end(self._task)
        await self._client.aclose()

    def _rows_in(self, reader: Reader) -> dict[str, Row]:
        with translation.override(reader.language):
            known, units = self._machines, reader.units
            return {id: live_row(known[id], seen, units) for id, seen in self._seen.items() if id in known}

    async def _run(self) -> None:
        polls = 0
        while self._slots:
            await asyncio.sleep(POLL_S)
            await self._poll()
            polls += 1
            for slot in self._slots:
                slot.offer(POLLED)
                if polls % POLLS_PER_PING == 0:
                    slot.ping()

    async def _poll(self) -> None:
        machines = list(self._machines)
        try:
            found: list[Any] = await self._client.mget(list(map(keys.frame, machines))) if machines else []
            self._log.ok()
        except (redis.RedisError, OSError) as error:
            self._log.report(f"telemetry server lost: {error}", state="lost")
            self._seen, self._rows = dict.fromkeys(self._machines, UNKNOWN), {}
            return
        now = now_us()
        self._seen = {id: seen_in(data, now) for id, data in zip(machines, found, strict=True)}
        self._rows = {}
