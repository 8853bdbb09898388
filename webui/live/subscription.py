"""One pub/sub connection of this process to the telemetry server, shared by everybody who listens.

It reconnects by itself. Pub/sub keeps nothing for those who are away, so after every (re)connection the
`on_connected` hooks run: whoever keeps a copy of something reads it anew.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from twin import keys
from webui.tasks import end

log = logging.getLogger(__name__)

Listener = Callable[[bytes], None]

PING_EVERY = 2.0  # s
SILENCE = 6.0  # s without any answer: the connection is dead even if nobody closed it
LONGEST_PAUSE = 2.0  # s between two attempts to connect
CONFIRMATION = 2.0  # s to wait for the server to confirm a channel


class Subscription:
    """Listeners by channel. The control channel is always subscribed, so that there is always one."""

    def __init__(self, url: str) -> None:
        self._client = redis.asyncio.Redis.from_url(
            url, socket_connect_timeout=2, socket_keepalive=True, retry=Retry(NoBackoff(), 0)
        )
        self._listeners: dict[str, set[Listener]] = {keys.CONTROL: set()}
        self._confirmed: dict[str, asyncio.Event] = {}
        self._pubsub: Any = None  # of the current connection; None while there is none
        self._order = (
            asyncio.Lock()
        )  # subscribe and unsubscribe leave in the order in which they were decided
        self._task: asyncio.Task[None] | None = None
        self._lost = False  # for one line in the log when it goes and one when it comes back
        self.on_connected: list[Callable[[], Awaitable[None]]] = []

    def start(self) -> None:
        """Needs a running event loop; does nothing when it runs already."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="valkey subscription")

    async def stop(self) -> None:
        await end(self._task)
        await self._client.aclose()

    async def listen(self, channel: str, listener: Listener) -> None:
        """Returns when the server has confirmed the channel; at once while there is no connection."""
        self.start()
        self._listeners.setdefault(channel, set()).add(listener)
        await self._synchronise(channel)
        confirmed = self._confirmed.get(channel)
        if confirmed is not None:
            try:
                async with asyncio.timeout(CONFIRMATION):
                    await confirmed.wait()
            except TimeoutError:
                log.warning("telemetry server has not confirmed %s yet", channel)

    async def unlisten(self, channel: str, listener: Listener) -> None:
        listeners = self._listeners.get(channel, set())
        listeners.discard(listener)
        if not listeners and channel != keys.CONTROL:
            self._listeners.pop(channel, None)
            await self._synchronise(channel)

    async def _synchronise(self, channel: str) -> None:
        """Make the server's view of a channel agree with whether anybody listens."""
        async with self._order:
            wanted, present = channel in self._listeners, channel in self._confirmed
            if self._pubsub is None or wanted == present:
                return
            try:
                if wanted:
                    self._confirmed[channel] = asyncio.Event()
                    await self._pubsub.subscribe(channel)
                else:
                    del self._confirmed[channel]
                    await self._pubsub.unsubscribe(channel)
            except (redis.RedisError, OSError):
                log.debug("connection lost while changing %s; the reader will notice", channel)

    async def _run(self) -> None:
        pause = 0.05
        while True:
            try:
                async with self._client.pubsub() as pubsub:
                    await self._connect(pubsub)
                    pause = 0.05
                    await self._read(pubsub)
            except (redis.RedisError, OSError) as error:
                if not self._lost:
                    log.warning("telemetry server lost: %s; trying again", error)
                self._lost = True
            finally:
                self._pubsub = None
                self._confirmed.clear()
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _connect(self, pubsub: Any) -> None:
        async with self._order:
            self._confirmed = {channel: asyncio.Event() for channel in self._listeners}
            await pubsub.subscribe(*self._confirmed)
            self._pubsub = pubsub
        if self._lost:
            log.info("telemetry server is back")
            self._lost = False

    async def _read(self, pubsub: Any) -> None:
        awaited = set(self._confirmed)  # the hooks run once all of these are confirmed
        heard = pinged = time.monotonic()
        while True:
            message = await pubsub.get_message(timeout=PING_EVERY)
            now = time.monotonic()
            if message is not None:
                heard = now
                self._handle(message)
                if awaited and message["type"] == "subscribe":
                    awaited.discard(message["channel"].decode())
                    if not awaited:
                        await self._announce_connection()
            if now - heard > SILENCE:
                raise ConnectionError("no answer")
            if now - pinged > PING_EVERY:
                pinged = now
                await pubsub.ping()

    def _handle(self, message: dict[str, Any]) -> None:
        if message["type"] == "message":
            for listener in tuple(self._listeners.get(message["channel"].decode(), ())):
                listener(message["data"])
        elif message["type"] == "subscribe":
            confirmed = self._confirmed.get(message["channel"].decode())
            if confirmed is not None:
                confirmed.set()

    async def _announce_connection(self) -> None:
        for hook in self.on_connected:
            await hook()
