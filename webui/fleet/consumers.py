"""The socket of the fleet page: one for all machines of a person, the latest state of each."""

from collections.abc import Mapping

import msgspec
from channels.db import database_sync_to_async
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from twin.fleet.models import Machine, Membership
from webui.clock import now_us
from webui.fleet.live_rows import Watched, watched
from webui.fleet.status_poller import FleetSlot
from webui.preferences.language import language_of
from webui.sockets.access_revocation import user_of
from webui.sockets.streaming_consumer import NOT_UNDERSTOOD, StreamingConsumer


class FleetConsumer(StreamingConsumer):
    """One fleet page. What it may show is looked up when it opens and when the person's access changes."""

    what = "a fleet"

    async def admit(self) -> bytes | None:
        machines = await database_sync_to_async(fleet_of)(self.scope["user"])
        if machines is None:
            return None
        self._machines = machines
        return self._hello(machines)

    async def attach(self) -> FleetSlot:
        slot: FleetSlot = await self.scope["fleet"].attach(self._machines, await self._language())
        return slot

    def detach(self) -> None:
        self.scope["fleet"].detach(self._slot)

    async def tell(self, news: bytes) -> None:
        if self._slot.machines.keys() != self._told:  # some have been taken away, or have come
            await self.write(self._hello(self._slot.machines))
        rows = self.scope["fleet"].news(self._slot)
        if rows:
            await self.write(msgspec.msgpack.encode({"type": "fleet", "server_us": now_us(), "rows": rows}))

    async def still_allowed(self) -> bool:
        """Whoever has lost a part of the fleet is shown the rest; whoever has lost all of it nothing more."""
        session_key = self.scope["session"].session_key
        machines = await database_sync_to_async(lambda: fleet_of(user_of(session_key)))()
        if machines is not None and self._slot is not None:
            self._slot.machines = machines
            self.scope["fleet"].machines_changed()
        return machines is not None

    def _hello(self, machines: Mapping[str, Watched]) -> bytes:
        self._told = set(machines)
        return msgspec.msgpack.encode({"type": "hello", "machines": list(machines), "server_us": now_us()})

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """A fleet page has nothing to say."""
        await self.end(NOT_UNDERSTOOD)

    async def _language(self) -> str:
        """As the pages find it."""
        accepted = dict(self.scope["headers"]).get(b"accept-language", b"").decode("latin-1")
        find = database_sync_to_async(language_of)
        found: str = await find(self.scope["user"], self.scope["cookies"], accepted)
        return found


def fleet_of(user: AbstractBaseUser | AnonymousUser) -> dict[str, Watched] | None:
    """The machines a person may see; None for somebody who belongs nowhere. Asks the database."""
    if user.pk is None or not Membership.objects.for_user(user).filter(user_id=user.pk).exists():
        return None
    return {str(machine.pk): watched(machine) for machine in Machine.objects.for_user(user)}
