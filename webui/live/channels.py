"""The channel table as the browser and programs see it."""

from typing import Any

from twin.fleet.models import Machine


def describe_channels(machine: Machine) -> list[dict[str, Any]]:
    """In the order of a frame's arrays; units are SI."""
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
