"""Chooses the language of a page: the person's choice, else the cookie, else the Accept-Language header."""

from collections.abc import Mapping

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from twin.preferences.services import preference_of

# the API is always in English and SI
_FOR_PROGRAMS = ("/api/", "/healthz", "/readyz", "/metrics")


def language_of(user: AbstractBaseUser | AnonymousUser, cookies: Mapping[str, str], accepted: str) -> str:
    """Return the reader's language. accepted: the Accept-Language header.

    Queries the database if signed in.
    """
    chosen = preference_of(user).language if user.is_authenticated else ""
    return chosen or _of_browser(cookies, accepted)


def _of_browser(cookies: Mapping[str, str], accepted: str) -> str:
    request = HttpRequest()
    request.COOKIES = dict(cookies)
    request.META["HTTP_ACCEPT_LANGUAGE"] = accepted
    return translation.get_language_from_request(request)


class ChosenLanguage(MiddlewareMixin):
    """Middleware that activates the reader's language."""

    def process_request(self, request: HttpRequest) -> None:
        translation.activate(_language(request))
        request.LANGUAGE_CODE = translation.get_language()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
        return response


def _language(request: HttpRequest) -> str:
    if request.path.startswith(_FOR_PROGRAMS):
        return settings.LANGUAGE_CODE
    accepted = request.META.get("HTTP_ACCEPT_LANGUAGE", "")
    try:
        return language_of(request.user, request.COOKIES, accepted)
    except DatabaseError:  # the error page needs a language too
        return _of_browser(request.COOKIES, accepted)
