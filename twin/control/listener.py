"""Waits for control events, in processes that do not use asyncio."""

import time

import redis
from redis.client import PubSub

from twin import keys
from twin.control import events
from twin.valkey.clients import TIMEOUT, connect

RETRY_S = 1.0  # between two attempts to subscribe


class ControlListener:
    """Reports when tokens or machines have changed, or may have changed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._channel: PubSub | None = None
        self._retry_at = 0.0

    def wait(self, seconds: float) -> bool:
        """Wait for a control event; True if one came.

        Also True after subscribing: earlier events may have been missed.
        """
        try:
            if self._channel is None:
                return self._subscribe(seconds)
            message = self._channel.get_message(timeout=seconds)
        except (redis.RedisError, OSError):
            self.close()
            return False
        if message is None:
            return False
        return message["type"] != "message" or events.read(message["data"]) is not None

    def close(self) -> None:
        if self._channel is not None:
            self._channel.close()
        self._channel = None

    def _subscribe(self, seconds: float) -> bool:
        left = self._retry_at - time.monotonic()
        if left > 0:
            time.sleep(min(left, seconds))
            return False
        self._retry_at = time.monotonic() + RETRY_S
        channel: PubSub = connect(self._url).pubsub()  # type: ignore[no-untyped-call]
        channel.subscribe(keys.CONTROL)
        channel.get_message(timeout=TIMEOUT)  # the confirmation
        self._channel = channel
        return True
