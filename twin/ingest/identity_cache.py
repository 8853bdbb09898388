"""Remembers for a short time which device belongs to a token or an MQTT topic."""

import time
from collections.abc import Awaitable, Callable, Hashable
from typing import NamedTuple

from django.db import DatabaseError

from twin.fleet.identity import Identity

LIFE_S = 60.0  # how long an identity is used without asking again; a control event ends it at once
LIFE_UNKNOWN_S = 5.0  # the same for a key without an identity
SIZE = 10_000  # keys with an identity, and as many without


class _Known(NamedTuple):
    identity: Identity | None
    until: float  # monotonic


class IdentityCache:
    """Caches identities by key, so that most messages need no query.

    While the database is unavailable, keys that had an identity keep it; for other keys DatabaseError is
    raised.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, _Known] = {}
        self._unknown: dict[Hashable, _Known] = {}
        self._generation = 0

    def get(self, key: Hashable, look_up: Callable[[], Identity | None]) -> Identity | None:
        known = self._find(key)
        if known is not None and time.monotonic() < known.until:
            return known.identity
        generation = self._generation
        try:
            identity = look_up()
        except DatabaseError:
            if known is not None and known.identity is not None and generation == self._generation:
                return known.identity
            raise
        self._keep(key, identity, generation)
        return identity

    async def get_async(
        self, key: Hashable, look_up: Callable[[], Awaitable[Identity | None]]
    ) -> Identity | None:
        known = self._find(key)
        if known is not None and time.monotonic() < known.until:
            return known.identity
        generation = self._generation
        try:
            identity = await look_up()
        except DatabaseError:
            if known is not None and known.identity is not None and generation == self._generation:
                return known.identity
            raise
        self._keep(key, identity, generation)
        return identity

    def clear(self) -> None:
        """Forget everything, because control events may have been missed."""
        self._known.clear()
        self._unknown.clear()
        self._generation += 1  # results of queries under way may be outdated: they are used but not kept

    def forget(self, changed: str) -> None:
        """Forget the identities of this device or machine, and all keys without an identity."""
        kept = {
            key: known
            for key, known in self._known.items()
            if known.identity and changed not in (known.identity.device, known.identity.machine)
        }
        self.clear()
        self._known = kept

    def _find(self, key: Hashable) -> _Known | None:
        return self._known.get(key) or self._unknown.get(key)

    def _keep(self, key: Hashable, identity: Identity | None, generation: int) -> None:
        if generation != self._generation:
            return
        kept, other = (self._known, self._unknown) if identity else (self._unknown, self._known)
        other.pop(key, None)
        if len(kept) >= SIZE:
            kept.clear()
        kept[key] = _Known(identity, time.monotonic() + (LIFE_S if identity else LIFE_UNKNOWN_S))
