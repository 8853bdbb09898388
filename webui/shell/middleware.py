"""Middleware of our own: static files without a warning, a sign-in for everything not declared public, and
nothing of it kept in caches."""

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.utils.decorators import sync_and_async_middleware
from whitenoise.middleware import WhiteNoiseMiddleware

from webui.problems import problem_response


class StaticFiles(WhiteNoiseMiddleware):
    """Whitenoise for ASGI: a file is answered in one piece.

    Whitenoise streams from a synchronous iterator, which Django has to collect first under ASGI (and warns
    about); our files are small. Everything else passes without a detour through a thread.
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
    """Pages lead to the sign-in page; programs are told in a document they understand."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        refusal = super().process_view(request, view_func, args, kwargs)
        if refusal is not None and request.path.startswith("/api/v1/"):
            return problem_response(401, "Sign in first: this interface uses the session of the web pages.")
        return refusal


@sync_and_async_middleware
def never_stored(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Pages and answers show one person's fleet: no cache may keep them, not even the browser's own."""

    def mark(response: HttpResponseBase) -> HttpResponseBase:
        patch_cache_control(response, no_store=True)
        return response

    async def answer_later(request: HttpRequest) -> HttpResponseBase:
        return mark(await get_response(request))

    def answer(request: HttpRequest) -> HttpResponseBase:
        return mark(get_response(request))

    return answer_later if iscoroutinefunction(get_response) else answer
