from django.urls import path

from webui.help import views

app_name = "help"

urlpatterns = [
    path("", views.index, name="index"),
    path("<slug:name>/", views.show_guide, name="guide"),
]
