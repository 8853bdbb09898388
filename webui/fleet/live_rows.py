"""Makes the live part of a row on a fleet page, for both the page and its socket."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from twin.fleet.models import Machine
from twin.usage.meter import channel_indexes, number_at
from webui.fleet.last_frames import Seen
from webui.fleet.severity import health_text, judge
from webui.units import System


class ShownMachine(NamedTuple):
    """A machine on a fleet page, with everything that its live row needs without a database query."""

    id: str
    labels: Mapping[str, str]
    power: int | None  # index of the shown power in its frames


def shown_machine(machine: Machine) -> ShownMachine:
    channels = machine.channels()
    labels = {channel.name: channel.label for channel in channels}
    return ShownMachine(str(machine.pk), labels, channel_indexes(channels).power)


def live_row(machine: ShownMachine, seen: Seen, units: System) -> dict[str, Any]:
    """Return the row: numbers in SI units, texts in the reader's units; `power` is None if it is unknown."""
    frame = seen.frame
    severity = judge(seen)
    running = seen.status in ("synced", "coasting")
    return {
        "id": machine.id,
        "level": severity.level,
        "cause": severity.cause,
        "code": severity.message.code,
        "text": severity.text(units, machine.labels),
        "more": severity.more_text(units, machine.labels),
        "since_us": severity.since_us,
        "status": seen.status,
        "received_us": frame.received if frame is not None else 0,
        "power": number_at(frame, machine.power) if frame is not None and running else None,
        "health": health_text(frame, units),
    }
