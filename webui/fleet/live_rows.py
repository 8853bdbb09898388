"""What changes in a row of the fleet page, the same for the page itself and for its socket."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from twin.fleet.models import Machine
from twin.usage.meter import channel_indexes, number_at
from webui.fleet.last_frames import Seen
from webui.fleet.severity import health_text, judge


class Watched(NamedTuple):
    """A machine on somebody's fleet page: all that is needed to tell how it is, without a query."""

    id: str
    labels: Mapping[str, str]
    power: int | None  # place of the shown power in its frames


def watched(machine: Machine) -> Watched:
    channels = machine.channels()
    labels = {channel.name: channel.label for channel in channels}
    return Watched(str(machine.pk), labels, channel_indexes(channels).power)


def live_row(machine: Watched, seen: Seen) -> dict[str, Any]:
    """SI units; `power` is None where it is not known now."""
    frame = seen.frame
    severity = judge(seen, machine.labels)
    running = seen.status in ("synced", "coasting")
    return {
        "id": machine.id,
        "level": severity.level,
        "cause": severity.cause,
        "text": severity.text,
        "status": seen.status,
        "received_us": frame.received if frame is not None else 0,
        "power": number_at(frame, machine.power) if frame is not None and running else None,
        "health": health_text(frame),
    }
