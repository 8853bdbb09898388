"""Lists every address that Django serves.

Telemetry (POST /api/v1/telemetry) and sockets are in webui.application.
"""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from webui.accounts.views import admin_login
from webui.api import api
from webui.shell import health
from webui.shell.metrics import metrics

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="fleet:list"), name="home"),
    path("machines/", include("webui.fleet.urls")),
    path("machines/", include("webui.machine.urls")),
    path("preferences/", include("webui.preferences.urls")),
    path("organisations/", include("webui.onboarding.urls")),
    path("help/", include("webui.help.urls")),
    path("styleguide/", include("webui.styleguide.urls")),
    path("accounts/", include("webui.accounts.urls")),
    path("organisations/<uuid:organisation_id>/", include("webui.organisation.urls")),
    path("api/v1/", api.interface.urls),
    path("api/docs", api.docs, name="api-docs"),
    path("admin/login/", admin_login, name="admin-login"),
    path("admin/", admin.site.urls),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]

handler400 = "webui.shell.errors.bad_request"
handler403 = "webui.shell.errors.permission_denied"
handler404 = "webui.shell.errors.not_found"
handler500 = "webui.shell.errors.server_error"
