from django.apps import AppConfig


class OrganisationConfig(AppConfig):
    name = "webui.organisation"
    label = "webui_organisation"
