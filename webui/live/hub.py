"""Frames from the telemetry server to every socket of this process, the latest one to each.

A client that is slow or away for a moment skips frames; it never queues them. No frame passes through the
channel layer, and no frame costs a query.
"""

import asyncio
import logging
from typing import Any

import redis

from twin import keys
from twin.runtime import recent_frames
from twin.valkey.clients import connect_async
from webui.clock import now_us
from webui.live.slot import PING_EVERY, Slot
from webui.live.subscription import Subscription
from webui.tasks import end

log = logging.getLogger(__name__)

OVERTAKEN_US = 5_000_000  # a frame older than this by its own clock means that the clock was set back


class FrameSlot(Slot):
    """The place of a client that looks at one machine."""

    def __init__(self, topic: "Topic") -> None:
        super().__init__()
        self.topic = topic


class Topic:
    """One machine that somebody looks at."""

    def __init__(self, machine: str) -> None:
        self.machine = machine
        self.slots: set[FrameSlot] = set()
        self.latest: bytes | None = None
        self._latest_us = -1
        self.ready = asyncio.Event()  # the last frame has been asked for

    def publish(self, frame: bytes) -> None:
        """Offer a frame to everybody, unless the last frame that was read has overtaken it."""
        made_us = recent_frames.made(frame)
        if made_us >= 0 and 0 <= self._latest_us - made_us < OVERTAKEN_US:
            return
        self.latest, self._latest_us = frame, made_us
        for slot in self.slots:
            slot.offer(frame)

    def forget(self) -> None:
        """The last frame may have been missed: whatever is read next counts."""
        self.latest, self._latest_us = None, -1


class Hub:
    """Topics by machine, each subscribed exactly while it has clients."""

    def __init__(self, url: str, subscription: Subscription) -> None:
        self._client = connect_async(url)
        self._subscription = subscription
        self._topics: dict[str, Topic] = {}
        self._ticker: asyncio.Task[None] | None = None
        subscription.on_connected.append(self._resync)

    @property
    def machines(self) -> frozenset[str]:
        return frozenset(self._topics)

    async def attach(self, machine: str) -> FrameSlot:
        """A place for a client; the last frame, if there is one, is in it already."""
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(self._tick(), name="socket pings")
        topic = self._topics.get(machine)
        if topic is not None:
            slot = self._place(topic)
            await topic.ready.wait()
        else:
            topic = self._topics[machine] = Topic(machine)
            slot = self._place(topic)
            try:
                await self._subscription.listen(keys.live(machine), topic.publish)
                await self._read_last([topic])
            except (redis.RedisError, OSError) as error:
                log.warning("no snapshot of machine %s: %s", machine, error)
            finally:
                topic.ready.set()
        if topic.latest is not None:
            slot.offer(topic.latest)
        return slot

    async def trail(self, slot: FrameSlot) -> list[bytes]:
        """Frames of the last minute, oldest first, all from before the frame that is in the slot.

        The slot is filled from before the trail is read: nothing is missing between them or comes twice.
        """
        topic, latest = slot.topic, slot.topic.latest  # which a reconnection may take away meanwhile
        if latest is None:
            return []
        try:
            kept: list[bytes] = await self._client.lrange(keys.recent_frames(topic.machine), 0, -1)
        except (redis.RedisError, OSError) as error:
            log.warning("no trail of machine %s: %s", topic.machine, error)
            return []
        return recent_frames.between(kept, now_us() - recent_frames.SPAN_S * 1_000_000, latest)

    def detach(self, slot: FrameSlot) -> None:
        topic = slot.topic
        topic.slots.discard(slot)
        if not topic.slots and self._topics.get(topic.machine) is topic:
            del self._topics[topic.machine]
            self._subscription.unlisten(keys.live(topic.machine), topic.publish)

    async def stop(self) -> None:
        await end(self._ticker)
        await self._client.aclose()

    def _place(self, topic: Topic) -> FrameSlot:
        slot = FrameSlot(topic)
        topic.slots.add(slot)
        return slot

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(PING_EVERY)
            for topic in self._topics.values():
                for slot in topic.slots:
                    slot.ping()

    async def _resync(self) -> None:
        """After a lost connection frames are missing: everybody gets the last one, whatever it is by now."""
        topics = list(self._topics.values())
        for topic in topics:
            topic.forget()
        try:
            await self._read_last(topics)
        except (redis.RedisError, OSError) as error:
            log.warning("no snapshot after reconnection: %s", error)

    async def _read_last(self, topics: list[Topic]) -> None:
        """Ask for the last frames. One that has come in meanwhile is newer and stays."""
        if not topics:
            return
        frames: list[Any] = await self._client.mget([keys.frame(topic.machine) for topic in topics])
        for topic, frame in zip(topics, frames, strict=True):
            if frame is not None and topic.latest is None:
                topic.publish(frame)
