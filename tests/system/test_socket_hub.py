"""The hub on a real Valkey: one subscription, many clients, the latest frame to each."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.waiting import PATIENCE_S, until
from twin import keys
from webui.sockets.hub import FrameSlot, Hub
from webui.sockets.subscription import Subscription

pytestmark = pytest.mark.system


@pytest.fixture
async def hub(valkey: Any) -> AsyncIterator[Hub]:
    subscription = Subscription(valkey.url)
    hub = Hub(valkey.url, subscription)
    subscription.start()
    with valkey.client() as client:  # what is said before the connection stands is found by its first resync
        heard = lambda: dict(client.pubsub_numsub(keys.CONTROL))[keys.CONTROL.encode()]  # noqa: E731
        await until(lambda: heard() == 1, "the connection")
    yield hub
    await subscription.stop()
    await hub.stop()


async def frame_of(slot: FrameSlot) -> bytes:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            frame, _ = await slot.take()
            if frame is not None:
                return frame


def publish(valkey: Any, machine: str, frame: bytes) -> int:
    """What a runner does with a frame; returns how many connections heard it."""
    with valkey.client() as client:
        client.set(keys.frame(machine), frame)
        heard: int = client.publish(keys.live(machine), frame)
        return heard


async def test_a_client_gets_the_last_frame_first_and_then_what_comes(hub: Hub, valkey: Any) -> None:
    publish(valkey, "m", b"old")
    slot = await hub.attach("m")
    assert await frame_of(slot) == b"old"
    publish(valkey, "m", b"new")
    assert await frame_of(slot) == b"new"


async def test_five_hundred_clients_of_one_machine_cost_one_subscription(hub: Hub, valkey: Any) -> None:
    slots = await asyncio.gather(*(hub.attach("m") for _ in range(500)))
    for number in range(20):
        frame = b"%d" % number
        await until(lambda frame=frame: publish(valkey, "m", frame) == 1, "somebody listens")
        assert await asyncio.gather(*(frame_of(slot) for slot in slots)) == [frame] * 500


async def test_a_client_hears_of_its_own_machine_only(hub: Hub, valkey: Any) -> None:
    one, other = await asyncio.gather(hub.attach("one"), hub.attach("other"))
    publish(valkey, "one", b"1")
    publish(valkey, "other", b"2")
    assert await asyncio.gather(frame_of(one), frame_of(other)) == [b"1", b"2"]


async def test_a_slow_client_skips_frames_and_delays_nobody(hub: Hub, valkey: Any) -> None:
    slow, quick = await asyncio.gather(hub.attach("m"), hub.attach("m"))
    for number in range(50):
        publish(valkey, "m", b"%d" % number)
        assert await frame_of(quick) == b"%d" % number
    assert await frame_of(slow) == b"49"


async def test_the_last_client_to_leave_ends_the_subscription(hub: Hub, valkey: Any) -> None:
    first, second = await asyncio.gather(hub.attach("m"), hub.attach("m"))
    hub.detach(first)
    await until(lambda: publish(valkey, "m", b"x") == 1, "somebody listens")
    hub.detach(second)
    assert hub.machines == frozenset()
    await until(lambda: publish(valkey, "m", b"y") == 0, "nobody listens")


async def test_coming_and_going_leaves_the_subscription_in_the_right_state(hub: Hub, valkey: Any) -> None:
    for _ in range(50):
        slot = await hub.attach("m")
        hub.detach(slot)
    slot = await hub.attach("m")
    await until(lambda: publish(valkey, "m", b"now") == 1, "somebody listens")
    assert await frame_of(slot) == b"now"


async def test_after_a_lost_server_every_client_gets_a_snapshot(hub: Hub, valkey: Any) -> None:
    slots = await asyncio.gather(hub.attach("m"), hub.attach("m"))
    publish(valkey, "m", b"before")
    await asyncio.gather(*map(frame_of, slots))
    valkey.stop()
    await asyncio.sleep(0.2)
    late = await hub.attach("m")  # comes while the server is away: what is known is better than nothing
    assert await frame_of(late) == b"before"
    valkey.start()
    snapshots = await asyncio.gather(*(frame_of(slot) for slot in [*slots, late]))
    assert snapshots == [b"before"] * 3  # read from the server once more: nobody has published it
    publish(valkey, "m", b"after")
    assert await asyncio.gather(*(frame_of(slot) for slot in [*slots, late])) == [b"after"] * 3


async def test_a_client_that_comes_while_the_server_is_away_gets_its_frames_later(
    hub: Hub, valkey: Any
) -> None:
    valkey.stop()
    slot = await hub.attach("m")
    valkey.start()
    with valkey.client() as client:
        client.set(keys.frame("m"), b"snapshot")
    await until(lambda: publish(valkey, "m", b"live") == 1, "somebody listens")
    assert await frame_of(slot) in (b"snapshot", b"live")


async def test_every_client_is_pinged_each_second(hub: Hub) -> None:
    clock = asyncio.get_running_loop().time
    began = clock()
    slot = await hub.attach("m")
    gaps: list[float] = []
    async with asyncio.timeout(PATIENCE_S):
        while not any(0.8 < gap < 1.2 for gap in gaps):  # one that nothing has delayed
            last = clock()
            assert await slot.take() == (None, True)
            gaps.append(clock() - last)
    assert clock() - began > 0.99 * len(gaps)  # never more often
