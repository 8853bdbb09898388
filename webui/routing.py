"""Lists every WebSocket address."""

from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import path, re_path

from webui.fleet.consumers import FleetConsumer
from webui.machine.consumers import MachineConsumer


class NoSuchSocket(AsyncWebsocketConsumer):  # type: ignore[misc]  # Channels has no types
    """Refuses the handshake at any other address."""

    channel_layer_alias = "none"

    async def connect(self) -> None:
        await self.close()


websocket_urlpatterns = [
    path("ws/machines/<uuid:machine_id>/", MachineConsumer.as_asgi(), name="machine"),
    path("ws/fleet/", FleetConsumer.as_asgi(), name="fleet"),
    re_path(r"", NoSuchSocket.as_asgi(), name="none"),
]
