"""Lets people who manage an organisation's fleet edit its sites."""

from typing import Any, cast
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from twin.fleet.models import Machine, Organisation
from twin.fleet.permissions import Permission
from twin.sites.models import Site
from twin.sites.services import managed_by, save_site
from webui.words import with_separator


class SiteForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """A form for the name, kind and position of a site, and its machines."""

    machines = forms.MultipleChoiceField(
        label=gettext_lazy("Machines at this site"), required=False, widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = Site
        fields = ("name", "kind", "east_m", "north_m")
        labels = {  # noqa: RUF012
            "east_m": gettext_lazy("Distance east of the reference point, m"),
            "north_m": gettext_lazy("Distance north of the reference point, m"),
        }

    def __init__(self, organisation: Organisation, machines: list[Machine], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.instance.organisation = organisation
        offered = cast(forms.MultipleChoiceField, self.fields["machines"])
        offered.choices = [(str(machine.pk), machine.name) for machine in machines]
        here = [str(m.pk) for m in machines if _site_of(m) == self.instance.pk]
        self.initial.setdefault("machines", here)


def _where(site: Site) -> str:
    """Describe the site's position on the plan in words."""
    east = _("%(metres)s m east") if site.east_m >= 0 else _("%(metres)s m west")
    north = _("%(metres)s m north") if site.north_m >= 0 else _("%(metres)s m south")
    far_east, far_north = (with_separator(f"{abs(metres):g}") for metres in (site.east_m, site.north_m))
    return f"{east % {'metres': far_east}}, {north % {'metres': far_north}}"


def _site_of(machine: Machine) -> UUID | None:
    placement = getattr(machine, "placement", None)
    return placement.site_id if placement else None


@require_http_methods(["GET", "POST"])
def edit_sites(request: HttpRequest, site_id: UUID | None = None) -> HttpResponse:
    """Show all sites of the organisations that the person manages, and a form for a new or existing site."""
    chosen = _manageable(request, site_id) if site_id else None
    managed = managed_by(request.user)
    if not managed:
        raise PermissionDenied
    organisation = chosen.organisation if chosen else _organisation(request, managed)
    machines = Machine.objects.for_user(request.user).filter(organisation=organisation)
    form = SiteForm(
        organisation,
        list(machines.select_related("placement")),
        data=request.POST or None,
        instance=chosen or Site(),
    )
    if request.method == "POST" and form.is_valid():
        try:
            site = save_site(form.instance, [UUID(key) for key in form.cleaned_data["machines"]])
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, _("Site “%(name)s” saved.") % {"name": site.name})
            return redirect("fleet:sites")
    sites = list(Site.objects.for_user(request.user, Permission.SITES).select_related("organisation"))
    for site in sites:
        site.where = _where(site)  # type: ignore[attr-defined]  # for the template
    context = {
        "form": form,
        "chosen": chosen,
        "organisation": organisation,
        "managed": managed,
        "sites": sites,
    }
    return render(request, "fleet/sites.html", context, status=422 if form.errors else 200)


@require_POST
def delete_site(request: HttpRequest, site_id: UUID) -> HttpResponse:
    """Delete a site; its machines stay, without a site."""
    site = _manageable(request, site_id)
    site.delete()
    messages.success(request, _("Site “%(name)s” deleted.") % {"name": site.name})
    return redirect("fleet:sites")


def _manageable(request: HttpRequest, site_id: UUID) -> Site:
    """Return the site; 404 if the person may not see it, 403 if they may not change it."""
    seen: Site = get_object_or_404(Site.objects.for_user(request.user), pk=site_id)
    if not Site.objects.for_user(request.user, Permission.SITES).filter(pk=site_id).exists():
        raise PermissionDenied
    return seen


def _organisation(request: HttpRequest, managed: list[Organisation]) -> Organisation:
    """Return the organisation of a new site: the one in the address, or else the first one."""
    wanted = request.GET.get("organisation", "")
    return next((each for each in managed if str(each.pk) == wanted), managed[0])
