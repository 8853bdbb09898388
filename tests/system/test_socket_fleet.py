"""The fleet's socket, over uvicorn and a real Valkey: one for all machines, the latest state, one's own."""

import asyncio
import contextlib
from typing import Any

import msgpack
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.recorded_fleet import STOPPED, STUCK, Recorded, write_frames
from tests.waiting import PATIENCE_S
from webui.sockets.streaming_consumer import NO_ACCESS, NOT_UNDERSTOOD

pytestmark = pytest.mark.system

ADD_MACHINES = """
from twin.fleet import services
from twin.fleet.models import Machine, Organisation
for name in ("Northern", "Southern"):
    owner = Organisation.objects.for_runtime().get(name=name)
    machine = Machine.objects.for_runtime().filter(organisation=owner, name="Second").first()
    print((machine or services.create_machine(owner, "Second")).pk)
"""
MEMBERSHIP = """
from django.contrib.auth.models import User
from twin.fleet import services
from twin.fleet.models import Membership, Organisation, Role
person = User.objects.get(username="dora")
Membership.objects.for_runtime().filter(user=person).delete()
if {again}:
    services.add_member(Organisation.objects.for_runtime().get(name="Northern"), person, Role.OPERATOR)
"""


def opened(web_server: Any, person: str | None, **options: Any) -> Any:
    cookies = {"Cookie": f"sessionid={web_server.sessions[person]}"} if person else {}
    url = f"{web_server.url.replace('http', 'ws')}/ws/fleet/"
    return connect(url, origin=web_server.url, additional_headers=cookies, open_timeout=PATIENCE_S, **options)


async def told(connection: ClientConnection, kind: str) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            message: dict[str, Any] = msgpack.unpackb(await connection.recv())
            if message["type"] == kind:
                return message


async def row_of(connection: ClientConnection, machine: str, **wanted: Any) -> dict[str, Any]:
    """The first row of a machine that has these values."""
    while True:
        for row in (await told(connection, "fleet"))["rows"]:
            if row["id"] == machine and all(row[name] == value for name, value in wanted.items()):
                return dict(row)


async def close_code(connection: ClientConnection) -> int:
    with contextlib.suppress(ConnectionClosed):
        async with asyncio.timeout(PATIENCE_S):
            while True:
                await connection.recv()
    return connection.close_code or 0


@pytest.fixture(scope="module")
def seconds(web_server: Any) -> tuple[str, str]:
    """A second machine of Alice's organisation, and one of Charlie's."""
    ours, theirs = web_server.manage("shell", "--no-imports", "--command", ADD_MACHINES).split()
    return ours, theirs


async def test_all_machines_of_a_person_and_no_others(
    web_server: Any, valkey: Any, seconds: tuple[str, str]
) -> None:
    ours, theirs = seconds
    with valkey.client() as client:
        stuck = Recorded(
            web_server.machine, silent_s=-60, changes=STUCK
        )  # from ahead: it does not turn stale
        write_frames(client, [stuck, Recorded(theirs)])
        async with opened(web_server, "alice") as connection:
            hello = await told(connection, "hello")
            assert set(hello["machines"]) == {web_server.machine, ours}
            rows = {row["id"]: row for row in (await told(connection, "fleet"))["rows"]}
    assert set(rows) == {web_server.machine, ours}
    assert (rows[web_server.machine]["level"], rows[web_server.machine]["status"]) == ("plan", "synced")
    assert rows[web_server.machine]["text"].startswith("Hose pressure sensor stuck at ")
    assert rows[web_server.machine]["power"] > 0
    assert (rows[ours]["level"], rows[ours]["status"], rows[ours]["received_us"]) == ("stale", "waiting", 0)


async def test_changes_come_and_what_has_not_changed_does_not_come_again(
    web_server: Any, valkey: Any, seconds: tuple[str, str]
) -> None:
    with valkey.client() as client:
        async with opened(web_server, "alice") as connection:
            await row_of(connection, web_server.machine, status="waiting")
            write_frames(client, [Recorded(web_server.machine, changes=STOPPED)])
            row = await row_of(connection, web_server.machine, level="act")
            assert "(model.pressure)" in row["text"]
            message = await told(connection, "ping")
            assert message["server_us"] > row["received_us"]
            write_frames(client, [Recorded(seconds[0])])
            later = await told(connection, "fleet")
            assert [row["id"] for row in later["rows"]] == [seconds[0]]


async def test_a_machine_that_falls_silent_turns_stale_without_a_new_frame(
    web_server: Any, valkey: Any, seconds: tuple[str, str]
) -> None:
    with valkey.client() as client:
        write_frames(client, [Recorded(web_server.machine, silent_s=-5)])  # ten seconds to be seen well
    async with opened(web_server, "alice") as connection:
        await row_of(connection, web_server.machine, level="ok")
        row = await row_of(connection, web_server.machine, level="stale")
        assert row["text"].startswith("No data for")


async def test_strangers_and_nobody_see_nothing_of_it(
    web_server: Any, valkey: Any, seconds: tuple[str, str]
) -> None:
    with pytest.raises(InvalidStatus):
        async with opened(web_server, None):
            pass
    async with opened(web_server, "charlie") as connection:
        assert (await told(connection, "hello"))["machines"] == [seconds[1]]
        assert {row["id"] for row in (await told(connection, "fleet"))["rows"]} == {seconds[1]}


async def test_whoever_says_something_is_not_understood(web_server: Any, valkey: Any) -> None:
    async with opened(web_server, "alice") as connection:
        await told(connection, "hello")
        await connection.send("{}")
        assert await close_code(connection) == NOT_UNDERSTOOD


async def test_whoever_loses_the_last_role_loses_the_open_socket(web_server: Any, valkey: Any) -> None:
    async def change(again: bool) -> None:
        command = MEMBERSHIP.format(again=again)
        await asyncio.to_thread(web_server.manage, "shell", "--no-imports", "--command", command)

    await change(again=True)  # others may have ended it before
    async with opened(web_server, "dora") as connection:
        await told(connection, "fleet")
        await change(again=False)
        assert await close_code(connection) == NO_ACCESS
    with pytest.raises(InvalidStatus):
        async with opened(web_server, "dora"):
            pass
    await change(again=True)


async def test_while_the_telemetry_server_is_away_everything_is_unknown(
    web_server: Any, valkey: Any, seconds: tuple[str, str]
) -> None:
    async with opened(web_server, "alice") as connection:
        await told(connection, "fleet")
        valkey.stop()
        try:
            row = await row_of(connection, web_server.machine, status="unknown")
            assert (row["level"], row["text"]) == ("stale", "The telemetry server is not responding")
        finally:
            valkey.start()
        await row_of(connection, web_server.machine, status="waiting")
