"""Whatever takes somebody's access away closes that person's open sockets, and soon; over a real server."""

import asyncio
import contextlib
import json
import time
from typing import Any

import msgpack
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.waiting import PATIENCE_S
from webui.sockets.streaming_consumer import NO_ACCESS

pytestmark = pytest.mark.system

REVOKED_S = 5.0  # promised: so long may an open socket outlive the access

# each of somebody else, who watches a machine of an organisation of their own
WAYS = {
    "removed": "place.delete()",
    "role": "place.role = 'visitor'; place.save()",  # a role that allows nothing: today's all may watch
    "replaced": "place.user = User.objects.create_user('somebody else'); place.save()",
    "closed": "user.is_active = False; user.save()",
    "deleted": "user.delete()",
    "password": "user.set_password('another long sentence'); user.save()",
    "session": "Session.objects.get(pk=key).delete()",
    "dissolved": "place.organisation.delete()",
}
# only one machine goes: a fleet page stays, without it
PARTLY = {
    "moved": "machine.organisation = other; machine.save()",
    "scrapped": "machine.delete()",
    "unshared": "Grant.objects.for_runtime().filter(machine=machine).delete()",
}
PREPARE = """
import json
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from twin.audit.log import PLATFORM
from twin.fleet import services
from twin.fleet.models import Role
told = {{}}
other = services.create_organisation("Other")
for way in {ways}:
    user = User.objects.create_user(way)
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.save()
    own = services.create_organisation(way + " Oy")
    services.add_member(own, user, Role.OPERATOR)
    services.create_machine(own, "Another rig")
    machine = services.create_machine(other if way == "unshared" else own, way)
    if way == "unshared":
        services.share(PLATFORM, machine, own.pk)
    told[way] = [store.session_key, str(machine.pk)]
print(json.dumps(told))
"""
REVOKE = """
import json, time
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from twin.fleet.models import Grant, Machine, Membership, Organisation
other = Organisation.objects.for_runtime().get(name="Other")
done = {{}}
for way, (code, key) in json.loads({ways!r}).items():
    user = User.objects.get(username=way)
    place = Membership.objects.for_runtime().get(user=user)
    machine = Machine.objects.for_runtime().get(name=way)
    exec(code)
    done[way] = time.time()
print(json.dumps(done))
"""


def opened(web_server: Any, key: str, path: str) -> Any:
    return connect(
        f"{web_server.url.replace('http', 'ws')}/ws/{path}",
        origin=web_server.url,
        additional_headers={"Cookie": f"sessionid={key}"},
        open_timeout=PATIENCE_S,
    )


async def closed_at(connection: ClientConnection) -> float:
    with contextlib.suppress(ConnectionClosed):
        async with asyncio.timeout(4 * PATIENCE_S):
            while True:
                await connection.recv()
    assert connection.close_code == NO_ACCESS
    return time.time()


async def without_at(connection: ClientConnection, machine: str) -> float:
    """When the fleet's socket says hello again without that machine."""
    async with asyncio.timeout(4 * PATIENCE_S):
        while True:
            message = msgpack.unpackb(await connection.recv())
            if message["type"] == "hello" and machine not in message["machines"]:
                assert len(message["machines"]) == 1
                return time.time()


async def test_every_way_of_losing_access_closes_the_sockets_in_time(web_server: Any, valkey: Any) -> None:
    async def shell(code: str) -> Any:
        return json.loads(
            await asyncio.to_thread(web_server.manage, "shell", "--no-imports", "--command", code)
        )

    told = await shell(PREPARE.format(ways=[*WAYS, *PARTLY]))
    async with contextlib.AsyncExitStack() as stack:
        heard: dict[str, asyncio.Task[float]] = {}

        async def open_one(key: str, path: str) -> ClientConnection:
            connection: ClientConnection = await stack.enter_async_context(opened(web_server, key, path))
            assert msgpack.unpackb(await connection.recv())["type"] == "hello"
            return connection

        for way, (key, machine) in told.items():
            live = await open_one(key, f"machines/{machine}/")
            fleet = await open_one(key, "fleet/")
            heard[f"{way}, machine"] = asyncio.create_task(closed_at(live))
            rest = without_at(fleet, machine) if way in PARTLY else closed_at(fleet)
            heard[f"{way}, fleet"] = asyncio.create_task(rest)
        steady = await open_one(web_server.sessions["alice"], f"machines/{web_server.machine}/")
        ways = {way: (code, told[way][0]) for way, code in (WAYS | PARTLY).items()}
        done = await shell(REVOKE.format(ways=json.dumps(ways)))
        late = {
            name: await task - done[name.split(",")[0]] for name, task in heard.items()
        }  # s from the change to the end of the socket
        assert max(late.values()) < REVOKED_S, late
        assert steady.close_code is None
