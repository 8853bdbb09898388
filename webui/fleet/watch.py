"""How all watched machines are, twice a second, for every fleet page of this process.

Frames are not subscribed to: a hundred machines make two thousand of them a second, and a fleet page shows
two states a second of each. One question to the telemetry server brings the last frames of all of them; each
is read once, however many pages show it. No query, no channel layer.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import redis
from django.utils import translation

from twin import keys
from twin.log_on_change import LogOnChange
from twin.valkey.clients import connect_async
from webui.clock import now_us
from webui.fleet.last_frames import UNKNOWN, Seen, seen_in
from webui.fleet.live_rows import Watched, live_row
from webui.live.slot import PING_EVERY, Slot
from webui.tasks import end

log = logging.getLogger(__name__)

LOOK_S = 0.5
LOOKS_PER_PING = round(PING_EVERY / LOOK_S)
NEWS = b"fleet"  # there may be something new; what, the page finds out when it can be told

Row = dict[str, Any]


class FleetSlot(Slot):
    """The place of a client that looks at many machines, and what it has been told of each."""

    def __init__(self, machines: Mapping[str, Watched], language: str) -> None:
        super().__init__()
        self.machines = dict(machines)
        self.language = language
        self._told: dict[str, Row] = {}

    def news(self, rows: Mapping[str, Row]) -> list[Row]:
        """Rows that differ from what the client was told last."""
        fresh = [rows[id] for id in self.machines if id in rows and self._told.get(id) != rows[id]]
        self._told.update((row["id"], row) for row in fresh)
        return fresh


class FleetWatch:
    """Looks while anybody does."""

    def __init__(self, url: str) -> None:
        self._client = connect_async(url)
        self._slots: set[FleetSlot] = set()
        self._machines: dict[str, Watched] = {}
        self._seen: dict[str, Seen] = {}
        self._rows: dict[str, dict[str, Row]] = {}  # by language, made when first asked for
        self._log = LogOnChange(log, recovered="telemetry server is back")
        self._task: asyncio.Task[None] | None = None

    async def attach(self, machines: Mapping[str, Watched], language: str) -> FleetSlot:
        slot = FleetSlot(machines, language)
        self._slots.add(slot)
        self.machines_changed()
        await self._look()
        slot.offer(NEWS)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="fleet watch")
        return slot

    def detach(self, slot: FleetSlot) -> None:
        self._slots.discard(slot)
        self.machines_changed()

    def machines_changed(self) -> None:
        """Somebody came or went, or sees other machines than before."""
        self._machines = {id: each for slot in self._slots for id, each in slot.machines.items()}

    def news(self, slot: FleetSlot) -> list[Row]:
        rows = self._rows.get(slot.language)
        if rows is None:
            rows = self._rows[slot.language] = self._told_in(slot.language)
        return slot.news(rows)

    async def stop(self) -> None:
        await end(self._task)
        await self._client.aclose()

    def _told_in(self, language: str) -> dict[str, Row]:
        with translation.override(language):
            known = self._machines
            return {id: live_row(known[id], seen) for id, seen in self._seen.items() if id in known}

    async def _run(self) -> None:
        looks = 0
        while self._slots:
            await asyncio.sleep(LOOK_S)
            await self._look()
            looks += 1
            for slot in self._slots:
                slot.offer(NEWS)
                if looks % LOOKS_PER_PING == 0:
                    slot.ping()

    async def _look(self) -> None:
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
