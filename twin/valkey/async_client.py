"""A connection to the telemetry server for an event loop that has thousands of answers a second to read.

Commands go out as packed bytes and answers come back in their order. The usual client of the event loop makes
a handful of objects and a timeout for each answer, which cost ingest and the sockets more processor time than
everything else they do.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import hiredis
import redis

from twin.valkey.address import Address
from twin.valkey.scripts import Script, not_known

CONNECT_S = 2.0
ANSWER_S = 5.0  # for the answers to one question
_NOTHING = object()


class Line(asyncio.Protocol):
    """Answers belong to the oldest question; with `hear`, everything that comes is handed to it instead."""

    def __init__(self) -> None:
        self.hear: Callable[[Any], None] | None = None
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()  # done when it is
        self._transport: asyncio.Transport
        self._reader = hiredis.Reader(
            protocolError=redis.InvalidResponse, replyError=redis.ResponseError, notEnoughData=_NOTHING
        )
        self._asked: deque[tuple[int, list[Any], asyncio.Future[list[Any]]]] = deque()

    @property
    def open(self) -> bool:
        return not self.lost.done()

    def ask(self, packed: bytes, count: int) -> asyncio.Future[list[Any]]:
        """Send commands; their answers, among them exceptions for those that failed."""
        future: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        if not self.open:
            future.set_exception(redis.ConnectionError("the connection is lost"))
        elif count == 0:
            future.set_result([])
        else:
            self._asked.append((count, [], future))
            self._transport.write(packed)
        return future

    def tell(self, packed: bytes) -> None:
        """Send commands whose answers are heard."""
        if self.open:
            self._transport.write(packed)

    def close(self) -> None:
        self._transport.close()
        self._end(None)

    # what the transport calls

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        try:
            while (answer := self._reader.gets()) is not _NOTHING:
                if self.hear is not None:
                    self.hear(answer)
                elif self._asked:
                    self._note(answer)
        except redis.RedisError as error:  # that is no answer at all
            self._end(error)
            self._transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self._end(error)

    def _note(self, answer: Any) -> None:
        count, answers, future = self._asked[0]
        answers.append(answer)
        if len(answers) == count:
            self._asked.popleft()
            if not future.done():  # whoever asked may have gone
                future.set_result(answers)

    def _end(self, error: Exception | None) -> None:
        if self.open:
            self.lost.set_result(None)
        while self._asked:
            future = self._asked.popleft()[2]
            if not future.done():
                future.set_exception(redis.ConnectionError(f"the connection is lost: {error or 'closed'}"))


async def connect(url: str) -> Line:
    """A connection that is signed in; raises RedisError or OSError."""
    address = Address.of(url)
    line: Line | None = None
    try:
        async with asyncio.timeout(CONNECT_S):
            line = await _reach(address)
            for answer in await line.ask(b"".join(address.greeting), len(address.greeting)):
                if isinstance(answer, Exception):
                    raise answer
    except BaseException as error:
        if line is not None:
            line.close()
        if isinstance(error, TimeoutError):
            raise redis.TimeoutError("the telemetry server does not answer") from None
        raise
    return line


async def _reach(address: Address) -> Line:
    loop = asyncio.get_running_loop()
    if address.path:
        return (await loop.create_unix_connection(Line, address.path))[1]
    return (await loop.create_connection(Line, address.host, address.port, ssl=address.tls))[1]


class SteadyLine:
    """A line that is connected when it is needed, and anew when it was lost."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._line: Line | None = None

    @property
    def current(self) -> Line:
        """The connection of the last question that was answered; raises RedisError if there was none."""
        if self._line is None:
            raise redis.ConnectionError("nothing was asked yet")
        return self._line

    async def ask(self, packed: Sequence[bytes]) -> list[Any]:
        """The answers to some commands; raises RedisError or OSError.

        A connection may have died while nobody used it, so they are sent once more on a new one: use it only
        for what can be said twice.
        """
        fresh = self._line is None or not self._line.open
        try:
            return await self._ask(packed)
        except redis.ConnectionError:
            if fresh:
                raise
        return await self._ask(packed)

    async def call(self, packed: Sequence[bytes], *scripts: Script) -> list[Any]:
        """The same for calls of scripts, which the server is told when it does not know them."""
        answers = await self.ask(packed)
        missed = not_known(answers)
        if missed:
            again = await self.ask([*(script.loading for script in scripts), *(packed[i] for i in missed)])
            for i, answer in zip(missed, again[len(scripts) :], strict=True):
                answers[i] = answer
        return answers

    def close(self) -> None:
        if self._line is not None:
            self._line.close()

    async def _ask(self, packed: Sequence[bytes]) -> list[Any]:
        if self._line is None or not self._line.open:
            self._line = await connect(self._url)
        try:
            async with asyncio.timeout(ANSWER_S):
                return await self._line.ask(b"".join(packed), len(packed))
        except TimeoutError:
            self._line.close()  # answers that come later would be taken for those to the next question
            raise redis.TimeoutError("the telemetry server does not answer") from None
