"""Sends a machine's telemetry over one HTTP connection; repeats each body until it is acknowledged."""

import asyncio
from typing import NamedTuple, cast

import msgspec

from workers.loadtest.machine import AGAIN_S, NO_ANSWER_S, PER_BODY, Machine

HOST = "127.0.0.1"
LONGEST_WAIT_S = 2.0  # upper limit of Retry-After, because the test has a limited time


class Answer(NamedTuple):
    status: int
    head: bytes  # in lower case
    content: bytes

    @property
    def retry_after_s(self) -> float:
        return float(_field(self.head, b"retry-after") or AGAIN_S)


class Connection(asyncio.Protocol):
    """A minimal HTTP client; it uses little processor time compared with the services that it measures."""

    def __init__(self, token: str) -> None:
        self._head = (
            f"POST /api/v1/telemetry HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        ).encode()
        self._transport: asyncio.Transport
        self._received = b""  # of the response
        self._waiting: asyncio.Future[None] | None = None  # for more data
        self._lost = False

    @classmethod
    async def to(cls, port: int, token: str) -> "Connection":
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(lambda: cls(token), HOST, port)
        return connection

    async def post(self, body: bytes) -> Answer:
        """Send a body.

        Raises ConnectionError, also on a timeout, or ValueError if the response cannot be parsed.
        """
        if self._transport.is_closing():  # uvloop would raise an error that is not an OSError
            raise ConnectionError("the server closed the connection")
        self._received = b""
        self._transport.write(b"%b%d\r\n\r\n%b" % (self._head, len(body), body))
        loop = asyncio.get_running_loop()
        # costs a seventh of asyncio.timeout
        patience = loop.call_later(NO_ANSWER_S, self._transport.abort)
        try:
            while (answer := _answer(self._received)) is None:
                if self._lost:
                    raise ConnectionError("the server closed the connection")
                self._waiting = loop.create_future()
                await self._waiting
        finally:
            patience.cancel()
        return answer

    def close(self) -> None:
        self._transport.close()

    # called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._wake()

    def connection_lost(self, _error: Exception | None) -> None:
        self._lost = True
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


def _answer(data: bytes) -> Answer | None:
    """Return the response; None if it is incomplete."""
    head, ended, content = data.partition(b"\r\n\r\n")
    if not ended:
        return None
    head = head.lower()
    length = int(_field(head, b"content-length"))
    return Answer(int(head.split(b" ", 2)[1]), head, content[:length]) if len(content) >= length else None


def _field(head: bytes, name: bytes) -> bytes:
    """Return the value of a header, or an empty one. A dict of all headers would cost more than the rest."""
    return head.partition(b"\r\n%b:" % name)[2].partition(b"\r\n")[0].strip()


async def play(machine: Machine, port: int) -> None:
    connection: Connection | None = None
    while not machine.done:
        body = await machine.body(machine.acked)
        try:
            if connection is None:
                async with asyncio.timeout(NO_ANSWER_S):
                    connection = await Connection.to(port, machine.credentials.token)
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
    """The part of the platform's response that is used here."""

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
