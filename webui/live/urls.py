from django.urls import path

from webui.live import model_page, views

app_name = "live"

urlpatterns = [
    path("<uuid:machine_id>/", views.machine_page, name="machine"),
    path("<uuid:machine_id>/model/", model_page.model_page, name="model"),
]
