"""The socket of the fleet page: the latest state of all machines that the person may see."""

from collections.abc import Mapping

import msgspec
from channels.db import database_sync_to_async
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from twin.fleet.models import Machine, Membership
from webui.clock import now_us
from webui.fleet.live_rows import ShownMachine, shown_machine
from webui.fleet.status_poller import FleetSlot, Reader
from webui.preferences.language import language_of
from webui.sockets.access_revocation import user_of
from webui.sockets.streaming_consumer import NOT_UNDERSTOOD, StreamingConsumer
from webui.units import units_for


class FleetConsumer(StreamingConsumer):
    """One open fleet page. Its machines are looked up when it opens and when the person's access changes."""

    what = "a fleet"

    async def admit(self) -> bytes | None:
        machines = await database_sync_to_async(fleet_of)(self.scope["user"])
        if machines is None:
            return None
        self._machines = machines
        return self._hello(machines)

    async def attach(self) -> FleetSlot:
        slot: FleetSlot = await self.scope["fleet"].attach(self._machines, await self._reader())
        return slot

    def detach(self) -> None:
        self.scope["fleet"].detach(self._slot)

    async def send_update(self, update: bytes) -> None:
        if self._slot.machines.keys() != self._sent:  # access to some was removed or added
            await self.write(self._hello(self._slot.machines))
        rows = self.scope["fleet"].changed_rows(self._slot)
        if rows:
            await self.write(msgspec.msgpack.encode({"type": "fleet", "server_us": now_us(), "rows": rows}))

    async def still_allowed(self) -> bool:
        """Update the machines of the page; return False if the person is no longer a member anywhere."""
        session_key = self.scope["session"].session_key
        machines = await database_sync_to_async(lambda: fleet_of(user_of(session_key)))()
        if machines is not None and self._slot is not None:
            self._slot.machines = machines
            self.scope["fleet"].machines_changed()
        return machines is not None

    def _hello(self, machines: Mapping[str, ShownMachine]) -> bytes:
        self._sent = set(machines)
        return msgspec.msgpack.encode({"type": "hello", "machines": list(machines), "server_us": now_us()})

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Close the socket, because its clients may not send anything."""
        await self.end(NOT_UNDERSTOOD)

    async def _reader(self) -> Reader:
        """Determine how the person reads the page, in the same way as for pages."""
        accepted = dict(self.scope["headers"]).get(b"accept-language", b"").decode("latin-1")
        user, cookies = self.scope["user"], self.scope["cookies"]

        def find() -> Reader:
            return Reader(language_of(user, cookies, accepted), units_for(user))

        found: Reader = await database_sync_to_async(find)()
        return found


def fleet_of(user: AbstractBaseUser | AnonymousUser) -> dict[str, ShownMachine] | None:
    """Return the machines that a person may see; None without any membership. Queries the database."""
    if user.pk is None or not Membership.objects.for_user(user).filter(user_id=user.pk).exists():
        return None
    return {str(machine.pk): shown_machine(machine) for machine in Machine.objects.for_user(user)}
