"""Pages for starting an organisation and for connecting machines."""

from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from twin.audit.log import Author
from twin.fleet.models import Machine, Organisation
from twin.fleet.permissions import Permission
from twin.showroom.services import Connected, connect_machine, found_organisation
from webui.accounts.author import address_of, author_of
from webui.onboarding.curl import curl_line
from webui.onboarding.forms import MachineForm, OrganisationForm, SignUpForm

BACKEND = "django.contrib.auth.backends.ModelBackend"


@login_not_required
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def organisation(request: HttpRequest) -> HttpResponse:
    """Start an organisation: the person is signed in or, if the settings allow it, creates a new account."""
    known = request.user.is_authenticated
    if not known and not settings.SIGN_UP:
        return render(request, "onboarding/closed.html", status=403)
    form = (OrganisationForm if known else SignUpForm)(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            founder, exhibit, connected = _found(request, form.cleaned_data)
        except ValidationError as error:  # the name was taken after the form was checked
            form.add_error(None, error.messages)
        else:
            if not known:
                login(request, founder, backend=BACKEND)
            return _started(request, connected, exhibit)
    return render(request, "onboarding/organisation.html", {"form": form}, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def machine(request: HttpRequest) -> HttpResponse:
    """Connect another machine, for people with that permission."""
    managed = list(Organisation.objects.for_user(request.user, Permission.CONNECT))
    if not managed:
        raise PermissionDenied
    owner = _owner(request, managed)
    form = MachineForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            given = form.cleaned_data
            connected = connect_machine(owner, given["machine"], given["model"], author_of(request))
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            return _started(request, connected, None)
    context = {"form": form, "owner": owner, "managed": managed}
    return render(request, "onboarding/machine.html", context, status=422 if form.errors else 200)


@transaction.atomic
def _found(request: HttpRequest, given: dict[str, Any]) -> tuple[User, Machine, Connected]:
    founder: Any = request.user
    if not founder.is_authenticated:
        founder = User.objects.create_user(given["username"], password=given["password"])
    organisation, exhibit = found_organisation(given["organisation"], founder)
    author = Author(founder, address_of(request))
    return founder, exhibit, connect_machine(organisation, given["machine"], given["model"], author)


def _started(request: HttpRequest, connected: Connected, exhibit: Machine | None) -> HttpResponse:
    """Return the response to the form; it is the only page that shows the token."""
    context = {
        "machine": connected.machine,
        "exhibit": exhibit,
        "token": connected.token,
        "curl": curl_line(connected, request.build_absolute_uri("/api/v1/telemetry")),
    }
    return render(request, "onboarding/started.html", context, status=201)


def _owner(request: HttpRequest, managed: list[Organisation]) -> Organisation:
    wanted = request.GET.get("organisation", "")
    return next((each for each in managed if str(each.pk) == wanted), managed[0])
