from django.apps import AppConfig


class SitesConfig(AppConfig):
    name = "twin.sites"
    label = "work_sites"
