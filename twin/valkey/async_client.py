"""An asyncio Valkey client for processes that read thousands of replies a second.

Commands are sent as packed bytes; replies come back in order. This client uses a fraction of the processor
time of redis-py's asyncio client, which creates several objects and a timeout per reply (decision 023).
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import hiredis
import redis

from twin.valkey.address import Address
from twin.valkey.scripts import Script, missing_scripts

CONNECT_S = 2.0
REPLY_S = 5.0  # for all replies of one execute()
NO_REPLY = "the telemetry server is not responding"
_INCOMPLETE = object()


class AsyncConnection(asyncio.Protocol):
    """One connection.

    A reply goes to the oldest waiting execute(), or to `on_message` if that is set (pub/sub).
    """

    def __init__(self) -> None:
        self.on_message: Callable[[Any], None] | None = None
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport
        self._reader = hiredis.Reader(
            protocolError=redis.InvalidResponse, replyError=redis.ResponseError, notEnoughData=_INCOMPLETE
        )
        self._waiting: deque[tuple[int, list[Any], asyncio.Future[list[Any]]]] = deque()

    @property
    def open(self) -> bool:
        return not self.lost.done()

    def execute(self, packed: bytes, count: int) -> asyncio.Future[list[Any]]:
        """Send `count` commands and return their replies; the reply of a failed command is an exception."""
        future: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        if not self.open:
            future.set_exception(redis.ConnectionError("the connection to the telemetry server was lost"))
        elif count == 0:
            future.set_result([])
        else:
            self._waiting.append((count, [], future))
            self._transport.write(packed)
        return future

    def send(self, packed: bytes) -> None:
        """Send commands whose replies go to `on_message`."""
        if self.open:
            self._transport.write(packed)

    def close(self) -> None:
        self._transport.close()
        self._end(None)

    # called by the transport

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        try:
            while (reply := self._reader.gets()) is not _INCOMPLETE:
                if self.on_message is not None:
                    self.on_message(reply)
                elif self._waiting:
                    self._deliver(reply)
        except redis.RedisError as error:  # bytes that are not the server's protocol
            self._end(error)
            self._transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self._end(error)

    def _deliver(self, reply: Any) -> None:
        count, replies, future = self._waiting[0]
        replies.append(reply)
        if len(replies) == count:
            self._waiting.popleft()
            if not future.done():  # the caller may have been cancelled
                future.set_result(replies)

    def _end(self, error: Exception | None) -> None:
        if self.open:
            self.lost.set_result(None)
        while self._waiting:
            future = self._waiting.popleft()[2]
            if not future.done():
                future.set_exception(
                    redis.ConnectionError(
                        f"the connection to the telemetry server was lost: {error or 'closed'}"
                    )
                )


async def open_connection(url: str) -> AsyncConnection:
    """Open a connection and complete its handshake; raises RedisError or OSError."""
    address = Address.of(url)
    connection: AsyncConnection | None = None
    try:
        async with asyncio.timeout(CONNECT_S):
            connection = await _open_transport(address)
            for reply in await connection.execute(b"".join(address.handshake), len(address.handshake)):
                if isinstance(reply, Exception):
                    raise reply
    except BaseException as error:
        if connection is not None:
            connection.close()
        if isinstance(error, TimeoutError):
            raise redis.TimeoutError(NO_REPLY) from None
        raise
    return connection


async def _open_transport(address: Address) -> AsyncConnection:
    loop = asyncio.get_running_loop()
    if address.path:
        return (await loop.create_unix_connection(AsyncConnection, address.path))[1]
    return (await loop.create_connection(AsyncConnection, address.host, address.port, ssl=address.tls))[1]


class AsyncClient:
    """A client that connects on first use, and reconnects after the connection was lost."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: AsyncConnection | None = None

    @property
    def connection(self) -> AsyncConnection:
        """Return the connection of the last execute(); raises RedisError before the first one."""
        if self._connection is None:
            raise redis.ConnectionError("not connected to the telemetry server yet")
        return self._connection

    async def execute(self, commands: Sequence[bytes]) -> list[Any]:
        """Return one reply per packed command; raises RedisError or OSError.

        If a connection turns out to have died while idle, the commands are sent a second time. Use this
        method only for commands that may run twice.
        """
        fresh = self._connection is None or not self._connection.open
        try:
            return await self._execute(commands)
        except redis.ConnectionError:
            if fresh:
                raise
        return await self._execute(commands)

    async def run_scripts(self, commands: Sequence[bytes], *scripts: Script) -> list[Any]:
        """Execute script commands; loads the scripts first if the server does not have them."""
        replies = await self.execute(commands)
        missing = missing_scripts(replies)
        if missing:
            loading = [script.load_command for script in scripts]
            again = await self.execute([*loading, *(commands[i] for i in missing)])
            for i, reply in zip(missing, again[len(scripts) :], strict=True):
                replies[i] = reply
        return replies

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    async def _execute(self, commands: Sequence[bytes]) -> list[Any]:
        if self._connection is None or not self._connection.open:
            self._connection = await open_connection(self._url)
        try:
            async with asyncio.timeout(REPLY_S):
                return await self._connection.execute(b"".join(commands), len(commands))
        except TimeoutError:
            self._connection.close()  # a late reply would be mistaken for the reply to the next command
            raise redis.TimeoutError(NO_REPLY) from None
