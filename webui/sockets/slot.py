"""One client's place: the newest thing it has not been told, and whether a ping is due."""

import asyncio
from collections.abc import Callable

PING_EVERY = 1.0  # s
PATIENCE = 10.0  # s for one message to leave; a client slower than this has gone


class Slot:
    """Latest wins: what is offered takes the place of what was not taken yet."""

    def __init__(self) -> None:
        self.too_slow: Callable[[], None] | None = None  # called once, when nothing has been taken for long
        self._news: bytes | None = None
        self._pings = 0  # that are due
        self._waiting: asyncio.Future[None] | None = None

    def offer(self, news: bytes) -> None:
        self._news = news
        self._wake()

    def ping(self) -> None:
        self._pings += 1
        if self._pings > PATIENCE / PING_EVERY and self.too_slow is not None:
            self.too_slow()
            self.too_slow = None
        self._wake()

    async def take(self) -> tuple[bytes | None, bool]:
        """Wait for news: the newest, if there is any, and whether to ping."""
        if self._news is None and not self._pings:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        news, self._news = self._news, None
        pings, self._pings = self._pings, 0
        return news, pings > 0

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
