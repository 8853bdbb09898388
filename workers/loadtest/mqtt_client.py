"""A minimal MQTT 3.1.1 client for load tests; it uses little processor time compared with the services.

The client publishes with QoS 1 and subscribes to one topic; it does not reconnect.
"""

import asyncio
from collections.abc import Callable

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 0x10, 0x20, 0x32, 0x40, 0x82, 0x90
KEEPALIVE_S = 600
RECEIVE_BYTES = 65_536  # reading each part of a packet separately would cost more than the packet


class MqttClient:
    def __init__(self, heard: Callable[[bytes], None]) -> None:
        self._heard = heard
        self._mid = 0
        self._data = b""  # received but not parsed yet
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def connect(self, port: int, user: str, password: str, topic: str) -> None:
        """Sign in and subscribe to the topic."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port)
        head = _text("MQTT") + bytes([4, 0xC2]) + KEEPALIVE_S.to_bytes(2, "big")
        self._send(CONNECT, head + _text(user) + _text(user) + _text(password))
        kind, data = await self._packet()
        if (kind, data[1]) != (CONNACK, 0):
            raise ConnectionError(f"the broker refuses the connection of user {user}")
        self._send(SUBSCRIBE, (1).to_bytes(2, "big") + _text(topic) + b"\0")
        kind, data = await self._packet()
        if (kind, data[2]) != (SUBACK, 0):
            raise ConnectionError(f"the broker refuses the subscription of user {user}")

    def publish(self, topic: str, body: bytes) -> None:
        self._mid = self._mid % 65_535 + 1
        self._send(PUBLISH, _text(topic) + self._mid.to_bytes(2, "big") + body)

    async def listen(self) -> None:
        """Pass messages to the callback until cancelled."""
        while True:
            kind, data = await self._packet()
            if kind & 0xF0 == PUBLISH & 0xF0:
                self._heard(data[2 + int.from_bytes(data[:2], "big") :])

    def close(self) -> None:
        self._writer.close()

    def _send(self, kind: int, data: bytes) -> None:
        length, left = b"", len(data)
        while True:
            left, part = divmod(left, 128)
            length += bytes([part | (0x80 if left else 0)])
            if not left:
                break
        if self._writer.is_closing():  # uvloop would raise an error that is not an OSError
            raise ConnectionError("the broker has closed the connection")
        self._writer.write(bytes([kind]) + length + data)

    async def _packet(self) -> tuple[int, bytes]:
        while (extent := _extent(self._data)) is None:
            if not (more := await self._reader.read(RECEIVE_BYTES)):
                raise EOFError("the broker has closed the connection")
            self._data += more
        (begin, end), data = extent, self._data
        self._data = data[end:]
        return data[0], data[begin:end]


def _extent(data: bytes) -> tuple[int, int] | None:
    """Return begin and end of the first packet's content; None if the packet is incomplete."""
    size = shift = 0
    for place in range(1, len(data)):
        size |= (data[place] & 0x7F) << shift
        shift += 7
        if data[place] < 0x80:
            begin, end = place + 1, place + 1 + size
            return (begin, end) if len(data) >= end else None
    return None


def _text(text: str) -> bytes:
    data = text.encode()
    return len(data).to_bytes(2, "big") + data
