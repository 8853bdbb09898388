"""The pages with the webhooks of an organisation and their deliveries."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from twin.fleet.models import Organisation
from twin.fleet.permissions import Permission
from twin.fleet.services import Refused
from twin.webhooks import services
from twin.webhooks.models import Delivery, Webhook
from webui.accounts.author import author_of
from webui.organisation.access import organisation_page
from webui.organisation.forms import WebhookChangeForm, WebhookForm

PAGE = 25


@require_http_methods(["GET", "HEAD", "POST"])
@organisation_page(Permission.WEBHOOKS)
def webhooks(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    """Show the list; a POST adds a webhook and shows its secret, once."""
    form = WebhookForm(request.POST or None)
    secret = ""
    if request.method == "POST" and form.is_valid():
        try:
            url, events = form.cleaned_data["url"], form.cleaned_data["events"]
            _hook, secret = services.add(author_of(request), organisation, url, events)
            form = WebhookForm()
        except Refused as error:
            form.add_error(None, str(error))
        except ValidationError as error:
            form.add_error(None, error)
    hooks = Webhook.objects.for_user(request.user).filter(organisation=organisation)
    context = {"organisation": organisation, "webhooks": hooks, "form": form, "secret": secret}
    return render(request, "organisation/webhooks.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@organisation_page(Permission.WEBHOOKS)
def webhook(request: HttpRequest, organisation: Organisation, webhook_id: UUID) -> HttpResponse:
    """Show one webhook with its deliveries; a POST changes it."""
    found = _find(request, organisation, webhook_id)
    now = {"url": found.url, "events": found.events, "active": found.active}
    form = WebhookChangeForm(request.POST or None, initial=now)
    if request.method == "POST" and form.is_valid():
        try:
            services.change(author_of(request), found, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, _("Webhook saved."))
            return _to(found)
    return _page(request, found, form)


@require_POST
@organisation_page(Permission.WEBHOOKS)
def new_secret(request: HttpRequest, organisation: Organisation, webhook_id: UUID) -> HttpResponse:
    """Replace the secret and show the new one, once."""
    found = _find(request, organisation, webhook_id)
    secret = services.replace_secret(author_of(request), found)
    now = {"url": found.url, "events": found.events, "active": found.active}
    return _page(request, found, WebhookChangeForm(initial=now), secret)


@require_POST
@organisation_page(Permission.WEBHOOKS)
def test_webhook(request: HttpRequest, organisation: Organisation, webhook_id: UUID) -> HttpResponse:
    found = _find(request, organisation, webhook_id)
    services.send_test(found)
    messages.success(request, _("Test event sent. Reload the page to see the result."))
    return _to(found)


@require_POST
@organisation_page(Permission.WEBHOOKS)
def remove_webhook(request: HttpRequest, organisation: Organisation, webhook_id: UUID) -> HttpResponse:
    found = _find(request, organisation, webhook_id)
    services.remove(author_of(request), found)
    messages.success(request, _("Webhook removed."))
    return redirect("organisation:webhooks", organisation_id=organisation.pk)


@require_POST
@organisation_page(Permission.WEBHOOKS)
def send_again(request: HttpRequest, organisation: Organisation, delivery_id: UUID) -> HttpResponse:
    rows = Delivery.objects.for_user(request.user).filter(webhook__organisation=organisation)
    delivery = get_object_or_404(rows.select_related("webhook"), pk=delivery_id)
    services.send_again(delivery)
    messages.success(request, _("Event sent again."))
    return _to(delivery.webhook)


def _find(request: HttpRequest, organisation: Organisation, pk: UUID) -> Webhook:
    rows = Webhook.objects.for_user(request.user).filter(organisation=organisation)
    return get_object_or_404(rows.select_related("organisation"), pk=pk)


def _page(request: HttpRequest, found: Webhook, form: WebhookChangeForm, secret: str = "") -> HttpResponse:
    deliveries = Delivery.objects.for_user(request.user).filter(webhook=found)
    page = Paginator(deliveries, PAGE).get_page(request.GET.get("page"))
    context = {
        "organisation": found.organisation,
        "webhook": found,
        "form": form,
        "page": page,
        "secret": secret,
    }
    return render(request, "organisation/webhook.html", context, status=422 if form.errors else 200)


def _to(webhook: Webhook) -> HttpResponse:
    return redirect("organisation:webhook", organisation_id=webhook.organisation_id, webhook_id=webhook.pk)
