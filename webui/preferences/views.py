"""Saves choices made in the top bar, and returns to the page on which they were made."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from twin.preferences import services
from twin.preferences.models import Language, Units
from webui.accounts.signed_in import signed_in


@require_POST
def units(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("units", "")
    try:
        services.choose_units(signed_in(request), wanted)
    except ValidationError:
        text = _("Unknown units %(wanted)r. Available: %(known)s.")
        messages.error(request, text % {"wanted": wanted[:40], "known": ", ".join(Units.values)})
    return redirect(_back(request))


@login_not_required  # the sign-in page has the choice too
@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Save the language for the person, and as a cookie for pages before the sign-in."""
    wanted = request.POST.get("language", "")
    response = redirect(_back(request))
    if wanted not in Language.values:
        text = _("Unknown language %(wanted)r. Available: %(known)s.")
        messages.error(request, text % {"wanted": wanted[:40], "known": ", ".join(Language.values)})
        return response
    if request.user.is_authenticated:
        services.choose_language(request.user, wanted)
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        wanted,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite=settings.LANGUAGE_COOKIE_SAMESITE,
    )
    return response


@require_POST
def tour(request: HttpRequest) -> HttpResponse:
    services.note_tour(signed_in(request))
    return HttpResponse(status=204)


def _back(request: HttpRequest) -> str:
    """Return the page that the form names, if it is one of ours."""
    address = request.POST.get("next", "")
    secure = request.is_secure()
    ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=secure)
    return address if ours else "/"
