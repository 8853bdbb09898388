"""The help pages: the tour, and a guide for each group of users."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from webui.help.guides import FILES, Guide, guide


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return render(request, "help/index.html", {"guides": _all()})


@require_safe
def show_guide(request: HttpRequest, name: str) -> HttpResponse:
    found = guide(name, get_language())
    if found is None:
        raise Http404
    return render(request, "help/guide.html", {"guide": found, "others": _all()})


def _all() -> list[Guide | None]:
    return [guide(name, get_language()) for name in FILES]
