from django.apps import AppConfig


class StyleguideConfig(AppConfig):
    name = "webui.styleguide"
    label = "webui_styleguide"
