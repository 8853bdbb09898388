"""Which device may write to an MQTT topic, remembered for a short while."""

from collections.abc import Callable
from uuid import UUID

from django.db import close_old_connections

from twin.fleet.identity import Identity, identify_topic
from twin.ingest.identity_cache import IdentityCache
from twin.ingest.topics import TopicOwner, owner_of

LookUp = Callable[[UUID, UUID | None], Identity | None]


def look_up(machine: UUID, device: UUID | None) -> Identity | None:
    """Ask the database, over a connection that still works."""
    close_old_connections()
    return identify_topic(machine, device)


class TopicCache:
    """Owners and identities by topic."""

    def __init__(self, look_up: LookUp = look_up) -> None:
        self._look_up = look_up
        self._cache = IdentityCache()

    def get(self, topic: str) -> tuple[TopicOwner, Identity] | None:
        """None if no device may write there. Raises DatabaseError if the database cannot be asked."""
        owner = owner_of(topic)
        if owner is None:
            return None
        identity = self._cache.get(topic, lambda: self._look_up(*owner))
        return (owner, identity) if identity else None

    def clear(self) -> None:
        """A token or a machine has changed."""
        self._cache.clear()
