"""Makes the management commands of this package known to Django."""

from django.apps import AppConfig


class WorkersConfig(AppConfig):
    name = "workers"
    verbose_name = "Background processes"
