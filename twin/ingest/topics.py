"""Defines the names of the MQTT topics.

hydratwin/{machine}/telemetry            telemetry of the machine's first device
hydratwin/{machine}/ack                  replies to this device: which samples are durable or refused
hydratwin/{machine}/telemetry/{device}   telemetry of any device, by the device's id
hydratwin/{machine}/ack/{device}         replies to this device
"""

from typing import Literal, NamedTuple
from uuid import UUID

ROOT = "hydratwin"
Kind = Literal["telemetry", "ack"]


class TopicOwner(NamedTuple):
    """The device to which a topic belongs; without a device id, it is the machine's first device."""

    machine: UUID
    device: UUID | None


def topic(kind: Kind, owner: TopicOwner) -> str:
    return "/".join([ROOT, str(owner.machine), kind, *([str(owner.device)] if owner.device else [])])


def patterns(kind: Kind) -> tuple[str, str]:
    """Return the subscriptions that match all topics of a kind."""
    return f"{ROOT}/+/{kind}", f"{ROOT}/+/{kind}/+"


def owner_of(text: str) -> TopicOwner | None:
    """Return the owner of a telemetry topic; None for any other topic, or if an id is spelled unusually."""
    parts = text.split("/")
    if len(parts) not in (3, 4) or parts[0] != ROOT or parts[2] != "telemetry":
        return None
    try:
        owner = TopicOwner(UUID(parts[1]), UUID(parts[3]) if len(parts) == 4 else None)
    except ValueError:
        return None
    return owner if topic("telemetry", owner) == text else None
