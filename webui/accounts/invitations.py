"""Lets a person accept an invitation, with an existing account or a new one."""

from allauth.account.models import EmailAddress
from allauth.account.utils import perform_login
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from twin.accounts import members
from twin.accounts.models import Invitation
from twin.audit.log import Author
from twin.fleet.services import Refused
from webui.accounts.author import address_of
from webui.accounts.forms import NewAccountForm
from webui.accounts.signed_in import signed_in

GONE = 410


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    found = members.find_invitation(token)
    if found is None or not found.is_open():
        return render(request, "accounts/invitation_gone.html", status=GONE)
    if request.user.is_authenticated:
        return _join(request, token, found)
    return _make_account(request, token, found)


def _join(request: HttpRequest, token: str, found: Invitation) -> HttpResponse:
    error = ""
    if request.method == "POST":
        try:
            return _welcome(request, token, User.objects.get(pk=signed_in(request).pk))
        except Refused as refusal:
            error = str(refusal)
    context = {"invitation": found, "error": error}
    return render(request, "accounts/join.html", context, status=422 if error else 200)


def _make_account(request: HttpRequest, token: str, found: Invitation) -> HttpResponse:
    """Create the account and the membership in one transaction."""
    form = NewAccountForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                user = form.save()
                if user.email:
                    EmailAddress.objects.create(user=user, email=user.email, primary=True)
                answer = _welcome(request, token, user)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            perform_login(request, user)
            return answer
    context = {"form": form, "invitation": found}
    return render(request, "accounts/new_account.html", context, status=422 if form.errors else 200)


def _welcome(request: HttpRequest, token: str, user: User) -> HttpResponse:
    membership = members.accept(Author(user, address_of(request)), token, user)
    words = _("Welcome to %(name)s. Your role: %(role)s.")
    messages.success(
        request, words % {"name": membership.organisation, "role": membership.get_role_display()}
    )
    return redirect("home")
