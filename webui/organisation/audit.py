"""The page with the audit log of an organisation, newest first."""

from datetime import datetime, time, timedelta

from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from twin.audit.models import Entry
from twin.fleet.models import Organisation
from twin.fleet.permissions import Permission
from webui.organisation.access import organisation_page
from webui.organisation.forms import AuditFilterForm

PAGE = 50


@require_safe
@organisation_page(Permission.AUDIT)
def audit(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    form = AuditFilterForm(request.GET or None)
    entries: QuerySet[Entry] = Entry.objects.for_user(request.user).filter(organisation=organisation)
    if form.is_valid():
        entries = _filtered(entries, form)
    page = Paginator(entries, PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    context = {"organisation": organisation, "page": page, "form": form, "query": query.urlencode()}
    return render(request, "organisation/audit.html", context, status=422 if form.errors else 200)


def _filtered(entries: QuerySet[Entry], form: AuditFilterForm) -> QuerySet[Entry]:
    asked = form.cleaned_data
    if asked["who"]:
        entries = entries.filter(Q(actor_name__icontains=asked["who"]) | Q(target__icontains=asked["who"]))
    if asked["action"]:
        entries = entries.filter(action=asked["action"])
    if asked["since"]:
        entries = entries.filter(at__gte=_midnight(asked["since"]))
    if asked["until"]:
        entries = entries.filter(at__lt=_midnight(asked["until"]) + timedelta(days=1))
    return entries


def _midnight(day: datetime) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
