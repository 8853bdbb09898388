"""A client that stops reading: it is given ten seconds, then it goes, and nobody else notices."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgpack
import pytest
from asgiref.sync import sync_to_async
from django.test import Client as Browser

from tests.waiting import PATIENCE_S, until
from twin import keys
from webui.machine.consumers import MachineConsumer
from webui.sockets import hub as hub_module
from webui.sockets import slot as slot_module
from webui.sockets import streaming_consumer
from webui.sockets.access_revocation import AccessRevocation
from webui.sockets.hub import Hub
from webui.sockets.subscription import Subscription

pytestmark = [pytest.mark.system, pytest.mark.django_db(transaction=True)]


class Client:
    """One end of a socket without a network: after `capacity` messages nothing more can be sent to it."""

    def __init__(self, scope: dict[str, Any], capacity: int) -> None:
        self.capacity = capacity
        self.got: list[dict[str, Any]] = []
        self._incoming: asyncio.Queue[Any] = asyncio.Queue()
        self._incoming.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.create_task(MachineConsumer.as_asgi()(scope, self._incoming.get, self._send))

    async def _send(self, message: Any) -> None:
        if len(self.got) >= self.capacity:
            await asyncio.Event().wait()
        self.got.append(message)

    def leave(self) -> None:
        self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1001})

    def sent(self) -> list[dict[str, Any]]:
        return [msgpack.unpackb(m["bytes"]) for m in self.got if m["type"] == "websocket.send"]

    def kinds(self) -> list[str]:
        return [each["type"] for each in self.sent()]

    def frames(self) -> list[int]:
        return [each["seq"] for each in self.sent() if each["type"] == "frame"]


@pytest.fixture
async def hub(valkey: Any) -> AsyncIterator[Hub]:
    subscription = Subscription(valkey.url)
    hub = Hub(valkey.url, subscription)
    yield hub
    await subscription.stop()
    await hub.stop()


def signed_in(user: Any) -> Any:
    """A session as a browser would have it: sockets look it up again."""
    browser = Browser()
    browser.force_login(user)
    return browser.session


async def test_a_frozen_client_is_dropped_and_the_others_go_on(
    hub: Hub, valkey: Any, story: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slot_module, "PATIENCE", 3.0)  # a busy computer is no frozen client
    for module in (hub_module, slot_module):
        monkeypatch.setattr(module, "PING_EVERY", 0.1)
    monkeypatch.setattr(streaming_consumer, "GOODBYE", 0.1)
    access = AccessRevocation()
    machine = str(story.machine.pk)
    scope = {
        "type": "websocket",
        "url_route": {"kwargs": {"machine_id": machine}},
        "user": story.alice,
        "session": await sync_to_async(signed_in)(story.alice),
        "hub": hub,
        "access": access,
    }
    frozen, lively = Client(scope, capacity=4), Client(scope, capacity=10_000)
    await until(
        lambda: all("trail" in client.kinds() for client in (frozen, lively)), "both clients are served"
    )
    with valkey.client() as client:
        for seq in range(40):
            data = msgpack.packb({"type": "frame", "seq": seq})
            client.set(keys.frame(machine), data)
            client.publish(keys.live(machine), data)
            await until(lambda seq=seq: seq in lively.frames(), f"frame {seq} at the client that reads")
    async with asyncio.timeout(PATIENCE_S):
        await frozen.task
    assert frozen.frames() in ([], [0])  # accepted, hello, trail, and one message more
    assert lively.frames() == list(range(40))
    assert not lively.task.done()
    assert hub.machines == {machine}
    lively.leave()
    await lively.task
    assert hub.machines == frozenset()
    await access.stop()
