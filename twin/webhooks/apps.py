from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "twin.webhooks"
    label = "webhooks"
