"""Which device a token belongs to, remembered for a short while."""

from collections.abc import Awaitable, Callable

from twin.fleet import tokens
from twin.fleet.identity import Identity
from twin.ingest.identity_cache import IdentityCache

LookUp = Callable[[str], Awaitable[Identity | None]]


class TokenCache:
    """Keyed by digest, so that no secret stays in memory longer than its request."""

    def __init__(self, look_up: LookUp) -> None:
        self._look_up = look_up
        self._cache = IdentityCache()

    async def get(self, token: str) -> Identity | None:
        """Raises DatabaseError when the database is away and the token was not known before."""
        if tokens.prefix_of(token) is None:
            return None
        return await self._cache.get_async(tokens.digest(token), lambda: self._look_up(token))

    def clear(self) -> None:
        """Forget everything, because control events may have been missed."""
        self._cache.clear()

    def forget(self, changed: str) -> None:
        """A device or a machine has changed: ask again for its tokens, and for unknown ones."""
        self._cache.forget(changed)
