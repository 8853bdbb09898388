"""Remembers for a short time which device may write to an MQTT topic."""

from collections.abc import Callable
from uuid import UUID

from django.db import close_old_connections

from twin.fleet.identity import Identity, identify_topic
from twin.ingest.identity_cache import IdentityCache
from twin.ingest.topics import TopicOwner, owner_of

LookUp = Callable[[UUID, UUID | None], Identity | None]


def look_up(machine: UUID, device: UUID | None) -> Identity | None:
    """Look up the device in the database, after closing connections that no longer work."""
    close_old_connections()
    return identify_topic(machine, device)


class TopicCache:
    """Caches the owner and identity of each topic."""

    def __init__(self, look_up: LookUp = look_up) -> None:
        self._look_up = look_up
        self._cache = IdentityCache()

    def get(self, topic: str) -> tuple[TopicOwner, Identity] | None:
        """Return who may write to a topic; None if no device may.

        Raises DatabaseError if this cannot be looked up.
        """
        owner = owner_of(topic)
        if owner is None:
            return None
        identity = self._cache.get(topic, lambda: self._look_up(*owner))
        return (owner, identity) if identity else None

    def clear(self) -> None:
        """Forget everything, because a token or a machine has changed."""
        self._cache.clear()
