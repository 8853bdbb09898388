"""Pages for signing out, for the account and its e-mail address, and for people whose account is locked."""

import math

from allauth.account.decorators import reauthentication_required
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from twin.audit.log import record_account
from twin.audit.models import Action
from twin.fleet.models import Membership
from twin.fleet.permissions import ROLE_NOTES, Role
from webui.accounts.author import author_of
from webui.accounts.forms import EmailForm
from webui.accounts.signed_in import signed_in


@method_decorator(login_not_required, name="dispatch")  # also between password and second factor
class LogoutView(views.LogoutView):
    """Signs a person out, on POST only, so that a link on another site cannot do it."""


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    rows = Membership.objects.for_user(request.user).filter(user=request.user.pk)
    memberships = [(row, ROLE_NOTES[Role(row.role)]) for row in rows.select_related("organisation")]
    return render(request, "accounts/overview.html", {"memberships": memberships})


@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required  # type: ignore[untyped-decorator]  # allauth has no types
def email(request: HttpRequest) -> HttpResponse:
    """Change the e-mail address for password resets; the person must enter the password again first."""
    user = User.objects.get(pk=signed_in(request).pk)
    form = EmailForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            form.save()
            EmailAddress.objects.filter(user=user).delete()
            if user.email:
                EmailAddress.objects.create(user=user, email=user.email, primary=True)
            record_account(author_of(request), user, Action.EMAIL_CHANGED)
        messages.success(request, _("E-mail address saved."))
        return redirect("accounts:overview")
    return render(request, "accounts/email.html", {"form": form}, status=422 if form.errors else 200)


@login_not_required
@require_safe
def signup(request: HttpRequest) -> HttpResponse:
    """Explain that accounts are created only from invitations."""
    return render(request, "accounts/by_invitation.html")


@login_not_required
def admin_login(request: HttpRequest) -> HttpResponse:
    """Send people from the admin to our sign-in page; a person without staff rights gets a 403."""
    if request.user.is_authenticated and not request.user.is_staff:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next", "/admin/"))


def locked(request: HttpRequest, response: object = None, credentials: object = None) -> HttpResponse:
    """Show the page that django-axes requests while an account is locked for this address."""
    wait = settings.AXES_COOLOFF_TIME
    context = {"minutes": math.ceil(wait.total_seconds() / 60)}
    answer = render(request, "accounts/locked.html", context, status=429)
    answer["Retry-After"] = str(int(wait.total_seconds()))
    return answer
