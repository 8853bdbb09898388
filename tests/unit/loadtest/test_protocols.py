"""How the load tool speaks: HTTP, WebSocket and MQTT, in whatever pieces the answers come."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Any

import msgspec
import pytest
import uvloop

from tests.unit.loadtest.test_load import machine
from tests.waiting import PATIENCE_S
from twin.runtime import frames
from workers.loadtest import mqtt_client, over_http, sockets
from workers.loadtest.machine import AGAIN_S, Machine


@asynccontextmanager
async def serving(handle: Callable[[Any, Any], Awaitable[None]]) -> AsyncIterator[int]:
    """The port of a server that deals so with its connections, until all of them have ended."""
    handling: set[Any] = set()

    async def serve(reader: Any, writer: Any) -> None:
        handling.add(asyncio.current_task())
        with suppress(EOFError, ConnectionError):  # the other side has gone
            await handle(reader, writer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.gather(*handling)


async def asked(reader: Any) -> list[int]:
    """The sequence numbers of the next body."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    return [sample["seq"] for sample in json.loads(await reader.readexactly(length))["samples"]]


async def answer(writer: Any, status: int, document: dict[str, Any]) -> None:
    """In pieces."""
    content = json.dumps(document).encode()
    head = f"HTTP/1.1 {status} x\r\nRetry-After: 0\r\nContent-Length: {len(content)}\r\n\r\n".encode()
    for piece in (head[:5], head[5:], content[:3], content[3:]):
        writer.write(piece)
        await asyncio.sleep(0.001)


async def played(serve: Callable[[Any, Any], Awaitable[None]]) -> Machine:
    sender = machine()
    async with serving(serve) as port, asyncio.timeout(PATIENCE_S):
        await over_http.play(sender, port)
    return sender


def test_a_device_sends_again_until_it_is_acknowledged():
    """A server that refuses, hangs up, rejects for now, and then takes everything."""
    answers = iter([(503, {}), None, (202, {"rejected": [{"index": 2, "retry": True}]})])
    taken: list[int] = []

    async def serve(reader: Any, writer: Any) -> None:
        while seqs := await asked(reader):
            if (outcome := next(answers, (202, {"rejected": []}))) is None:
                return
            status, document = outcome
            if status == 202:
                taken.extend(seqs[: 2 if document["rejected"] else 5])
            await answer(writer, status, document)

    assert uvloop.run(played(serve)).done
    assert taken == list(range(12))


def test_a_server_that_does_not_answer_is_left_and_asked_anew(monkeypatch):
    monkeypatch.setattr(over_http, "NO_ANSWER_S", 0.3)
    left: list[bytes] = []

    async def serve(reader: Any, writer: Any) -> None:
        while await asked(reader):
            if not left:
                left.append(await reader.read())
                return
            await answer(writer, 202, {"rejected": []})

    assert uvloop.run(played(serve)).done
    assert left == [b""]


def test_a_device_reads_no_more_than_it_needs_of_an_answer():
    head = b"HTTP/1.1 503 Busy\r\nServer: x\r\nRetry-After: 1.5\r\nContent-Length: 2\r\n\r\n"
    found = over_http._answer(head + b"{}")
    assert (found.status, found.retry_after_s, found.content) == (503, 1.5, b"{}")
    assert all(over_http._answer((head + b"{}")[:length]) is None for length in range(len(head) + 2))
    assert over_http._answer(b"HTTP/1.1 202 x\r\nContent-Length: 0\r\n\r\n").retry_after_s == AGAIN_S
    with pytest.raises(ValueError, match="invalid literal"):
        over_http._answer(b"HTTP/1.1 202 x\r\nNo-Content-Length: 0\r\n\r\n")


def message(kind: int, data: bytes) -> bytes:
    """As a server sends it, which masks nothing."""
    size = len(data)
    if size < 126:
        return bytes([0x80 | kind, size]) + data
    marker, length = (126, 2) if size < 65_536 else (127, 8)
    return bytes([0x80 | kind, marker]) + size.to_bytes(length, "big") + data


def frame(seq: int, status: str, numbers: int) -> bytes:
    now_us, blob = time.time_ns() // 1000, bytes(numbers)
    arrays = dict.fromkeys(
        ("value", "sigma", "measured", "uncorrected", "innovation", "spread", "flags"), blob
    )
    told = {"machine": "m", "epoch": 1, "t_sample": 0, "received": 0, "reason": "", "load": 0.0, "lag_us": 0}
    return frames.encode(frames.Frame(seq=seq, t=now_us, ts=now_us, status=status, **told, **arrays))


@pytest.mark.parametrize("piece", [1, 7, 100_000])
def test_a_watcher_hears_every_frame_however_it_arrives(monkeypatch, piece: int):
    monkeypatch.setattr(sockets, "AGAIN_S", 0.01)
    hello = msgspec.msgpack.encode({"type": "hello"})
    said = [
        message(sockets.BINARY, hello),
        message(sockets.BINARY, frame(3, "synced", 1)),
        message(sockets.BINARY, frame(4, "coasting", 100)),
        message(sockets.PING, b"there?"),
        message(sockets.BINARY, frame(7, "synced", 10_000)),  # five and six are missing
        message(sockets.CLOSE, b""),
    ]
    answers: list[bytes] = []
    visits = count()

    async def serve(reader: Any, writer: Any) -> None:
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"GET /ws/machines/m/ HTTP/1.1\r\n")
        if next(visits) != 1:  # only the second time
            writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")
            return
        data = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n" + b"".join(said)
        for begin in range(0, len(data), piece):
            writer.write(data[begin : begin + piece])
            if piece > 1:
                await writer.drain()
        answers.append(await reader.readexactly(12))

    async def watch() -> sockets.SocketStats:
        heard = sockets.SocketStats()
        async with serving(serve) as port, asyncio.timeout(PATIENCE_S):
            watching = asyncio.create_task(sockets.SocketClient("m", "s", port, 0, heard).run())
            while heard.lost < 2 or not answers:
                await asyncio.sleep(0.001)
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
        return heard

    heard = uvloop.run(watch())
    assert answers[0] == bytes([0x80 | sockets.PONG, 0x80 | 6, 0, 0, 0, 0]) + b"there?"
    assert (heard.ways.count, heard.lags.count, heard.missing) == (2, 2, 2)


@pytest.mark.parametrize("size", [0, 3, 127, 128, 20_000])
def test_a_packet_of_the_broker_is_read_when_all_of_it_is_there(size: int):
    length = bytes(_lengths(size))
    packet = b"\x30" + length + bytes(size)
    begin = len(packet) - size
    assert mqtt_client._extent(packet + b"\x40\x02\0\0") == (begin, len(packet))
    for end in {0, 1, len(length), begin, len(packet) - 1} - {len(packet)}:
        assert mqtt_client._extent(packet[:end]) is None


def _lengths(size: int) -> list[int]:
    """Seven bits to a byte, the lowest first; all but the last say that more follow."""
    return [size] if size < 128 else [size % 128 | 0x80, *_lengths(size // 128)]
