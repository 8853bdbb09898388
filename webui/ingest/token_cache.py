"""Remembers for a short time to which device a token belongs."""

from collections.abc import Awaitable, Callable

from twin.fleet import tokens
from twin.fleet.identity import Identity
from twin.ingest.identity_cache import IdentityCache

LookUp = Callable[[str], Awaitable[Identity | None]]


class TokenCache:
    """Caches identities by digest of the token, so that no secret stays in memory longer than its request."""

    def __init__(self, look_up: LookUp) -> None:
        self._look_up = look_up
        self._cache = IdentityCache()

    async def get(self, token: str) -> Identity | None:
        """Return the token's identity.

        Raises DatabaseError if the database is unavailable and the token is not cached.
        """
        if tokens.prefix_of(token) is None:
            return None
        return await self._cache.get_async(tokens.digest(token), lambda: self._look_up(token))

    def clear(self) -> None:
        """Forget everything, because control events may have been missed."""
        self._cache.clear()

    def forget(self, changed: str) -> None:
        """Forget the tokens of a device or machine that has changed, and all unknown tokens."""
        self._cache.forget(changed)
