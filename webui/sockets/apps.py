from django.apps import AppConfig


class SocketsConfig(AppConfig):
    name = "webui.sockets"
    label = "webui_sockets"

    def ready(self) -> None:
        from webui.sockets import signals  # noqa: F401  connects the receivers
