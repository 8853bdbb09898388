"""Distributes frames from the telemetry server to the sockets of this process; only the latest frame counts.

A slow client skips frames; they are never queued. Distributing frames needs neither the channel layer nor a
database query.
"""

import asyncio
import logging
from typing import Any

import redis

from twin import keys
from twin.runtime import recent_frames
from twin.valkey.clients import connect_async
from webui.clock import now_us
from webui.sockets.slot import PING_EVERY, Slot
from webui.sockets.subscription import Subscription
from webui.tasks import end

log = logging.getLogger(__name__)

OVERTAKEN_US = 5_000_000  # if a frame is older than this, the clock was set back


class FrameSlot(Slot):
    """The slot of a client that watches one machine."""

    def __init__(self, topic: "Topic") -> None:
        super().__init__()
        self.topic = topic


class Topic:
    """One machine that has clients, and their slots."""

    def __init__(self, machine: str) -> None:
        self.machine = machine
        self.slots: set[FrameSlot] = set()
        self.latest: bytes | None = None
        self._latest_us = -1
        self.ready = asyncio.Event()  # set when the last frame has been read

    def publish(self, frame: bytes) -> None:
        """Offer a frame to all slots, unless a later frame has already been read."""
        made_us = recent_frames.made(frame)
        if made_us >= 0 and 0 <= self._latest_us - made_us < OVERTAKEN_US:
            return
        self.latest, self._latest_us = frame, made_us
        for slot in self.slots:
            slot.offer(frame)

    def forget(self) -> None:
        """Forget the last frame, so that the next one is published whatever its time is."""
        self.latest, self._latest_us = None, -1


class Hub:
    """Keeps the topics by machine; each is subscribed while it has clients."""

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
        """Return a slot for a client; it already contains the last frame, if there is one."""
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
        """Return the frames of the last minute, oldest first, all older than the frame in the slot.

        The slot is filled before the list is read, so that no frame between them is missing or sent twice.
        """
        topic, latest = slot.topic, slot.topic.latest  # kept here: a reconnection may clear it meanwhile
        if latest is None:
            return []
        try:
            kept: list[Any] = await self._client.lrange(keys.recent_frames(topic.machine), 0, -1)
        except (redis.RedisError, OSError) as error:
            log.warning("no recent frames of machine %s: %s", topic.machine, error)
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
        """After a reconnection, send the last frame to every client, because some frames were missed."""
        topics = list(self._topics.values())
        for topic in topics:
            topic.forget()
        try:
            await self._read_last(topics)
        except (redis.RedisError, OSError) as error:
            log.warning("no snapshot after reconnection: %s", error)

    async def _read_last(self, topics: list[Topic]) -> None:
        """Read the last frames; a topic that received a newer frame meanwhile keeps it."""
        if not topics:
            return
        frames: list[Any] = await self._client.mget([keys.frame(topic.machine) for topic in topics])
        for topic, frame in zip(topics, frames, strict=True):
            if frame is not None and topic.latest is None:
                topic.publish(frame)
