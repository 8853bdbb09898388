"""Requires a second factor from people who manage other people's access."""

from collections.abc import Callable
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _

GUARDED = ("/organisations/", "/admin/")


class SecondFactorRequired(MiddlewareMixin):
    """Redirects a person without a second factor to its setup, if the settings require one."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        if not settings.SECOND_FACTOR_REQUIRED or not request.path.startswith(GUARDED):
            return None
        if not request.user.is_authenticated or is_mfa_enabled(request.user):
            return None
        text = _(
            "You need a second factor to open pages where you manage other people's access. Set it up first."
        )
        messages.warning(request, text)
        return redirect("mfa_index")
