"""Makes error pages that tell people what happened and what to do, and problem documents for programs."""

import logging
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import requires_csrf_token

from webui.problems import problem_response

log = logging.getLogger(__name__)


class Words(NamedTuple):
    title: str | Promise  # lazy: in the language of the reader
    happened: str | Promise
    todo: str | Promise


WORDS = {
    400: Words(
        _("Invalid request"),
        _("The address, or the data that the browser sent, is not valid."),
        _("Go back and try again. If you typed the address, check it."),
    ),
    403: Words(
        _("You don't have access"),
        _("Your account has no permission for this page or action."),
        _("Ask an administrator of your organisation for access."),
    ),
    404: Words(
        _("Page not found"),
        _("The page does not exist, or it belongs to an organisation that you are not a member of."),
        _("Check the address, or find the machine in the fleet list."),
    ),
    405: Words(
        _("This page cannot be opened directly"),
        _("This address belongs to a button or form and cannot be opened directly."),
        _("Go back to the page with the button, or start from the fleet page."),
    ),
    500: Words(
        _("Something went wrong on our side"),
        _("The error has been logged. It does not affect your machines or their twins."),
        _("Try again in a moment. If the error happens again, tell an administrator what you did and when."),
    ),
}
CSRF_WORDS = Words(
    _("The form has expired"),
    _(
        "You may have signed in or out since you opened the form, or your browser blocks cookies. For your"
        " safety, the form was not accepted."
    ),
    _("Go back and reload the page. Your input is kept, except passwords. Then send the form again."),
)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _respond(request, 400, WORDS[400])


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _respond(request, 403, WORDS[403])


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _respond(request, 404, WORDS[404])


def server_error(request: HttpRequest) -> HttpResponse:
    return _respond(request, 500, WORDS[500])


def not_allowed(request: HttpRequest) -> HttpResponse:
    return _respond(request, 405, WORDS[405])


@requires_csrf_token
def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    log.info("form refused at %s: %s", request.path, reason)
    return _respond(request, 403, CSRF_WORDS)


def _respond(request: HttpRequest, code: int, words: Words) -> HttpResponse:
    if request.path.startswith("/api/"):
        return problem_response(code, f"{words.title}. {words.happened}")
    context = {"code": code, "title": words.title, "happened": words.happened, "todo": words.todo}
    context["interrupted"] = words is CSRF_WORDS
    try:
        page: str = render_to_string("shell/error.html", context, request)
    except Exception:  # the page may need what just failed, such as the database
        log.exception("the error page itself failed")
        page = _plain(words)
    return HttpResponse(page, status=code)


def _plain(words: Words) -> str:
    title, happened, todo = map(escape, words)
    start = f'<!doctype html><html lang="{get_language() or "en"}">'
    return f"{start}<title>{title}</title><h1>{title}</h1><p>{happened}<p>{todo}</html>"
