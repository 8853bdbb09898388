from django.apps import AppConfig


class HistoryConfig(AppConfig):
    name = "twin.history"
    label = "history"
