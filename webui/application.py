"""The ASGI application: routes each request to telemetry ingest, sockets or Django.

POST /api/v1/telemetry      webui.ingest, without Django's middleware
ws/...                      Channels: origin, session, then the consumer
everything else             Django
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import redis
from channels.auth import AuthMiddlewareStack
from channels.db import database_sync_to_async
from channels.routing import URLRouter
from django.conf import settings

from twin import keys
from twin.control import events
from twin.fleet.identity import identify
from twin.valkey.async_client import AsyncClient
from twin.valkey.clients import connect_async
from webui.fleet.status_poller import FleetStatusPoller
from webui.ingest.app import PATH, Ingest
from webui.ingest.token_cache import TokenCache
from webui.routing import websocket_urlpatterns
from webui.sockets.access_revocation import AccessRevocation
from webui.sockets.hub import Hub
from webui.sockets.origin_check import SameOrigin
from webui.sockets.subscription import Subscription
from webui.tasks import end

log = logging.getLogger(__name__)

Asgi = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
COUNT_S = 1.0


class Application:
    """The ASGI application.

    It keeps what the process shares: subscription, frame hub, fleet status poller, token cache and access
    revocation.
    """

    def __init__(self, django: Asgi) -> None:
        url = settings.TELEMETRY_URL
        self.subscription = Subscription(url)
        self.hub = Hub(url, self.subscription)
        self.fleet = FleetStatusPoller(url)
        self.access = AccessRevocation()
        self.tokens = TokenCache(database_sync_to_async(identify))
        self._client = connect_async(url, timeout_s=5)
        self._ingest_client = AsyncClient(url)
        self._ingest = Ingest(self._ingest_client, self.tokens)
        self._django = django
        self._sockets = SameOrigin(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))
        self._listening = False
        self._counting: asyncio.Task[None] | None = None
        self.subscription.on_connected.append(self._forget_tokens)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "websocket":
            shared = {"hub": self.hub, "fleet": self.fleet, "access": self.access, "write": send}
            await self._sockets(scope | shared, receive, send)
        elif scope["path"] == PATH:
            await self._listen()
            await self._ingest(scope, receive, send)
        else:
            await self._django(scope, receive, send)

    async def stop(self) -> None:
        await end(self._counting)
        await self.access.stop()
        await self.subscription.stop()  # first: its hooks use the hub
        await self.hub.stop()
        await self.fleet.stop()
        self._ingest_client.close()
        await self._client.aclose()

    async def _lifespan(self, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self._listen()
                self._counting = asyncio.create_task(self._count())
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _listen(self) -> None:
        """Subscribe to the control channel once, at start-up or at the first telemetry request."""
        if not self._listening:
            self._listening = True
            await self.subscription.listen(keys.CONTROL, self._control)

    async def _count(self) -> None:
        """Write the counters of accepted and refused telemetry to the telemetry server once a second."""
        while True:
            await asyncio.sleep(COUNT_S)
            with contextlib.suppress(redis.RedisError, OSError):  # ingest logs this itself
                await self._ingest.intake.counters.write_async(self._client)

    def _control(self, data: bytes) -> None:
        event = events.read(data)
        if event is not None:
            self.tokens.forget(event.id)

    async def _forget_tokens(self) -> None:
        self.tokens.clear()
