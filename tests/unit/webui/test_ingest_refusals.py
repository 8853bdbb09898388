"""What ingest refuses before anything reaches the telemetry server, and with which document."""

import asyncio
import gzip
import json
import zlib
from collections.abc import Sequence
from typing import Any

import hiredis
import httpx
import pytest
import redis

from simcore import registry
from simcore.model import channel_table
from tests.waiting import PATIENCE_S
from twin.fleet import tokens
from twin.fleet.identity import Identity
from twin.ingest.disk_guard import DiskGuard
from twin.valkey.aof_sync import PING
from twin.valkey.scripts import Script
from webui.clock import now_us
from webui.ingest.app import PATH, Ingest
from webui.ingest.token_cache import TokenCache

TOKEN = tokens.make().text
CHANNELS = {c.name: c for c in channel_table(registry.get("four-bar-b").build()) if c.name == "hose.p"}
DEVICE = Identity("device", "machine", CHANNELS)


class Server:
    """Stands for the telemetry server: answers the append script as it is told, and keeps what came."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.answer: Any = [1, 0]
        self.written: Any = b"PONG"

    async def run_scripts(self, packed: Sequence[bytes], script: Script) -> list[Any]:
        if isinstance(self.answer, redis.ConnectionError | redis.TimeoutError):
            raise self.answer
        reader = hiredis.Reader()
        for command in packed:
            reader.feed(command)
            _, _, count, *arguments = reader.gets()
            self.calls.append((arguments[: int(count)], arguments[int(count) :]))
        return [self.answer for _ in packed]

    @property
    def connection(self) -> "Server":
        return self

    async def execute(self, packed: bytes, count: int) -> list[Any]:
        assert (packed, count) == (PING, 1)
        if isinstance(self.written, redis.ConnectionError):
            raise self.written
        return [self.written]


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def application(server: Any) -> Ingest:
    async def look_up(token: str) -> Identity | None:
        return DEVICE if token == TOKEN else None

    return Ingest(server, TokenCache(look_up))


@pytest.fixture
def ingest(application: Any) -> Any:
    transport = httpx.ASGITransport(application)
    return httpx.AsyncClient(transport=transport, base_url="http://testserver")


def body(**changes: Any) -> dict[str, Any]:
    sample = {"seq": 0, "t": now_us(), "channels": {"hose.p": 1e7}} | changes
    return {"boot": "b", "samples": [sample]}


async def send(
    ingest: httpx.AsyncClient, content: bytes, token: str = TOKEN, **headers: str
) -> httpx.Response:
    named = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    async with ingest:
        return await ingest.post(PATH, content=content, headers=named)


def assert_problem(response: httpx.Response, status: int, words: str) -> None:
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == status
    assert words in problem["detail"]


async def test_a_good_body_is_acknowledged(ingest: Any, server: Server) -> None:
    response = await send(ingest, json.dumps(body()).encode())
    assert response.status_code == 202
    assert response.json() == {"accepted": 1, "duplicate": 0, "rejected": []}
    assert response.headers["cache-control"] == "no-store"
    assert server.calls[0][0][:2] == [b"ht:stream:machine", b"ht:seen:device:b"]


async def test_gzip_is_unpacked(ingest: Any, server: Server) -> None:
    content = gzip.compress(json.dumps(body()).encode())
    assert (await send(ingest, content, Content_Encoding="gzip")).status_code == 202
    assert len(server.calls) == 1


async def test_a_body_of_refused_samples_reaches_no_stream(ingest: Any, server: Server) -> None:
    response = await send(ingest, json.dumps(body(t=now_us() + 10**9)).encode())
    assert response.status_code == 202
    answer = response.json()
    assert (answer["accepted"], answer["duplicate"]) == (0, 0)
    (rejection,) = answer["rejected"]
    assert (rejection["index"], rejection["field"], rejection["retry"]) == (0, "t", True)
    assert "in the future" in rejection["reason"]
    assert server.calls == []


async def test_a_name_that_cannot_be_encoded_costs_its_own_sample_only(ingest: Any, server: Server) -> None:
    good, bad = body()["samples"][0], b'{"seq": 1, "t": 1, "channels": {"\\ud800\\u001b": 1}}'
    bad = bad.replace(b'"t": 1', f'"t": {now_us()}'.encode())
    response = await send(ingest, b'{"boot": "b", "samples": [%s, %s]}' % (json.dumps(good).encode(), bad))
    assert response.status_code == 202
    answer = response.json()
    assert answer["accepted"] == 1
    assert [(each["index"], each["field"]) for each in answer["rejected"]] == [(1, r"channels.\ud800\x1b")]


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer ", "Basic YWxpY2U6", "bearer nonsense"])
async def test_without_a_token_nothing_is_read(ingest: Any, server: Server, authorization: str) -> None:
    response = await send(ingest, b"{", Authorization=authorization)
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith('Bearer realm="hydratwin"')


async def test_a_wrong_token_is_refused(ingest: Any, server: Server) -> None:
    response = await send(ingest, json.dumps(body()).encode(), token=tokens.make().text)
    assert_problem(response, 401, "unknown or revoked")
    assert 'error="invalid_token"' in response.headers["www-authenticate"]
    assert server.calls == []


async def test_only_post_is_possible(ingest: Any) -> None:
    async with ingest:
        for method in ("GET", "PUT", "DELETE", "OPTIONS"):
            response = await ingest.request(method, PATH)
            assert_problem(response, 405, "use POST")
            assert response.headers["allow"] == "POST"


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/xml", "application/json2"])
async def test_another_content_type_is_not_supported(ingest: Any, content_type: str) -> None:
    response = await send(ingest, b"{}", Content_Type=content_type)
    assert_problem(response, 415, "must be one of: application/json, application/msgpack")


async def test_another_encoding_is_not_understood(ingest: Any) -> None:
    response = await send(ingest, b"{}", Content_Encoding="br")
    assert_problem(response, 415, "gzip")
    assert response.headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("content", [b"", b"{", b"not json", b"\xff"])
async def test_a_malformed_body_is_refused(ingest: Any, server: Server, content: bytes) -> None:
    assert_problem(await send(ingest, content), 400, "is not json")
    assert server.calls == []


async def test_a_body_of_the_wrong_shape_names_the_field(ingest: Any) -> None:
    response = await send(ingest, b'{"samples": []}')
    assert_problem(response, 422, "boot")
    assert response.json()["errors"] == [
        {"field": "boot", "reason": "must be a string, but is missing", "code": "boot.type"}
    ]
    assert response.json()["code"] == "boot.type"


@pytest.fixture
def small(settings: Any) -> None:
    """Must be asked for before the application."""
    settings.MAX_BODY = 1000


async def test_a_large_body_is_refused_before_it_is_read(small: None, ingest: Any) -> None:
    assert_problem(await send(ingest, b" " * 1001), 413, "1000 bytes")


async def test_a_large_body_without_a_length_is_refused_while_it_is_read(small: None, ingest: Any) -> None:
    sent = 0

    async def endless() -> Any:
        nonlocal sent
        while True:
            sent += 600
            yield b" " * 600

    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    async with ingest:
        assert_problem(await ingest.post(PATH, content=endless(), headers=headers), 413, "1000 bytes")
    assert sent <= 1800


async def test_a_small_file_that_holds_a_large_one_is_refused(ingest: Any) -> None:
    bomb = gzip.compress(b" " * 20_000_000)
    assert len(bomb) < 25_000
    assert_problem(await send(ingest, bomb, Content_Encoding="gzip"), 413, "decompression")


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", gzip.compress(b"{}")[:-4], gzip.compress(b"{}") + b"more", zlib.compress(b"{}")],
    ids=["empty", "plain", "cut off", "with a tail", "another format"],
)
async def test_broken_gzip_is_refused(ingest: Any, content: bytes) -> None:
    assert_problem(await send(ingest, content, Content_Encoding="gzip"), 400, "gzip")


async def test_a_full_stream_asks_to_come_back_later(ingest: Any, server: Server) -> None:
    server.answer = [-1, 0]
    response = await send(ingest, json.dumps(body()).encode())
    assert_problem(response, 503, "stream is full")
    assert response.headers["retry-after"] == "10"


async def test_a_disk_that_is_almost_full_takes_nothing(
    application: Ingest, ingest: Any, server: Server, tmp_path: Any
) -> None:
    application.intake._disk = DiskGuard(str(tmp_path), reserve=10**18)  # no disk has so much
    response = await send(ingest, json.dumps(body()).encode())
    assert_problem(response, 503, "almost full")
    assert response.headers["retry-after"] == "10"
    assert server.calls == []


@pytest.mark.parametrize(
    "error", [redis.ConnectionError("gone"), redis.TimeoutError(), redis.ResponseError("OOM")]
)
async def test_an_absent_server_asks_to_come_back_soon(ingest: Any, server: Server, error: Exception) -> None:
    server.answer = error
    response = await send(ingest, json.dumps(body()).encode())
    assert_problem(response, 503, "is not responding")
    assert response.headers["retry-after"] == "2"


@pytest.mark.parametrize("error", [redis.ConnectionError("gone"), redis.ResponseError("MISCONF disk full")])
async def test_what_the_server_took_but_may_not_have_written_is_not_acknowledged(
    ingest: Any, server: Server, error: Exception
) -> None:
    server.written = error
    response = await send(ingest, json.dumps(body()).encode())
    assert len(server.calls) == 1
    assert_problem(response, 503, "send the same samples again")


async def test_an_error_of_ours_is_a_document_too(ingest: Any, server: Server) -> None:
    server.answer = ZeroDivisionError()
    assert_problem(await send(ingest, json.dumps(body()).encode()), 500, "Send the same body again")


@pytest.fixture
def slow(settings: Any) -> None:
    """A device may send a body in 1000 seconds; must be asked for before the application."""
    settings.RATE_BODIES, settings.RATE_BURST_S = 0.001, 1000.0


async def test_a_device_that_sends_too_much_is_told_when_to_come_back(
    slow: None, ingest: Any, server: Server, application: Ingest
) -> None:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
    async with ingest:
        assert (await ingest.post(PATH, json=body(), headers=headers)).status_code == 202
        refused = await ingest.post(PATH, json=body(), headers=headers)
    assert_problem(refused, 429, "0.001 bodies per second")
    assert 1000 - PATIENCE_S < int(refused.headers["retry-after"]) <= 1000  # to the second: test_rate
    assert len(server.calls) == 1
    assert application.intake.counters.values["bodies.refused.429"] == 1


async def test_a_body_with_too_many_samples_for_the_device_is_not_taken(settings: Any, server: Any) -> None:
    settings.RATE_SAMPLES, settings.RATE_BURST_S = 0.001, 3000.0  # three, and no fourth within this test

    async def look_up(token: str) -> Identity | None:
        return DEVICE

    transport = httpx.ASGITransport(Ingest(server, TokenCache(look_up)))  # type: ignore[arg-type]
    samples = [body(seq=seq)["samples"][0] for seq in range(2)]
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
        content = {"boot": "b", "samples": samples}
        answers = [(await client.post(PATH, json=content, headers=headers)).status_code for _ in range(2)]
    assert answers == [202, 429]
    assert len(server.calls) == 1


async def test_a_device_with_too_many_boots_is_refused(ingest: Any, server: Server) -> None:
    server.answer = [-2, 0]
    response = await send(ingest, json.dumps(body()).encode())
    assert_problem(response, 429, "boots within a week")
    assert response.json()["errors"][0]["field"] == "boot"


@pytest.fixture
def hasty(settings: Any) -> None:
    """Must be asked for before the application."""
    settings.BODY_S = 0.05


async def test_a_body_that_stalls_is_not_waited_for(hasty: None, application: Any, server: Server) -> None:
    headers = [(b"authorization", f"Bearer {TOKEN}".encode()), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": PATH, "headers": headers}
    parts = iter([{"type": "http.request", "body": b"{", "more_body": True}])
    sent: list[dict[str, Any]] = []

    async def receive() -> Any:
        part = next(parts, None)
        return part or await asyncio.Event().wait()

    async def note(message: dict[str, Any]) -> None:
        sent.append(message)

    await asyncio.wait_for(application(scope, receive, note), PATIENCE_S)
    assert sent[0]["status"] == 408
    assert server.calls == []


async def test_every_body_and_every_sample_is_counted_once(
    ingest: Any, server: Server, application: Ingest
) -> None:
    good, bad = body()["samples"][0], body(seq=-1)["samples"][0]
    later = body(t=now_us() + 10**9)["samples"][0]
    server.answer = [1, 1]
    bodies = [
        json.dumps({"boot": "b", "samples": [good, good, bad, later]}).encode(),
        b"{",
        b"[]",
        json.dumps({"boot": "b", "samples": [bad]}).encode(),
    ]
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
    async with ingest:
        for content in bodies:
            await ingest.post(PATH, content=content, headers=headers)
        await ingest.post(PATH, content=bodies[0])
    assert application.intake.counters.values == {
        "bodies.taken": 2,
        "bodies.refused.400": 1,
        "bodies.refused.401": 1,
        "bodies.refused.422": 1,
        "samples.accepted": 1,
        "samples.duplicate": 1,
        "samples.rejected.seq": 2,
        "samples.rejected.future": 1,
    }
