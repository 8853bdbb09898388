from django.apps import AppConfig


class ShowroomConfig(AppConfig):
    name = "twin.showroom"
    label = "showroom"
