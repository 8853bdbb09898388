from django.urls import path

from webui.machine import model_page, views

app_name = "machine"

urlpatterns = [
    path("<uuid:machine_id>/", views.machine_page, name="live"),
    path("<uuid:machine_id>/model/", model_page.model_page, name="model"),
]
