"""Real sockets: a browser's view of uvicorn, Channels and a real Valkey."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import msgpack
import msgspec
import numpy as np
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.waiting import PATIENCE_S, wait_for
from twin import keys
from twin.runtime import frames, recent_frames
from webui.clock import now_us

pytestmark = pytest.mark.system


def address(web_server: Any, machine: str | None = None) -> str:
    return f"{web_server.url.replace('http', 'ws')}/ws/machines/{machine or web_server.machine}/"


def opened(web_server: Any, person: str | None, origin: str | None = "", **options: Any) -> Any:
    """A connection as the page of that person would make it."""
    cookies = {"Cookie": f"sessionid={web_server.sessions[person]}"} if person else {}
    page = web_server.url if origin == "" else origin
    return connect(
        address(web_server), origin=page, additional_headers=cookies, open_timeout=PATIENCE_S, **options
    )


async def message(connection: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of that kind."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            data: dict[str, Any] = msgpack.unpackb(await connection.recv())
            if data["type"] == kind:
                return data


async def close_code(connection: ClientConnection) -> int:
    with contextlib.suppress(ConnectionClosed):
        async with asyncio.timeout(PATIENCE_S):
            while True:
                await connection.recv()
    return connection.close_code or 0


def frame(machine: str, seq: int) -> bytes:
    values = np.linspace(0, 1, 17)
    return frames.encode(
        frames.Frame(
            machine=machine,
            epoch=1,
            seq=seq,
            t=now_us(),
            ts=now_us(),
            t_sample=now_us(),
            received=now_us(),
            status="synced",
            reason="",
            load=0.01,
            lag_us=5000,
            **msgspec.structs.asdict(frames.pack(values, values, values)),
        )
    )


def publish(valkey: Any, machine: str, data: bytes) -> int:
    with valkey.client() as client:
        client.set(keys.frame(machine), data)
        heard: int = client.publish(keys.live(machine), data)
        return heard


@contextlib.asynccontextmanager
async def watching(web_server: Any, person: str = "alice") -> AsyncIterator[ClientConnection]:
    async with opened(web_server, person) as connection:
        await message(connection, "hello")
        yield connection


@pytest.fixture(autouse=True)
def nobody_watching(web_server: Any, valkey: Any) -> None:
    """The web process listens to its server, and the sockets of the test before have gone."""
    with valkey.client() as client:

        def settled() -> bool:
            live = keys.live(web_server.machine)
            heard = {name.decode(): count for name, count in client.pubsub_numsub(keys.CONTROL, live)}
            return heard[keys.CONTROL] == 1 and heard[live] == 0

        wait_for(settled, "the web process connected and without clients")


async def test_hello_then_the_last_frame_then_frames(web_server: Any, valkey: Any) -> None:
    publish(valkey, web_server.machine, frame(web_server.machine, 1))
    before_us = now_us()
    async with opened(web_server, "alice") as connection:
        hello = msgpack.unpackb(await connection.recv())
        assert hello["type"] == "hello"
        assert hello["machine"] == {"id": web_server.machine, "name": "Northern rig", "model": "four-bar-b"}
        assert [channel["name"] for channel in hello["channels"]][:2] == ["crank.angle", "crank.rate"]
        assert set(hello["channels"][0]) == {"name", "label", "unit", "quantity", "role"}
        assert before_us <= hello["server_us"] <= now_us()
        assert hello["delay_us"] == 150_000
        assert (await message(connection, "frame"))["seq"] == 1
        data = frame(web_server.machine, 2)
        publish(valkey, web_server.machine, data)
        assert await message(connection, "frame") == msgpack.unpackb(data)
        assert (await message(connection, "ping"))["server_us"] > hello["server_us"]


def old_frame(machine: str, seq: int, age_s: float) -> bytes:
    made = frames.decode(frame(machine, seq))
    then = made.ts - round(age_s * 1e6)
    return frames.encode(msgspec.structs.replace(made, t=then, ts=then))


def keep(valkey: Any, machine: str, data: list[bytes]) -> None:
    """Put frames on the trail, as a runner does in the same step in which it publishes."""
    with valkey.client() as client:
        client.delete(keys.recent_frames(machine))
        client.rpush(keys.recent_frames(machine), *data)


async def test_the_trail_of_the_last_minute_comes_between_hello_and_the_last_frame(
    web_server: Any, valkey: Any
) -> None:
    machine = web_server.machine
    past = [old_frame(machine, seq, age) for seq, age in ((1, 70), (2, 30), (6, 29), (9, 1))]
    last = frame(machine, 12)
    keep(valkey, machine, [*past, last, frame(machine, 13)])  # 13 is about to be published
    publish(valkey, machine, last)
    async with opened(web_server, "alice") as connection:
        messages = [msgpack.unpackb(await connection.recv()) for _ in range(3)]
        assert [each["type"] for each in messages] == ["hello", "trail", "frame"]
        assert messages[1]["frames"] == past[1:]  # as the runner made them
        assert messages[2]["seq"] == 12


async def test_clients_that_come_while_frames_flow_get_each_once_and_in_order(
    web_server: Any, valkey: Any
) -> None:
    machine = web_server.machine
    publish(valkey, machine, frame(machine, 0))
    seqs = itertools.count(1)

    def run() -> None:
        data = frame(machine, next(seqs))
        with valkey.client() as client:
            client.rpush(keys.recent_frames(machine), data)
            client.ltrim(keys.recent_frames(machine), -recent_frames.MOST_FRAMES, -1)
        publish(valkey, machine, data)

    async def flow() -> None:
        while True:
            await asyncio.to_thread(run)
            await asyncio.sleep(0.005)

    async def watch() -> list[int]:
        async with opened(web_server, "alice") as connection:
            past = [msgpack.unpackb(each)["seq"] for each in (await message(connection, "trail"))["frames"]]
            return past + [(await message(connection, "frame"))["seq"] for _ in range(5)]

    with valkey.client() as client:
        client.delete(keys.recent_frames(machine))
    flowing = asyncio.create_task(flow())
    try:
        for _ in range(8):
            seen = await watch()
            assert seen == sorted(set(seen))
        assert len(seen) > 10
    finally:
        flowing.cancel()


async def test_a_client_of_a_machine_without_a_trail_is_told_so(web_server: Any, valkey: Any) -> None:
    with valkey.client() as client:
        client.delete(keys.recent_frames(web_server.machine), keys.frame(web_server.machine))
    async with watching(web_server) as connection:
        assert (await message(connection, "trail"))["frames"] == []


async def test_a_client_that_lost_track_gets_the_last_frame_again(web_server: Any, valkey: Any) -> None:
    publish(valkey, web_server.machine, frame(web_server.machine, 7))
    async with watching(web_server) as connection:
        assert (await message(connection, "frame"))["seq"] == 7
        await connection.send(json.dumps({"type": "resync"}))
        assert (await message(connection, "frame"))["seq"] == 7


@pytest.mark.parametrize("words", ["", "hello", '{"type": "order"}', "[" * 10_000, b"\x00"])
async def test_anything_else_a_client_says_ends_the_connection(
    web_server: Any, valkey: Any, words: str | bytes
) -> None:
    async with watching(web_server) as connection:
        await connection.send(words)
        assert await close_code(connection) == 4400


@pytest.mark.parametrize("person", ["charlie", None])
async def test_strangers_and_nobody_are_refused_at_the_handshake(
    web_server: Any, valkey: Any, person: Any
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await opened(web_server, person).__aenter__()
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example", "http://127.0.0.1:1"])
async def test_a_foreign_page_is_refused_even_with_the_right_cookie(
    web_server: Any, valkey: Any, origin: str | None
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await opened(web_server, "alice", origin).__aenter__()
    assert refused.value.response.status_code == 403


async def test_an_unknown_socket_address_is_refused_quietly(web_server: Any, valkey: Any) -> None:
    elsewhere = f"{web_server.url.replace('http', 'ws')}/ws/elsewhere/"
    with pytest.raises(InvalidStatus) as refused:
        await connect(elsewhere, origin=web_server.url, open_timeout=PATIENCE_S).__aenter__()
    assert refused.value.response.status_code == 403


REVOKED_S = 5.0  # promised: so long may an open socket outlive the access


async def test_whoever_loses_membership_loses_the_open_socket(web_server: Any, valkey: Any) -> None:
    code = (
        "from twin.fleet.models import Membership\n"
        "Membership.objects.for_runtime().get(user__username='dora').delete()"
    )
    async with watching(web_server, "dora") as dora, watching(web_server, "alice") as alice:
        await asyncio.to_thread(web_server.manage, "shell", "--no-imports", "--command", code)
        async with asyncio.timeout(REVOKED_S):
            assert await close_code(dora) == 4403
        publish(valkey, web_server.machine, frame(web_server.machine, 3))
        assert (await message(alice, "frame"))["seq"] == 3
    with pytest.raises(InvalidStatus):
        await opened(web_server, "dora").__aenter__()


async def test_signing_out_closes_the_sockets_of_the_session(web_server: Any, valkey: Any) -> None:
    async with watching(web_server, "bob") as bob:
        cookies = {"sessionid": web_server.sessions["bob"], "csrftoken": "a" * 32}
        headers = {"X-CSRFToken": "a" * 32, "Origin": web_server.url}
        async with httpx.AsyncClient(
            base_url=web_server.url, cookies=cookies, headers=headers, timeout=PATIENCE_S
        ) as browser:
            assert (await browser.post("/accounts/logout/")).status_code == 302
        assert await close_code(bob) == 4403


SHARE = """
from twin.audit.log import PLATFORM
from twin.fleet import services
from twin.fleet.models import Grant, Machine, Organisation
machine = Machine.objects.for_runtime().get(name="Northern rig")
theirs = Organisation.objects.for_runtime().get(name="Southern")
"""
STOP = SHARE + "services.stop_sharing(PLATFORM, Grant.objects.for_runtime().get(machine=machine))"
SHARE += "services.share(PLATFORM, machine, theirs.pk)"


async def test_a_shared_machine_is_watched_until_sharing_stops(web_server: Any, valkey: Any) -> None:
    await asyncio.to_thread(web_server.manage, "shell", "--no-imports", "--command", SHARE)
    async with watching(web_server, "charlie") as charlie:
        publish(valkey, web_server.machine, frame(web_server.machine, 4))
        assert (await message(charlie, "frame"))["seq"] == 4
        await asyncio.to_thread(web_server.manage, "shell", "--no-imports", "--command", STOP)
        async with asyncio.timeout(REVOKED_S):
            assert await close_code(charlie) == 4403


END_SESSION = """
from allauth.usersessions.adapter import get_adapter
from allauth.core import context
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.test import RequestFactory
request = RequestFactory().post("/")
request.user = erin = User.objects.get(username="erin")
row = UserSession.objects.create(user=erin, ip="127.0.0.1", user_agent="x", session_key={key!r})
with context.request_context(request):
    get_adapter().end_sessions([row])
"""


async def test_an_ended_session_loses_its_sockets_at_once(web_server: Any, valkey: Any) -> None:
    code = END_SESSION.format(key=web_server.sessions["erin"])
    async with watching(web_server, "erin") as erin, watching(web_server, "alice") as alice:
        await asyncio.to_thread(web_server.manage, "shell", "--no-imports", "--command", code)
        async with asyncio.timeout(REVOKED_S):
            assert await close_code(erin) == 4403
        publish(valkey, web_server.machine, frame(web_server.machine, 5))
        assert (await message(alice, "frame"))["seq"] == 5


async def test_after_a_killed_server_the_open_socket_gets_a_snapshot(web_server: Any, valkey: Any) -> None:
    async with watching(web_server) as connection:
        publish(valkey, web_server.machine, frame(web_server.machine, 10))
        assert (await message(connection, "frame"))["seq"] == 10
        valkey.stop()
        assert (await message(connection, "ping"))["type"] == "ping"  # the socket stays open meanwhile
        valkey.start()
        assert (await message(connection, "frame"))["seq"] == 10  # read, not published: nobody publishes
        publish(valkey, web_server.machine, frame(web_server.machine, 11))
        assert (await message(connection, "frame"))["seq"] == 11
