from django.apps import AppConfig


class HelpConfig(AppConfig):
    name = "webui.help"
    label = "webui_help"
