"""Checks the machines of organisations that have webhooks, and enqueues a delivery for each change.

A state that begins and ends between two checks is not reported. No change is lost in a crash, because one
transaction enqueues the delivery and updates the last reported state.
"""

import time
from collections.abc import Iterable

import redis
from django.db import transaction
from django.db.models import Q

from twin import keys
from twin.fleet.models import Grant, Machine
from twin.ingest.shared_token import shared_token_of
from twin.runtime import frames
from twin.webhooks.events import CurrentState, changes, remember
from twin.webhooks.models import Told, Webhook
from twin.webhooks.services import enqueue


def notice(client: redis.Redis) -> int:
    """Check all machines; return the number of enqueued deliveries."""
    hooks = list(Webhook.objects.for_runtime().filter(active=True))
    if not hooks:
        return 0
    organisations = {hook.organisation_id for hook in hooks}
    shared = Grant.objects.for_runtime().filter(organisation__in=organisations).values("machine")
    wanted = Machine.objects.for_runtime().filter(Q(organisation__in=organisations) | Q(pk__in=shared))
    return sum(
        _report(machine, _current(client, machine), hooks)
        for machine in wanted.select_related("organisation")
    )


def _current(client: redis.Redis, machine: Machine) -> CurrentState | None:
    """Return the machine's current state; None if the twin has no readable frame."""
    data = client.get(keys.frame(machine.pk))
    try:
        frame = frames.decode(data) if isinstance(data, bytes) else None
    except ValueError:
        frame = None
    if frame is None:
        return None
    status = frames.status_at(frame, time.time_ns() // 1000)
    shared = shared_token_of(client, machine.pk)
    return CurrentState(status, frame.reason, frame.cause, tuple(frame.findings), shared)


@transaction.atomic
def _report(machine: Machine, now: CurrentState | None, hooks: Iterable[Webhook]) -> int:
    if now is None:
        return 0
    told = Told.objects.for_runtime().select_for_update().filter(pk=machine.pk).first()
    if told is None:  # the first check: nothing to compare with
        told = Told(machine=machine)
        remember(told, now)
        told.save()
        return 0
    count = 0
    for event in changes(machine, told, now):
        for hook in hooks:
            if event.type in hook.events and _sees(hook, machine):
                enqueue(hook, event.type, event.data)
                count += 1
    before = (told.status, told.findings, told.rivals)
    remember(told, now)
    if before != (told.status, told.findings, told.rivals):
        told.save()
    return count


def _sees(hook: Webhook, machine: Machine) -> bool:
    if hook.organisation_id == machine.organisation_id:
        return True
    return Grant.objects.for_runtime().filter(machine=machine, organisation=hook.organisation_id).exists()
