"""Names of the MQTT topics.

hydratwin/{machine}/telemetry            what the machine's first device sends
hydratwin/{machine}/ack                  what of it is durable, and what was refused
hydratwin/{machine}/telemetry/{device}   the same for any device, by its id
hydratwin/{machine}/ack/{device}
"""

from typing import Literal, NamedTuple
from uuid import UUID

ROOT = "hydratwin"
Kind = Literal["telemetry", "ack"]


class Place(NamedTuple):
    """Whose topic it is; without a device the machine's first one's."""

    machine: UUID
    device: UUID | None


def topic(kind: Kind, place: Place) -> str:
    return "/".join([ROOT, str(place.machine), kind, *([str(place.device)] if place.device else [])])


def patterns(kind: Kind) -> tuple[str, str]:
    """All topics of a kind."""
    return f"{ROOT}/+/{kind}", f"{ROOT}/+/{kind}/+"


def place_of(text: str) -> Place | None:
    """Whose telemetry topic this is; None for any other topic. Only the usual spelling of an id counts."""
    parts = text.split("/")
    if len(parts) not in (3, 4) or parts[0] != ROOT or parts[2] != "telemetry":
        return None
    try:
        place = Place(UUID(parts[1]), UUID(parts[3]) if len(parts) == 4 else None)
    except ValueError:
        return None
    return place if topic("telemetry", place) == text else None
