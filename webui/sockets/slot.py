"""A slot between the publisher and one client, which keeps only the newest unsent update and due pings."""

import asyncio
from collections.abc import Callable

PING_EVERY = 1.0  # s
PATIENCE = 10.0  # s to send one message; a slower client is closed


class Slot:
    """Keeps one update for one client; a new update replaces one that was not taken yet."""

    def __init__(self) -> None:
        self.too_slow: Callable[[], None] | None = None  # called once, when nothing was taken for PATIENCE
        self._update: bytes | None = None
        self._pings = 0  # due, not taken yet
        self._waiting: asyncio.Future[None] | None = None

    def offer(self, update: bytes) -> None:
        self._update = update
        self._wake()

    def ping(self) -> None:
        self._pings += 1
        if self._pings > PATIENCE / PING_EVERY and self.too_slow is not None:
            self.too_slow()
            self.too_slow = None
        self._wake()

    async def take(self) -> tuple[bytes | None, bool]:
        """Wait until something is due; return the newest update, if any, and whether to ping."""
        if self._update is None and not self._pings:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        update, self._update = self._update, None
        pings, self._pings = self._pings, 0
        return update, pings > 0

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
