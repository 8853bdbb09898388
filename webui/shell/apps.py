from django.apps import AppConfig


class ShellConfig(AppConfig):
    name = "webui.shell"
    label = "webui_shell"
