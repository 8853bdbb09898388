from django.urls import path

from webui.live import views

app_name = "live"

urlpatterns = [path("<uuid:machine_id>/", views.machine_page, name="machine")]
