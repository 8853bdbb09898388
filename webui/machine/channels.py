"""Makes the channel table for the browser and for programs."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from twin.fleet.models import Machine
from webui.words import named

# groups of virtual sensors on the page, with their quantities; pressures are shown with the measured ones
_GROUPS = {
    _("Motion"): ("angle", "rate", "length"),
    _("Force and power"): ("force", "power"),
    _("Flow"): ("flow",),
    _("Engine"): ("revolutions", "torque", "fuel"),
}


def describe_channels(machine: Machine) -> list[dict[str, Any]]:
    """Return the channels in the order of a frame's arrays, in SI units."""
    return [
        {
            "name": channel.name,
            "label": channel.label,
            "unit": channel.unit,
            "quantity": channel.quantity,
            "role": channel.role,
        }
        for channel in machine.channels()
    ]


def shown_channels(machine: Machine) -> list[dict[str, Any]]:
    """Return the channels with labels in the language of the page."""
    return [channel | {"label": named(channel["label"])} for channel in describe_channels(machine)]


def virtual_sensors(machine: Machine) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the channels without a sensor, by group; empty groups are left out."""
    estimated = [channel for channel in shown_channels(machine) if channel["role"] == "estimate"]
    groups = [(title, [c for c in estimated if c["quantity"] in among]) for title, among in _GROUPS.items()]
    return [(str(title), found) for title, found in groups if found]
