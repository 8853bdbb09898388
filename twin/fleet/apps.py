from django.apps import AppConfig


class FleetConfig(AppConfig):
    name = "twin.fleet"
    label = "fleet"
