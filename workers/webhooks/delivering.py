"""Sends due deliveries, a few in parallel, each with a time limit; failed ones are tried again later.

Further attempts follow after 10 s, 40 s, 160 s and so on, at most six hours apart. After about a day without
success, the delivery has failed. If the process dies before it has stored the response, the delivery is sent
again; a receiver may therefore get an event twice.
"""

import asyncio
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import httpx
from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from twin.sealed import CannotUnseal, unseal
from twin.text import shortened
from twin.webhooks import signing
from twin.webhooks.models import Delivery
from twin.webhooks.target import BadTarget, locate

BATCH = 20
TIMEOUT_S = 5.0
CLAIM = timedelta(seconds=60)  # an attempt without a stored outcome is repeated after this
FIRST, LONGEST, GROWTH = timedelta(seconds=10), timedelta(hours=6), 4
MOST_ATTEMPTS = 10
KEPT = timedelta(days=30)


class Outcome(NamedTuple):
    """The HTTP status of the response, or why there is none."""

    status: int | None
    error: str = ""

    @property
    def taken(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def deliver_due() -> int:
    """Send the due deliveries; return how many the receivers accepted."""
    due = _claim(timezone.now())
    outcomes = asyncio.run(_send_all(due)) if due else []
    for delivery, outcome in zip(due, outcomes, strict=True):
        _settle(delivery, outcome)
    return sum(outcome.taken for outcome in outcomes)


def forget_old() -> None:
    finished = Delivery.objects.for_runtime().filter(next_try=None, created__lt=timezone.now() - KEPT)
    finished.delete()


@transaction.atomic
def _claim(now: datetime) -> list[Delivery]:
    """Claim due deliveries: postpone them by CLAIM, so that no other process sends them meanwhile."""
    rows = Delivery.objects.for_runtime().filter(next_try__lte=now, webhook__active=True)
    rows = rows.select_for_update(
        of=("self",), skip_locked=connection.features.has_select_for_update_skip_locked
    )
    due = list(rows.select_related("webhook").order_by("next_try")[:BATCH])
    for delivery in due:
        delivery.next_try = now + CLAIM
        delivery.attempts += 1
        delivery.save(update_fields=["next_try", "attempts"])
    return due


async def _send_all(due: Sequence[Delivery]) -> list[Outcome]:
    """Send all deliveries with one client, but each over its own connection.

    Loading the trusted certificates for a client is slow. A connection is verified for one host name, and an
    address may serve several.
    """
    limits = httpx.Limits(max_keepalive_connections=0)
    async with httpx.AsyncClient(
        timeout=TIMEOUT_S, limits=limits, follow_redirects=False, trust_env=False
    ) as client:
        return await asyncio.gather(*(_send(client, delivery) for delivery in due))


async def _send(client: httpx.AsyncClient, delivery: Delivery) -> Outcome:
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await _post(client, delivery)
    except (BadTarget, CannotUnseal) as error:
        return Outcome(None, str(error))
    except (TimeoutError, httpx.TimeoutException):
        return Outcome(None, _("No answer within %(seconds)g s.") % {"seconds": TIMEOUT_S})
    except (httpx.HTTPError, OSError) as error:
        return Outcome(None, f"{type(error).__name__}: {error}")


async def _post(client: httpx.AsyncClient, delivery: Delivery) -> Outcome:
    """Post to the checked address with the given host name. Redirects are not followed."""
    target = await asyncio.to_thread(locate, delivery.webhook.url)
    body = delivery.body.encode()
    secret = unseal(delivery.webhook.sealed_secret)
    headers = signing.headers(secret, str(delivery.pk), int(time.time()), body)
    headers |= {
        "content-type": "application/json",
        "user-agent": "Hydratwin",
        "host": _host(target.host, target.port),
    }
    address = f"[{target.address}]" if ":" in target.address else target.address
    url = f"{target.scheme}://{address}:{target.port}{target.path}"
    known_as = {"sni_hostname": target.host}  # the certificate must be for this name
    request = client.stream("POST", url, content=body, headers=headers, extensions=known_as)
    async with request as response:
        return Outcome(response.status_code, "" if response.is_success else response.reason_phrase)


def _host(host: str, port: int) -> str:
    name = f"[{host}]" if ":" in host else host
    return name if port in (80, 443) else f"{name}:{port}"


def _settle(delivery: Delivery, outcome: Outcome) -> None:
    now = timezone.now()
    delivery.status, delivery.error = outcome.status, shortened(outcome.error, 200)
    if outcome.taken:
        delivery.delivered_at, delivery.next_try = now, None
    elif delivery.attempts >= MOST_ATTEMPTS:
        delivery.next_try = None
    else:
        delivery.next_try = now + pause_after(delivery.attempts)
    fields = ["status", "error", "delivered_at", "next_try"]
    delivery.save(update_fields=fields)


def pause_after(attempts: int) -> timedelta:
    return min(FIRST * float(GROWTH ** (attempts - 1)), LONGEST)
