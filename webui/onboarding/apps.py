from django.apps import AppConfig


class OnboardingConfig(AppConfig):
    name = "webui.onboarding"
    label = "webui_onboarding"
