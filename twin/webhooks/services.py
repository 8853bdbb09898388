"""Adds, changes and removes webhooks; each action is recorded in the audit log."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from twin.audit.log import Author, record
from twin.audit.models import Action
from twin.fleet.models import Organisation
from twin.fleet.services import Refused
from twin.sealed import seal
from twin.webhooks import signing, target
from twin.webhooks.events import envelope
from twin.webhooks.models import Delivery, EventType, Webhook

CHOICES = [event for event in EventType if event is not EventType.PING]
MOST = 20  # of one organisation


@transaction.atomic
def add(author: Author, organisation: Organisation, url: str, events: Sequence[str]) -> tuple[Webhook, str]:
    """Add a webhook; return its row and the text of its secret, which is shown only once."""
    Organisation.objects.for_runtime().select_for_update().get(pk=organisation.pk)
    if Webhook.objects.for_runtime().filter(organisation=organisation).count() >= MOST:
        raise Refused(
            _("An organisation can have at most %(most)d webhooks. Remove one first.") % {"most": MOST}
        )
    secret = signing.new_secret()
    webhook = Webhook(organisation=organisation, sealed_secret=seal(secret))
    _set(webhook, url, events, active=True)
    record(author, organisation, Action.WEBHOOK_ADDED, url, ", ".join(webhook.events))
    return webhook, secret


@transaction.atomic
def change(author: Author, webhook: Webhook, url: str, events: Sequence[str], active: bool) -> None:
    _set(webhook, url, events, active)
    detail = ", ".join(webhook.events) if active else "paused"
    record(author, webhook.organisation, Action.WEBHOOK_CHANGED, url, detail)


@transaction.atomic
def replace_secret(author: Author, webhook: Webhook) -> str:
    secret = signing.new_secret()
    webhook.sealed_secret = seal(secret)
    webhook.save(update_fields=["sealed_secret"])
    record(author, webhook.organisation, Action.WEBHOOK_CHANGED, webhook, "new secret")
    return secret


@transaction.atomic
def remove(author: Author, webhook: Webhook) -> None:
    record(author, webhook.organisation, Action.WEBHOOK_REMOVED, webhook)
    webhook.delete()


def send_test(webhook: Webhook) -> Delivery:
    return enqueue(webhook, EventType.PING, {"organisation": webhook.organisation.name})


def enqueue(webhook: Webhook, event: EventType, data: dict[str, Any]) -> Delivery:
    now = timezone.now()
    body = envelope(event, now, data)
    return Delivery.objects.create(webhook=webhook, event=event, body=body, next_try=now)


def send_again(delivery: Delivery) -> None:
    """Enqueue a delivery again, with the full number of attempts."""
    delivery.attempts, delivery.delivered_at, delivery.next_try = 0, None, timezone.now()
    delivery.save(update_fields=["attempts", "delivered_at", "next_try"])


def _set(webhook: Webhook, url: str, events: Sequence[str], active: bool) -> None:
    try:
        target.check(url)
    except target.BadTarget as error:
        raise ValidationError({"url": str(error)}) from None
    chosen = [event.value for event in CHOICES if event in events]
    if not chosen:
        raise ValidationError({"events": _("Choose at least one type of event.")})
    webhook.url, webhook.events, webhook.active = url, chosen, active
    webhook.full_clean()
    webhook.save()
