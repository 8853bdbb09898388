from django.apps import AppConfig


class UsageConfig(AppConfig):
    name = "twin.usage"
    label = "usage"
