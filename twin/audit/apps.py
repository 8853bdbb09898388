from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "twin.audit"
    label = "audit"
