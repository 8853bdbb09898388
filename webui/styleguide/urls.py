from django.urls import path

from webui.styleguide import views

app_name = "styleguide"

urlpatterns = [path("", views.index, name="index")]
