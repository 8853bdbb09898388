"""The fleet page and its saved views."""

from collections import Counter
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from twin.fleet.models import Membership, Organisation
from twin.fleet.permissions import Permission
from twin.preferences.models import SavedView
from twin.preferences.services import keep_view
from twin.sites.models import Site
from twin.sites.services import managed_by
from webui.accounts.signed_in import signed_in
from webui.fleet.fleet_query import LAYOUTS, SORTS, read_query
from webui.fleet.plan import plan
from webui.fleet.rows import arranged, rows_of
from webui.fleet.severity import LEVELS
from webui.units import units_of

UNSAVED = "unsaved"  # query parameter: the name of a view that could not be saved


@require_safe
def machine_list(request: HttpRequest) -> HttpResponse:
    fleet_query, problems = read_query(request.GET.dict())
    rows, away = rows_of(request.user, units_of(request))
    counts = Counter(row["level"] for row in rows)
    sites = list(Site.objects.for_user(request.user).select_related("organisation"))
    rows = arranged(rows, fleet_query)
    context = {
        "rows": rows,
        "shown": sum(not row["hidden"] for row in rows),
        "telemetry_away": away,
        "fleet_query": fleet_query,
        "query": fleet_query.encoded(),
        "problems": problems,
        "counts": [(level, counts[level]) for level in LEVELS],
        "sorts": SORTS,
        "layouts": LAYOUTS,
        "kinds": _choices(rows, "kind"),
        "organisations": _choices(rows, "organisation"),
        "sites": sites,
        "plans": _plans(sites, rows),
        "views": SavedView.objects.for_user(request.user),
        "unsaved_view": request.GET.get(UNSAVED, ""),
        "may_plan": bool(managed_by(request.user)),
        "may_connect": Organisation.objects.for_user(request.user, Permission.CONNECT).exists(),
        "belongs": Membership.objects.for_user(request.user).filter(user_id=signed_in(request).pk).exists(),
    }
    return render(request, "fleet/machine_list.html", context)


def _choices(rows: list[dict[str, Any]], name: str) -> list[tuple[str, str]]:
    """Return the choices of a filter: values and display names."""
    return sorted({(row["filter"][name], row[name]) for row in rows}, key=lambda choice: choice[1].casefold())


def _plans(sites: list[Site], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one plan per organisation that has sites."""
    by_organisation: dict[Any, list[Site]] = {}
    for site in sites:
        by_organisation.setdefault(site.organisation, []).append(site)
    return [{"organisation": owner, **plan(own, rows)} for owner, own in by_organisation.items()]


@require_POST
def save_view(request: HttpRequest) -> HttpResponse:
    """Save the filters and order of the page under a name; if that fails, the form shows the name again."""
    fleet_query, problems = read_query(QueryDict(request.POST.get("query", "")).dict())
    name, query = request.POST.get("name", "").strip(), fleet_query.encoded()
    try:
        if problems:
            raise ValidationError(problems)
        keep_view(signed_in(request), name, query)
        messages.success(request, _("View “%(name)s” saved.") % {"name": name})
    except ValidationError as error:
        messages.error(request, _("View not saved. %(why)s") % {"why": " ".join(error.messages)})
        query = "&".join(filter(None, (query, urlencode({UNSAVED: name}))))
    return redirect(f"{reverse('fleet:list')}?{query}")


@require_POST
def delete_view(request: HttpRequest, view_id: int) -> HttpResponse:
    view = get_object_or_404(SavedView.objects.for_user(request.user), pk=view_id)
    view.delete()
    messages.success(request, _("View “%(name)s” deleted.") % {"name": view.name})
    return redirect("fleet:list")
