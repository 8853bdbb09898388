"""A WebSocket client for load tests: receives a machine's frames, measures delays, counts missing frames.

The client is minimal, so that it uses little processor time compared with the services under test.
"""

import asyncio
import base64
import os
import time
from collections.abc import Callable
from typing import cast

import msgspec

from twin.runtime import frames
from workers.loadtest.machine import AGAIN_S
from workers.loadtest.times import Times

HOST = "127.0.0.1"
BINARY, CLOSE, PING, PONG = 0x2, 0x8, 0x9, 0xA


class Shown(msgspec.Struct, tag="frame", tag_field="type"):
    """The fields of a frame that are used here; decoding all of them would take half as long again."""

    seq: int
    t: int
    ts: int
    status: frames.Status


_shown = msgspec.msgpack.Decoder(Shown)


class SocketStats:
    """The figures of all clients together."""

    def __init__(self) -> None:
        self.lags = Times()  # from the machine time of a synced state to its arrival, minus the fixed delay
        self.ways = Times()  # from the making of a frame to its arrival
        self.missing = 0  # frames missing between two received ones
        self.lost = 0  # connections

    def clear(self) -> None:
        self.lags.clear()
        self.ways.clear()
        self.missing = self.lost = 0


class SocketClient:
    def __init__(self, machine: str, session: str, port: int, delay_us: int, stats: SocketStats) -> None:
        self._stats = stats
        self._last = 0  # number of the last frame, 0 on a new connection
        self._machine = machine
        self._session = session
        self._port = port
        self._delay_us = delay_us

    async def run(self) -> None:
        """Receive frames until cancelled."""
        while True:
            try:
                await self._listen()
            except (OSError, EOFError, ValueError):
                self._stats.lost += 1
                await asyncio.sleep(AGAIN_S)

    async def _listen(self) -> None:
        self._last = 0
        loop = asyncio.get_running_loop()
        _, socket = await loop.create_connection(
            lambda: Socket(self._request(), self._hear), HOST, self._port
        )
        try:
            await socket.ended
        finally:
            socket.close()

    def _request(self) -> bytes:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET /ws/machines/{self._machine}/ HTTP/1.1",
            f"Host: {HOST}:{self._port}",
            f"Origin: http://{HOST}:{self._port}",
            f"Cookie: sessionid={self._session}",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}\r\n\r\n",
        ]
        return "\r\n".join(lines).encode()

    def _hear(self, data: bytes) -> None:
        try:
            frame = _shown.decode(data)
        except ValueError:  # other messages: hello, trail, ping
            return
        stats, now_us = self._stats, time.time_ns() // 1000
        if self._last:
            stats.missing += max(0, frame.seq - self._last - 1)
            stats.ways.add((now_us - frame.ts) / 1e6)
        self._last = frame.seq
        if frame.status == "synced":
            stats.lags.add((now_us - frame.t - self._delay_us) / 1e6)


class Socket(asyncio.Protocol):
    """Passes every binary message to a callback: waking a task for each would cost more than the rest."""

    def __init__(self, request: bytes, hear: Callable[[bytes], None]) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()  # raises why
        self._request = request
        self._hear = hear
        self._open = False  # the server has accepted the upgrade
        self._data = b""  # incomplete message or response
        self._transport: asyncio.Transport

    def close(self) -> None:
        self._transport.close()

    # called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self._open:
            self._check_upgrade()
        if self._open:
            self._take_messages()

    def connection_lost(self, error: Exception | None) -> None:
        self._end(error or ConnectionError("the server closed the connection"))

    def _check_upgrade(self) -> None:
        head, complete, rest = self._data.partition(b"\r\n\r\n")
        if complete and b" 101 " not in head.split(b"\r\n")[0]:
            self._end(ConnectionError(head.split(b"\r\n")[0]))
        elif complete:
            self._open, self._data = True, rest

    def _take_messages(self) -> None:
        data, begin = self._data, 0
        while (extent := _extent(data, begin)) is not None:
            content, end = extent
            self._take(data[begin] & 0x0F, data[content:end])
            begin = end
        self._data = data[begin:]

    def _take(self, kind: int, data: bytes) -> None:
        if kind == BINARY:
            self._hear(data)
        elif kind == PING:
            self._transport.write(_masked(PONG, data))
        elif kind == CLOSE:
            self._end(ConnectionError("the server closed the connection"))

    def _end(self, error: Exception) -> None:
        if not self.ended.done():
            self.ended.set_exception(error)


def _extent(data: bytes, begin: int) -> tuple[int, int] | None:
    """Return begin and end of the content of the message at `begin`; None if the message is incomplete."""
    content = begin + 2
    if len(data) < content:
        return None
    length = data[begin + 1]
    if length >= 126:  # the length follows in two or eight bytes
        content += 2 if length == 126 else 8
        length = int.from_bytes(data[begin + 2 : content], "big")
    end = content + length
    return (content, end) if len(data) >= end else None


def _masked(kind: int, data: bytes) -> bytes:
    """Return the message with a mask, which clients must send; a mask of zeros changes nothing."""
    return bytes([0x80 | kind, 0x80 | len(data)]) + b"\0\0\0\0" + data
