"""Rare news for every process, over the telemetry server's control channel.

Whoever listens may miss one (pub/sub keeps nothing): a cache that relies on it needs a short life as well.
"""

import logging
from functools import partial
from typing import Literal

import msgspec
import redis
from django.conf import settings
from django.db import transaction

from twin import keys
from twin.valkey.clients import connect

log = logging.getLogger(__name__)

Topic = Literal["tokens", "machines"]


class Event(msgspec.Struct, frozen=True):
    """Something changed; `id` is the device's or the machine's."""

    changed: Topic
    id: str


def announce(changed: Topic, identity: object) -> None:
    """Tell every process once the current transaction is committed."""
    transaction.on_commit(partial(_publish, Event(changed, str(identity))))


def read(data: bytes) -> Event | None:
    """The event in a control message; None for what others say on the channel."""
    try:
        return msgspec.json.decode(data, type=Event)
    except msgspec.DecodeError:
        return None


def _publish(event: Event) -> None:
    try:
        with connect(settings.TELEMETRY_URL) as client:
            client.publish(keys.CONTROL, msgspec.json.encode(event))
    except redis.RedisError as error:
        log.warning("could not announce that %s of %s changed: %s", event.changed, event.id, error)
