from django.apps import AppConfig


class LiveConfig(AppConfig):
    name = "webui.live"
    label = "webui_live"

    def ready(self) -> None:
        from webui.live import signals  # noqa: F401  connects the receivers
