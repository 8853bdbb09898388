"""The process's pub/sub connection to the telemetry server, shared by all listeners.

It reconnects by itself. While it is disconnected, messages are lost. Code that keeps a cached copy therefore
adds a hook to `on_connected`, which runs after every connection and reads the data again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import redis

from twin import keys
from twin.log_on_change import LogOnChange
from twin.valkey.address import pack
from twin.valkey.async_client import AsyncConnection, open_connection
from webui.tasks import end

log = logging.getLogger(__name__)

Listener = Callable[[bytes], None]

PING_EVERY = 2.0  # s
SILENCE = 6.0  # s without an answer after which the connection counts as dead
LONGEST_PAUSE = 2.0  # s between two attempts to connect
CONFIRMATION = 2.0  # s to wait for the server to confirm a channel


class Subscription:
    """Keeps listeners by channel.

    The control channel is always subscribed, because the connection needs one.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._listeners: dict[str, set[Listener]] = {keys.CONTROL: set()}
        self._confirmed: dict[str, asyncio.Event] = {}
        self._awaited: set[str] = set()  # channels to be confirmed before the hooks run
        self._connection: AsyncConnection | None = None
        self._heard = False  # whether anything arrived since the last check
        self._task: asyncio.Task[None] | None = None
        self._announcing: asyncio.Task[None] | None = None
        self._log = LogOnChange(log, recovered="telemetry server is back")
        self.on_connected: list[Callable[[], Awaitable[None]]] = []

    def start(self) -> None:
        """Start the task, unless it is already running. Needs a running event loop."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="valkey subscription")

    async def stop(self) -> None:
        await end(self._task)
        await end(self._announcing)

    async def listen(self, channel: str, listener: Listener) -> None:
        """Add a listener.

        Returns when the server has confirmed the channel, or at once if there is no connection.
        """
        self.start()
        self._listeners.setdefault(channel, set()).add(listener)
        self._synchronise(channel)
        confirmed = self._confirmed.get(channel)
        if confirmed is not None:
            try:
                async with asyncio.timeout(CONFIRMATION):
                    await confirmed.wait()
            except TimeoutError:
                log.warning("telemetry server has not confirmed %s yet", channel)

    def unlisten(self, channel: str, listener: Listener) -> None:
        listeners = self._listeners.get(channel, set())
        listeners.discard(listener)
        if not listeners and channel != keys.CONTROL:
            self._listeners.pop(channel, None)
            self._synchronise(channel)

    def _synchronise(self, channel: str) -> None:
        """Subscribe or unsubscribe a channel, depending on whether it has listeners."""
        wanted, present = channel in self._listeners, channel in self._confirmed
        if self._connection is None or wanted == present:
            return
        if wanted:
            self._confirmed[channel] = asyncio.Event()
            self._connection.send(pack("SUBSCRIBE", channel))
        else:
            del self._confirmed[channel]
            self._connection.send(pack("UNSUBSCRIBE", channel))

    async def _run(self) -> None:
        pause = 0.05
        while True:
            try:
                connection = await open_connection(self._url)
                pause = 0.05
                await self._stay(connection)
            except (redis.RedisError, OSError) as error:
                self._log.report(f"telemetry server lost: {error}; trying again", state="lost")
            finally:
                self._connection = None
                self._confirmed.clear()
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _stay(self, connection: AsyncConnection) -> None:
        """Serve a connection until it is lost or no longer responds."""
        try:
            connection.on_message = self._hear
            self._connection = connection
            self._confirmed = {channel: asyncio.Event() for channel in self._listeners}
            self._awaited = set(self._confirmed)
            connection.send(pack("SUBSCRIBE", *self._confirmed))
            silent = 0.0
            while silent < SILENCE:
                await asyncio.wait([connection.lost], timeout=PING_EVERY)
                if not connection.open:
                    raise redis.ConnectionError("the connection to the telemetry server was lost")
                silent = 0.0 if self._heard else silent + PING_EVERY
                self._heard = False
                connection.send(pack("PING"))
            raise redis.ConnectionError("no response from the telemetry server")
        finally:
            connection.close()

    def _hear(self, answer: Any) -> None:
        """Handle a message [kind, channel, content]; listeners must not raise."""
        self._heard = True
        if isinstance(answer, Exception):
            log.error("telemetry server refuses: %s", answer)
            return
        what = answer[0]
        if what == b"message":
            for listener in tuple(self._listeners.get(answer[1].decode(), ())):
                listener(answer[2])
        elif what == b"subscribe":
            self._confirm(answer[1].decode())

    def _confirm(self, channel: str) -> None:
        confirmed = self._confirmed.get(channel)
        if confirmed is not None:
            confirmed.set()
        if channel in self._awaited:
            self._awaited.discard(channel)
            if not self._awaited:
                self._announcing = asyncio.create_task(self._announce_connection())

    async def _announce_connection(self) -> None:
        self._log.ok()
        for hook in self.on_connected:
            await hook()
