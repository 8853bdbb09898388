from django.apps import AppConfig


class PreferencesConfig(AppConfig):
    name = "webui.preferences"
    label = "webui_preferences"
