from django.urls import path

from webui.fleet import views

app_name = "fleet"

urlpatterns = [path("", views.machine_list, name="list")]
