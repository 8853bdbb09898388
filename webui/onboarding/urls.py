from django.urls import path

from webui.onboarding import views

app_name = "onboarding"

urlpatterns = [
    path("new/", views.organisation, name="organisation"),
    path("machines/new/", views.machine, name="machine"),
]
