"""Every WebSocket address."""

from django.urls import path, re_path

from webui.fleet.consumers import FleetConsumer
from webui.live.consumers import MachineConsumer, NoSuchSocket

websocket_urlpatterns = [
    path("ws/machines/<uuid:machine_id>/", MachineConsumer.as_asgi(), name="machine"),
    path("ws/fleet/", FleetConsumer.as_asgi(), name="fleet"),
    re_path(r"", NoSuchSocket.as_asgi(), name="none"),
]
