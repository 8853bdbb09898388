from django.urls import path

from webui.fleet import sites, views

app_name = "fleet"

urlpatterns = [
    path("", views.machine_list, name="list"),
    path("views/", views.save_view, name="save-view"),
    path("views/<int:view_id>/delete/", views.delete_view, name="delete-view"),
    path("sites/", sites.edit_sites, name="sites"),
    path("sites/<uuid:site_id>/", sites.edit_sites, name="site"),
    path("sites/<uuid:site_id>/delete/", sites.delete_site, name="delete-site"),
]
