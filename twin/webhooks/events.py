"""Makes webhook events from the differences between a machine's current state and the last reported one."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from simcore.estimate.monitor.finding import Finding
from simcore.messages import Message
from twin.fleet.models import Machine
from twin.ingest.shared_token import SharedToken
from twin.webhooks.models import EventType, Told


class CurrentState(NamedTuple):
    """The state of a machine as its twin shows it."""

    status: str
    reason: str
    cause: Message | None  # the reason as data
    findings: tuple[Finding, ...]
    shared_token: SharedToken | None


class Event(NamedTuple):
    type: EventType
    data: dict[str, Any]


def changes(machine: Machine, told: Told, now: CurrentState) -> Iterator[Event]:
    """Yield events for the changes since the last report.

    The end of a problem is reported only as a change of status.
    """
    about = {
        "machine": {"id": str(machine.pk), "name": machine.name},
        "organisation": machine.organisation.name,
    }
    if told.status != now.status:
        cause = now.cause or Message("")
        status = {
            "before": told.status,
            "status": now.status,
            "reason": now.reason,
            "code": cause.code,
            "values": cause.values,
        }
        yield Event(EventType.STATUS, about | status)
    known = {tuple(pair) for pair in told.findings}
    for finding in now.findings:
        if finding.channel and (finding.channel, finding.kind) not in known:
            yield Event(EventType.SENSOR, about | {"sensor": msgspec.to_builtins(finding)})
    shared = now.shared_token
    if shared is not None and not told.rivals:
        boots = {"device": shared.device, "boots": [shared.earlier, shared.later]}
        yield Event(EventType.TOKEN_SHARED, about | boots)


def remember(told: Told, now: CurrentState) -> None:
    told.status = now.status
    told.findings = [[finding.channel, finding.kind] for finding in now.findings]
    told.rivals = now.shared_token is not None


def envelope(event: EventType, at: datetime, data: dict[str, Any]) -> str:
    """Return the body of a delivery: type, time and data, as Standard Webhooks recommends."""
    return msgspec.json.encode({"type": event.value, "timestamp": at.isoformat(), "data": data}).decode()
