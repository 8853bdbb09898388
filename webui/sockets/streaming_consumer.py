"""Base class of sockets that stream updates to a browser: handshake, access checks, pings, closing."""

import asyncio
import logging
from typing import Any

import msgspec
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError

from webui.clock import now_us
from webui.sockets.slot import Slot

log = logging.getLogger(__name__)

NOT_UNDERSTOOD, NO_ACCESS, TOO_SLOW = 4400, 4403, 4408  # close codes
GOODBYE = 1.0  # s for the close message
RECHECK = 60  # pings between two access checks, in case an announcement was missed


class StreamingConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # Channels has no types
    """Serves one client. A single task writes to it, so messages keep their order."""

    # webui.sockets.access_revocation listens to the layer for all sockets of the process
    channel_layer_alias = "none"
    what = ""  # what the client watches, for the log

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._task = asyncio.current_task()
        self._dropped = False
        self._slot: Any = None
        self._access: Any = None
        self._pump: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._write = scope.get("write", send)  # bypasses the middleware, which only concerns the handshake
        try:
            await super().__call__(scope, receive, send)
        except asyncio.CancelledError:
            if not self._dropped:
                raise
        finally:
            self._leave()

    # for subclasses

    async def admit(self) -> bytes | None:
        """Return the hello message; None refuses the handshake."""
        raise NotImplementedError

    async def attach(self) -> Slot:
        raise NotImplementedError

    def detach(self) -> None:
        """Give the slot back."""
        raise NotImplementedError

    async def begin(self) -> None:
        """Send everything that comes before the first update."""

    async def send_update(self, update: bytes) -> None:
        await self.write(update)

    async def still_allowed(self) -> bool:
        """Return whether the person may still watch. Queries the database."""
        raise NotImplementedError

    # life of a connection

    async def connect(self) -> None:
        hello = await self.admit()
        if hello is None:
            await self.close()  # before accept: the handshake fails with 403
            return
        await self.accept()
        await self.send(bytes_data=hello)
        self._slot = await self.attach()
        self._slot.too_slow = self._give_up
        self._pump = asyncio.create_task(self._run())
        self._access = self.scope["access"]
        self._access.add(self.scope["user"].pk, self)
        await self.check_access()  # catches a change since admit()

    async def check_access(self) -> None:
        """Close if the person may no longer watch.

        If the database is not responding, keep the socket open.
        """
        try:
            allowed = await self.still_allowed()
        except DatabaseError as error:
            log.warning("access to %s not checked: %s", self.what, error)
            return
        if not allowed:
            await self.end(NO_ACCESS)

    async def write(self, message: bytes) -> None:
        await self._write({"type": "websocket.send", "bytes": message})

    async def end(self, code: int) -> None:
        """Close with a code; drop a client that does not take the close message in time."""
        if self._pump is not None and self._pump is not asyncio.current_task():
            self._pump.cancel()
        try:
            async with asyncio.timeout(GOODBYE):
                await self.close(code)
        except (TimeoutError, OSError, RuntimeError):
            self._dropped = True
            if self._task is not None:
                self._task.cancel()

    async def _run(self) -> None:
        pings = 0
        try:
            await self.begin()
            while True:
                update, ping = await self._slot.take()
                if update is not None:
                    await self.send_update(update)
                if ping:
                    await self.write(msgspec.msgpack.encode({"type": "ping", "server_us": now_us()}))
                    pings += 1
                if pings == RECHECK:
                    pings = 0
                    self._check = asyncio.create_task(self.check_access())
        except (OSError, RuntimeError):
            log.debug("client of %s went away", self.what)

    def _give_up(self) -> None:
        log.info("client of %s is too slow: closed", self.what)
        self._ending = asyncio.create_task(self.end(TOO_SLOW))

    def _leave(self) -> None:
        if self._pump is not None:
            self._pump.cancel()
        if self._slot is not None:
            self.detach()
        if self._access is not None:
            self._access.remove(self.scope["user"].pk, self)
