"""Middleware for every request.

It serves static files under ASGI, requires a sign-in for everything not declared public, adds an explanation
to every 405 response, and prevents caching of pages.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.cache import patch_cache_control
from django.utils.decorators import sync_and_async_middleware
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import url_has_allowed_host_and_scheme
from whitenoise.middleware import WhiteNoiseMiddleware

from twin.accounts.api_tokens import identify
from webui.problems import problem_response
from webui.shell.errors import not_allowed

NOT_SIGNED_IN = "Sign in first, or send an API token as `Authorization: Bearer hta_...`."


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]  # WhiteNoise has no types
    """Serves static files with WhiteNoise under ASGI, each in one piece.

    WhiteNoise streams from a synchronous iterator; under ASGI, Django first collects it as a whole and warns.
    Our files are small. All other requests pass through without a detour through a thread.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        super().__init__(get_response)
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        static_file = self.files.get(request.path_info)
        if static_file is None:
            return self.get_response(request)
        if iscoroutinefunction(self):
            return sync_to_async(self.serve, thread_sensitive=False)(static_file, request)
        return self.serve(static_file, request)

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        found = static_file.get_response(request.method, request.META)
        content = b""
        if found.file is not None:
            with found.file:
                content = found.file.read()
        response = HttpResponse(content, status=int(found.status))
        del response["Content-Type"]
        for name, value in found.headers:
            response[name] = value
        return response


class SignInRequired(LoginRequiredMiddleware):
    """Without a sign-in, redirects pages to the sign-in page; the API responds with a problem document."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        for_programs = request.path.startswith("/api/v1/")
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if for_programs and scheme.lower() == "bearer":
            return self._with_token(request, token.strip())
        refusal = super().process_view(request, view_func, args, kwargs)
        return _unknown(NOT_SIGNED_IN) if refusal is not None and for_programs else refusal

    def handle_no_permission(
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseRedirect:
        """Return a person who sent a form to its page after the sign-in; the page restores the input."""
        if request.method in ("GET", "HEAD"):
            return super().handle_no_permission(request, view_func)
        return redirect_to_login(_page_behind(request), resolve_url(self.get_login_url(view_func)))

    @staticmethod
    def _with_token(request: HttpRequest, token: str) -> HttpResponseBase | None:
        """Act as the token's owner, limited to what the token allows."""
        user = identify(token)
        if user is None:
            return _unknown(
                "The token is unknown, revoked or expired, or its owner's role does not allow tokens."
            )
        request.user = user
        return None


def _page_behind(request: HttpRequest) -> str:
    """Return the page from which a form was sent, by its Referer, if it is ours; else the home page."""
    sent_from = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(sent_from, {request.get_host()}, require_https=request.is_secure())
    page = urlsplit(sent_from)
    return urlunsplit(("", "", page.path, page.query, "")) if ours else resolve_url("home")


class Explained(MiddlewareMixin):
    """Adds a page or problem document to a 405, for which Django's response is empty."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED or response.content:
            return response
        explained = not_allowed(request)
        explained["Allow"] = response["Allow"]
        return explained


def _unknown(detail: str) -> HttpResponse:
    response = problem_response(401, detail)
    response["WWW-Authenticate"] = 'Bearer realm="Hydratwin"'
    return response


@sync_and_async_middleware
def never_stored(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Forbid every cache, including the browser's, to store pages: they show one person's fleet."""

    def mark(response: HttpResponseBase) -> HttpResponseBase:
        patch_cache_control(response, no_store=True)
        return response

    async def answer_later(request: HttpRequest) -> HttpResponseBase:
        return mark(await get_response(request))

    def answer(request: HttpRequest) -> HttpResponseBase:
        return mark(get_response(request))

    return answer_later if iscoroutinefunction(get_response) else answer
