"""The page for sharing machines with other organisations."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from twin.fleet import services
from twin.fleet.models import Grant, Organisation
from twin.fleet.permissions import Permission
from webui.accounts.author import author_of
from webui.organisation.access import organisation_page
from webui.organisation.forms import ShareForm


@require_http_methods(["GET", "HEAD", "POST"])
@organisation_page(Permission.SHARE)
def sharing(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    form = ShareForm(organisation, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            machine, code = form.cleaned_data["machine"], form.cleaned_data["code"]
            grant = services.share(author_of(request), machine, code)
        except services.Refused as error:
            form.add_error("code", str(error))
        except ValidationError as error:
            form.add_error("code", error.messages)
        else:
            words = _("%(name)s can now see %(machine)s.")
            messages.success(request, words % {"name": grant.organisation, "machine": grant.machine})
            return redirect("organisation:sharing", organisation_id=organisation.pk)
    grants = Grant.objects.for_user(request.user).filter(machine__organisation=organisation)
    context = {
        "organisation": organisation,
        "grants": grants.select_related("machine", "organisation"),
        "form": form,
    }
    return render(request, "organisation/sharing.html", context, status=422 if form.errors else 200)


@require_POST
@organisation_page(Permission.SHARE)
def stop_sharing(request: HttpRequest, organisation: Organisation, grant_id: int) -> HttpResponse:
    grants = Grant.objects.for_user(request.user).filter(machine__organisation=organisation)
    grant = get_object_or_404(grants.select_related("machine__organisation", "organisation"), pk=grant_id)
    services.stop_sharing(author_of(request), grant)
    words = _("%(name)s can no longer see %(machine)s.")
    messages.success(request, words % {"name": grant.organisation, "machine": grant.machine})
    return redirect("organisation:sharing", organisation_id=organisation.pk)
