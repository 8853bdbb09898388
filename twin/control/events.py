"""Publishes control events on a pub/sub channel of the telemetry server.

Pub/sub does not store messages, so a listener may miss an event. A cache that relies on these events must
therefore also expire after a short time.
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
    """A token or a machine has changed; `id` is the id of the device or of the machine."""

    changed: Topic
    id: str


def announce(changed: Topic, identity: object) -> None:
    """Publish an event once the current transaction is committed."""
    transaction.on_commit(partial(_publish, Event(changed, str(identity))))


def read(data: bytes) -> Event | None:
    """Return the event in a control message; None if the message has another form."""
    try:
        return msgspec.json.decode(data, type=Event)
    except msgspec.DecodeError:
        return None


def _publish(event: Event) -> None:
    try:
        with connect(settings.TELEMETRY_URL) as client:
            client.publish(keys.CONTROL, msgspec.json.encode(event))
    except redis.RedisError as error:
        log.warning("control event not published (%s %s changed): %s", event.changed, event.id, error)
