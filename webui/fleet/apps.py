from django.apps import AppConfig


class FleetConfig(AppConfig):
    name = "webui.fleet"
    label = "webui_fleet"
