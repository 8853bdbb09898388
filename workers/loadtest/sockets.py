"""A browser that watches one machine: hears every frame, notes how far it is behind and which are missing.

Speaks just enough WebSocket to cost less than what it measures.
"""

import asyncio
import base64
import os
import struct
import time

from twin.runtime import frames
from workers.loadtest.machine import AGAIN_S
from workers.loadtest.times import Times

HOST = "127.0.0.1"
BINARY, CLOSE, PING, PONG = 0x2, 0x8, 0x9, 0xA


class Heard:
    """What all of them have heard together."""

    def __init__(self) -> None:
        self.lags = Times()  # from the time of a synced state to its arrival, beyond the fixed delay
        self.ways = Times()  # from when a frame was made to its arrival
        self.missing = 0  # frames that were made between two that one client has heard
        self.lost = 0  # connections

    def clear(self) -> None:
        self.lags.clear()
        self.ways.clear()
        self.missing = self.lost = 0


class Watcher:
    def __init__(self, machine: str, session: str, port: int, delay_us: int, heard: Heard) -> None:
        self._heard = heard
        self._last = 0  # number of the last frame, 0 at the beginning of a connection
        self._machine = machine
        self._session = session
        self._port = port
        self._delay_us = delay_us

    async def watch(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self._listen()
            except (OSError, EOFError, ValueError):
                self._heard.lost += 1
                await asyncio.sleep(AGAIN_S)

    async def _listen(self) -> None:
        self._last = 0
        reader, writer = await asyncio.open_connection(HOST, self._port)
        try:
            await self._upgrade(reader, writer)
            while True:
                kind, data = await _message(reader)
                if kind == BINARY:
                    self._hear(data)
                elif kind == PING:
                    writer.write(_masked(PONG, data))
                elif kind == CLOSE:
                    raise ConnectionError
        finally:
            writer.close()

    async def _upgrade(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET /ws/machines/{self._machine}/ HTTP/1.1",
            f"Host: {HOST}:{self._port}",
            f"Origin: http://{HOST}:{self._port}",
            f"Cookie: sessionid={self._session}",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}\r\n\r\n",
        ]
        writer.write("\r\n".join(lines).encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in answer.split(b"\r\n")[0]:
            raise ConnectionError(answer.split(b"\r\n")[0])

    def _hear(self, data: bytes) -> None:
        try:
            frame = frames.decode(data)
        except ValueError:  # the other messages: hello, trail, ping
            return
        heard, now_us = self._heard, time.time_ns() // 1000
        if self._last:
            heard.missing += max(0, frame.seq - self._last - 1)
            heard.ways.add((now_us - frame.ts) / 1e6)
        self._last = frame.seq
        if frame.status == "synced":
            heard.lags.add((now_us - frame.t - self._delay_us) / 1e6)


async def _message(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    first, length = await reader.readexactly(2)
    if length == 126:
        (length,) = struct.unpack(">H", await reader.readexactly(2))
    elif length == 127:
        (length,) = struct.unpack(">Q", await reader.readexactly(8))
    return first & 0x0F, await reader.readexactly(length)


def _masked(kind: int, data: bytes) -> bytes:
    """Clients have to mask what they send; with zeros it stays as it is."""
    return bytes([0x80 | kind, 0x80 | len(data)]) + b"\0\0\0\0" + data
