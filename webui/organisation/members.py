"""The page with the members and invitations of an organisation, and the permissions of each role."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from twin.accounts import members as services
from twin.accounts.models import Invitation
from twin.fleet.models import Membership, Organisation
from twin.fleet.permissions import ROLE_NOTES, Permission, Role, table_rows
from twin.fleet.services import Refused
from webui.accounts.author import author_of
from webui.organisation.access import organisation_page
from webui.organisation.forms import InviteForm, RoleForm


@require_http_methods(["GET", "HEAD", "POST"])
@organisation_page(Permission.MEMBERS)
def members(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    """Show the list; a POST invites a person and shows the link, once."""
    form = InviteForm(request.POST or None)
    link = ""
    if request.method == "POST" and form.is_valid():
        role = Role(form.cleaned_data["role"])
        new = services.invite(author_of(request), organisation, role, form.cleaned_data["note"])
        link = request.build_absolute_uri(reverse("accounts:invitation", args=[new.token]))
        form = InviteForm()
    rows = Membership.objects.for_user(request.user, Permission.MEMBERS).filter(organisation=organisation)
    invitations = Invitation.objects.for_user(request.user).filter(organisation=organisation)
    context = {
        "organisation": organisation,
        "members": rows.select_related("user").order_by("user__username"),
        "invitations": [row for row in invitations if row.is_open()],
        "roles": Role.choices,
        "form": form,
        "link": link,
    }
    return render(request, "organisation/members.html", context, status=422 if form.errors else 200)


@require_POST
@organisation_page(Permission.MEMBERS)
def change_role(request: HttpRequest, organisation: Organisation, membership_id: int) -> HttpResponse:
    membership = _membership(request, organisation, membership_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Role not changed: this role does not exist."))
        return _back(organisation)
    try:
        services.change_role(author_of(request), membership, Role(form.cleaned_data["role"]))
    except Refused as error:
        messages.error(request, str(error))
    else:
        words = _("%(name)s now has the role: %(role)s.")
        messages.success(request, words % {"name": membership.user, "role": membership.get_role_display()})
    return _back(organisation)


@require_POST
@organisation_page(Permission.MEMBERS)
def remove_member(request: HttpRequest, organisation: Organisation, membership_id: int) -> HttpResponse:
    membership = _membership(request, organisation, membership_id)
    try:
        services.remove(author_of(request), membership)
    except Refused as error:
        messages.error(request, str(error))
    else:
        words = _(
            "%(name)s is no longer a member. Pages that this person has open stop working within seconds."
        )
        messages.success(request, words % {"name": membership.user})
    if membership.user_id == request.user.pk:
        return redirect("home")
    return _back(organisation)


@require_POST
@organisation_page(Permission.MEMBERS)
def withdraw_invitation(
    request: HttpRequest, organisation: Organisation, invitation_id: UUID
) -> HttpResponse:
    rows = Invitation.objects.for_user(request.user).filter(organisation=organisation)
    services.withdraw(author_of(request), get_object_or_404(rows, pk=invitation_id))
    messages.success(request, _("Invitation withdrawn. Its link no longer works."))
    return _back(organisation)


@require_safe
@organisation_page(Permission.MEMBERS)
def roles(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    notes = [(role.label, ROLE_NOTES[role]) for role in Role]
    context = {"organisation": organisation, "roles": notes, "rows": list(table_rows())}
    return render(request, "organisation/roles.html", context)


def _membership(request: HttpRequest, organisation: Organisation, pk: int) -> Membership:
    rows = Membership.objects.for_user(request.user, Permission.MEMBERS).filter(organisation=organisation)
    return get_object_or_404(rows.select_related("user", "organisation"), pk=pk)


def _back(organisation: Organisation) -> HttpResponse:
    return redirect("organisation:members", organisation_id=organisation.pk)
