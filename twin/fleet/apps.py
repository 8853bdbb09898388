from django.apps import AppConfig


class FleetConfig(AppConfig):
    name = "twin.fleet"
    label = "fleet"

    def ready(self) -> None:
        from twin.fleet import signals  # noqa: F401  connects the receivers
