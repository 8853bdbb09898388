"""A machine that sends over HTTP: one connection, one body at a time, again until it is acknowledged."""

import asyncio
from typing import NamedTuple, cast

import msgspec

from workers.loadtest.machine import AGAIN_S, NO_ANSWER_S, PER_BODY, Machine

HOST = "127.0.0.1"
LONGEST_WAIT_S = 2.0  # however long the server would like to be left alone: the test is bounded


class Answer(NamedTuple):
    status: int
    head: bytes  # in lower case
    content: bytes

    @property
    def retry_after_s(self) -> float:
        return float(_field(self.head, b"retry-after") or AGAIN_S)


class Connection(asyncio.Protocol):
    """Speaks just enough HTTP to cost less than what it measures."""

    def __init__(self, token: str) -> None:
        self._head = (
            f"POST /api/v1/telemetry HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        ).encode()
        self._transport: asyncio.Transport
        self._heard = b""  # of the answer
        self._waiting: asyncio.Future[None] | None = None  # for more of it
        self._lost = False

    @classmethod
    async def to(cls, port: int, token: str) -> "Connection":
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(lambda: cls(token), HOST, port)
        return connection

    async def post(self, body: bytes) -> Answer:
        """Raises ConnectionError, also if there is no answer for long, or ValueError if it cannot be read."""
        if self._transport.is_closing():  # uvloop would say something that is no OSError
            raise ConnectionError("closed by the server")
        self._heard = b""
        self._transport.write(b"%b%d\r\n\r\n%b" % (self._head, len(body), body))
        loop = asyncio.get_running_loop()
        patience = loop.call_later(NO_ANSWER_S, self._transport.abort)  # a seventh of an asyncio.timeout
        try:
            while (answer := _answer(self._heard)) is None:
                if self._lost:
                    raise ConnectionError("closed by the server")
                self._waiting = loop.create_future()
                await self._waiting
        finally:
            patience.cancel()
        return answer

    def close(self) -> None:
        self._transport.close()

    # what the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._heard += data
        self._wake()

    def connection_lost(self, _error: Exception | None) -> None:
        self._lost = True
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


def _answer(data: bytes) -> Answer | None:
    """The answer, if all of it is there."""
    head, ended, content = data.partition(b"\r\n\r\n")
    if not ended:
        return None
    head = head.lower()
    length = int(_field(head, b"content-length"))
    return Answer(int(head.split(b" ", 2)[1]), head, content[:length]) if len(content) >= length else None


def _field(head: bytes, name: bytes) -> bytes:
    """What a header says, nothing if it is not there: all of them in a dict would cost more than the rest."""
    return head.partition(b"\r\n%b:" % name)[2].partition(b"\r\n")[0].strip()


async def play(machine: Machine, port: int) -> None:
    connection: Connection | None = None
    while not machine.done:
        body = await machine.body(machine.acked)
        try:
            if connection is None:
                async with asyncio.timeout(NO_ANSWER_S):
                    connection = await Connection.to(port, machine.who.token)
            answer = await connection.post(body)
        except (OSError, ValueError):  # TimeoutError is an OSError
            if connection is not None:
                connection.close()
            connection = None
            await asyncio.sleep(AGAIN_S)
            continue
        if answer.status == 202:
            await _taken(machine, answer.content)
        else:
            await asyncio.sleep(min(LONGEST_WAIT_S, answer.retry_after_s))
    if connection is not None:
        connection.close()


class _Rejected(msgspec.Struct):
    index: int
    retry: bool


class _Outcome(msgspec.Struct):
    """Of what the platform answers that which matters here."""

    rejected: list[_Rejected]


_outcomes = msgspec.json.Decoder(_Outcome)


async def _taken(machine: Machine, content: bytes) -> None:
    until = min(machine.acked + PER_BODY, machine.count)
    rejected = _outcomes.decode(content).rejected
    again = [machine.acked + each.index for each in rejected if each.retry]
    machine.refused += sum(not each.retry for each in rejected)
    machine.acknowledged(min([until, *again]))
    if again:
        await asyncio.sleep(AGAIN_S)
