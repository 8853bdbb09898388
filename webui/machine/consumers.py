"""The socket of a machine page: sends hello, recent frames and the last frame, then every new frame."""

import json

import msgspec
from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from twin.fleet.models import Machine
from webui.clock import now_us
from webui.machine.channels import describe_channels
from webui.sockets.access_revocation import may_watch
from webui.sockets.hub import FrameSlot
from webui.sockets.streaming_consumer import NOT_UNDERSTOOD, StreamingConsumer


class MachineConsumer(StreamingConsumer):
    """One client that watches one machine."""

    async def admit(self) -> bytes | None:
        self.machine_id = str(self.scope["url_route"]["kwargs"]["machine_id"])
        self.what = f"machine {self.machine_id}"
        machine: Machine | None = await database_sync_to_async(_machine_of)(
            self.scope["user"], self.machine_id
        )
        return None if machine is None else _hello(machine)

    async def attach(self) -> FrameSlot:
        slot: FrameSlot = await self.scope["hub"].attach(self.machine_id)
        return slot

    def detach(self) -> None:
        self.scope["hub"].detach(self._slot)

    async def begin(self) -> None:
        past = await self.scope["hub"].trail(self._slot)
        await self.write(msgspec.msgpack.encode({"type": "trail", "frames": past}))

    async def still_allowed(self) -> bool:
        session_key = self.scope["session"].session_key
        allowed: bool = await database_sync_to_async(may_watch)(session_key, self.machine_id)
        return allowed

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle a message; clients may only ask for the last frame again, after a gap in the sequence."""
        try:
            understood = json.loads(text_data or "") == {"type": "resync"}
        except (ValueError, RecursionError):
            understood = False
        if not understood:
            await self.end(NOT_UNDERSTOOD)
        elif self._slot is not None and self._slot.topic.latest is not None:
            self._slot.offer(self._slot.topic.latest)


def _machine_of(user: AbstractBaseUser | AnonymousUser, machine_id: str) -> Machine | None:
    return Machine.objects.for_user(user).filter(pk=machine_id).first()


def _hello(machine: Machine) -> bytes:
    return msgspec.msgpack.encode(
        {
            "type": "hello",
            "machine": {"id": str(machine.pk), "name": machine.name, "model": machine.model},
            "channels": describe_channels(machine),
            "server_us": now_us(),
            "delay_us": settings.TELEMETRY_DELAY_US,
        }
    )
