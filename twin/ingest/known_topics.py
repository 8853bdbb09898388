"""Which device is behind a topic of the MQTT broker, remembered for a short while."""

import time
from collections.abc import Callable
from uuid import UUID

from django.db import DatabaseError, close_old_connections

from twin.fleet.identity import Identity, identify_topic
from twin.ingest.topics import Place, place_of

LookUp = Callable[[UUID, UUID | None], Identity | None]

LIFE_S = 60.0
LIFE_UNKNOWN_S = 5.0
SIZE = 20_000


def look_up(machine: UUID, device: UUID | None) -> Identity | None:
    """In the database, over a connection that is not too old."""
    close_old_connections()
    return identify_topic(machine, device)


class KnownTopics:
    """No query for the usual message."""

    def __init__(self, look_up: LookUp = look_up) -> None:
        self._look_up = look_up
        self._known: dict[str, tuple[Identity | None, float]] = {}

    def get(self, topic: str) -> tuple[Place, Identity] | None:
        """None if nobody may write there. Raises DatabaseError when that cannot be found out just now."""
        place = place_of(topic)
        if place is None:
            return None
        identity, until = self._known.get(topic, (None, 0.0))
        if time.monotonic() >= until:
            identity = self._ask(topic, place, identity)
        return (place, identity) if identity else None

    def clear(self) -> None:
        """Something has changed."""
        self._known.clear()

    def _ask(self, topic: str, place: Place, last: Identity | None) -> Identity | None:
        try:
            identity = self._look_up(*place)
        except DatabaseError:
            if last is not None:
                return last  # a pause of the database does not lock out who was in
            raise
        if len(self._known) >= SIZE:
            self._known.clear()
        self._known[topic] = (identity, time.monotonic() + (LIFE_S if identity else LIFE_UNKNOWN_S))
        return identity
