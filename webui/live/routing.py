"""Every WebSocket address."""

from django.urls import path, re_path

from webui.live.consumers import MachineConsumer, NoSuchSocket

websocket_urlpatterns = [
    path("ws/machines/<uuid:machine_id>/", MachineConsumer.as_asgi(), name="machine"),
    re_path(r"", NoSuchSocket.as_asgi(), name="none"),
]
