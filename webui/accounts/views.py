"""Signing in and out; too many wrong passwords close the door for a while."""

import math
from typing import Any

from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from webui.live.access import tell_access_changed


class LoginView(views.LoginView):
    template_name = "accounts/login.html"
    redirect_authenticated_user = True


class LogoutView(views.LogoutView):
    """By POST only, so that no foreign page can sign somebody out with a link."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        user_id = request.user.pk
        response = super().post(request, *args, **kwargs)
        if user_id is not None:
            tell_access_changed(user_id)
        return response


@login_not_required
def admin_login(request: HttpRequest) -> HttpResponse:
    """The admin has no door of its own; who is in already but has no business there is told so."""
    if request.user.is_authenticated and not request.user.is_staff:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next", "/admin/"))


def locked(request: HttpRequest, response: object = None, credentials: object = None) -> HttpResponse:
    """Shown by django-axes instead of the form while an account is locked for this address."""
    wait = settings.AXES_COOLOFF_TIME
    context = {"minutes": math.ceil(wait.total_seconds() / 60)}
    answer = render(request, "accounts/locked.html", context, status=429)
    answer["Retry-After"] = str(int(wait.total_seconds()))
    return answer
