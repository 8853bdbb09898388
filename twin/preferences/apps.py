from django.apps import AppConfig


class PreferencesConfig(AppConfig):
    name = "twin.preferences"
    label = "preferences"
