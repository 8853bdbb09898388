"""The socket of a machine's page: hello, the trail, the last frame, then frames as they come."""

import asyncio
import json
import logging
from typing import Any

import msgspec
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db import DatabaseError

from twin.fleet.models import Machine
from webui.clock import now_us
from webui.live.access import may_watch
from webui.live.channels import describe_channels

log = logging.getLogger(__name__)

NOT_UNDERSTOOD, NO_ACCESS, TOO_SLOW = 4400, 4403, 4408  # close codes
GOODBYE = 1.0  # s for the close message
RECHECK = 60  # pings between two looks at whether access still holds, should news of it have been missed


class MachineConsumer(AsyncWebsocketConsumer):
    """One client of one machine. A single task writes to it, so that nothing is ever sent out of turn."""

    channel_layer_alias = (
        "none"  # the process listens to the layer once for all its sockets (webui.live.access)
    )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._task = asyncio.current_task()
        self._dropped = False
        self._slot: Any = None
        self._access: Any = None
        self._pump: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._write = scope.get("write", send)  # past the middleware, which only minds the handshake
        try:
            await super().__call__(scope, receive, send)
        except asyncio.CancelledError:
            if not self._dropped:
                raise
        finally:
            self._leave()

    async def connect(self) -> None:
        self.machine_id = str(self.scope["url_route"]["kwargs"]["machine_id"])
        machine = await self._find_machine()
        if machine is None:
            await self.close()  # before it is accepted: the handshake fails with 403
            return
        self._access = self.scope["access"]
        self._access.add(self.scope["user"].pk, self)
        await self.accept()
        await self.send(bytes_data=_hello(machine))
        self._slot = await self.scope["hub"].attach(self.machine_id)
        self._slot.too_slow = self._give_up
        self._pump = asyncio.create_task(self._run())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """The one thing a client may say: I have lost track, show me the last frame again."""
        try:
            understood = json.loads(text_data or "") == {"type": "resync"}
        except (ValueError, RecursionError):
            understood = False
        if not understood:
            await self._end(NOT_UNDERSTOOD)
        elif self._slot is not None and self._slot.topic.latest is not None:
            self._slot.offer(self._slot.topic.latest)

    async def check_access(self) -> None:
        """Close if the person may not watch any more. While the database is away, nothing changes."""
        session_key = self.scope["session"].session_key
        try:
            allowed = await database_sync_to_async(may_watch)(session_key, self.machine_id)
        except DatabaseError as error:
            log.warning("access to machine %s not checked: %s", self.machine_id, error)
            return
        if not allowed:
            await self._end(NO_ACCESS)

    @database_sync_to_async
    def _find_machine(self) -> Machine | None:
        return Machine.objects.for_user(self.scope["user"]).filter(pk=self.machine_id).first()

    async def _run(self) -> None:
        pings = 0
        try:
            past = await self.scope["hub"].trail(self._slot)
            await self._send(msgspec.msgpack.encode({"type": "trail", "frames": past}))
            while True:
                frame, ping = await self._slot.take()
                if frame is not None:
                    await self._send(frame)
                if ping:
                    await self._send(msgspec.msgpack.encode({"type": "ping", "server_us": now_us()}))
                    pings += 1
                if pings == RECHECK:
                    pings = 0
                    self._check = asyncio.create_task(self.check_access())
        except (OSError, RuntimeError):
            log.debug("client of machine %s went away", self.machine_id)

    async def _send(self, message: bytes) -> None:
        await self._write({"type": "websocket.send", "bytes": message})

    def _give_up(self) -> None:
        log.info("client of machine %s is too slow: closed", self.machine_id)
        self._ending = asyncio.create_task(self._end(TOO_SLOW))

    async def _end(self, code: int) -> None:
        """Close with a code. A client that does not read cannot take a goodbye either: it is just dropped."""
        if self._pump is not None and self._pump is not asyncio.current_task():
            self._pump.cancel()
        try:
            async with asyncio.timeout(GOODBYE):
                await self.close(code)
        except (TimeoutError, OSError, RuntimeError):
            self._dropped = True
            if self._task is not None:
                self._task.cancel()

    def _leave(self) -> None:
        if self._pump is not None:
            self._pump.cancel()
        if self._slot is not None:
            self.scope["hub"].detach(self._slot)
        if self._access is not None:
            self._access.remove(self.scope["user"].pk, self)


class NoSuchSocket(AsyncWebsocketConsumer):
    """Any other address: the handshake is refused."""

    channel_layer_alias = "none"

    async def connect(self) -> None:
        await self.close()


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
