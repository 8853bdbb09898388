"""Which device is behind a token, remembered for a short while: no query for the usual request."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from django.db import DatabaseError

from twin.fleet import tokens
from twin.fleet.identity import Identity

LookUp = Callable[[str], Awaitable[Identity | None]]

LIFE = 60.0  # s an identity is believed without asking again; news of a revocation ends it at once
LIFE_UNKNOWN = 5.0  # s a wrong token is refused without asking again
SIZE = 10_000  # tokens of each kind


@dataclass(frozen=True)
class _Known:
    identity: Identity | None
    until: float


class TokenCache:
    """Keyed by digest, so that no secret is kept in memory longer than its request."""

    def __init__(self, look_up: LookUp) -> None:
        self._look_up = look_up
        self._known: dict[bytes, _Known] = {}
        self._unknown: dict[bytes, _Known] = {}
        self._generation = 0

    async def get(self, token: str) -> Identity | None:
        """Raises DatabaseError when the database is away and the token was not known before."""
        if tokens.prefix_of(token) is None:
            return None
        digest = tokens.digest(token)
        known = self._known.get(digest) or self._unknown.get(digest)
        if known is not None and time.monotonic() < known.until:
            return known.identity
        return await self._ask(token, digest, known)

    def clear(self) -> None:
        """Forget everything: news may have been missed."""
        self._known.clear()
        self._unknown.clear()
        self._generation += 1  # answers that are on their way now may be old: they are used, not kept

    def forget(self, changed: str) -> None:
        """A device or a machine has changed: ask again for its tokens, and for those that nobody knew."""
        kept = {
            digest: known
            for digest, known in self._known.items()
            if known.identity and changed not in (known.identity.device, known.identity.machine)
        }
        self.clear()
        self._known = kept

    async def _ask(self, token: str, digest: bytes, known: _Known | None) -> Identity | None:
        generation = self._generation
        try:
            identity = await self._look_up(token)
        except DatabaseError:
            if known is not None and known.identity is not None and generation == self._generation:
                return known.identity  # a pause of the database does not lock out who was in
            raise
        if generation == self._generation:
            self._keep(digest, identity)
        return identity

    def _keep(self, digest: bytes, identity: Identity | None) -> None:
        kept, other = (self._known, self._unknown) if identity else (self._unknown, self._known)
        other.pop(digest, None)
        if len(kept) >= SIZE:
            kept.clear()
        kept[digest] = _Known(identity, time.monotonic() + (LIFE if identity else LIFE_UNKNOWN))
