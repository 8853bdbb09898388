from django.urls import path

from webui.preferences import views

app_name = "preferences"

urlpatterns = [
    path("units/", views.units, name="units"),
    path("language/", views.language, name="language"),
    path("tour/", views.tour, name="tour"),
]
