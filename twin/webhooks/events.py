"""What is told: the difference between what was last told of a machine and how it is now."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from simcore.estimate.monitor.finding import Finding
from simcore.messages import Message
from twin.fleet.models import Machine
from twin.ingest.shared_token import Rivals
from twin.webhooks.models import EventType, Told


class Now(NamedTuple):
    """A machine as its twin shows it."""

    status: str
    reason: str
    cause: Message | None  # the reason as data
    findings: tuple[Finding, ...]
    rivals: Rivals | None


class Event(NamedTuple):
    type: EventType
    data: dict[str, Any]


def changes(machine: Machine, told: Told, now: Now) -> Iterator[Event]:
    """What has come since; that something has passed is told by the status alone."""
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
    if now.rivals is not None and not told.rivals:
        rivals = {"device": now.rivals.device, "boots": [now.rivals.earlier, now.rivals.later]}
        yield Event(EventType.RIVALS, about | rivals)


def remember(told: Told, now: Now) -> None:
    told.status = now.status
    told.findings = [[finding.channel, finding.kind] for finding in now.findings]
    told.rivals = now.rivals is not None


def envelope(event: EventType, at: datetime, data: dict[str, Any]) -> str:
    """The body of a message: type, time and data, as Standard Webhooks recommends."""
    return msgspec.json.encode({"type": event.value, "timestamp": at.isoformat(), "data": data}).decode()
