from django.apps import AppConfig


class MachineConfig(AppConfig):
    name = "webui.machine"
    label = "webui_machine"
