"""The channels of a machine: what can be sent, shown or estimated, in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.elements import Machine, Reads, Role

# what is read -> (unit, quantity)
_UNITS: dict[Reads, tuple[str, str]] = {
    "angle": ("rad", "angle"),
    "rate": ("rad/s", "rate"),
    "pressure": ("Pa", "pressure"),
    "length": ("m", "length"),
    "force": ("N", "force"),
    "command": ("V", "voltage"),
    "spool": ("V", "voltage"),
}


@dataclass(frozen=True, slots=True)
class Channel:
    """One row of the channel table.

    role: sensor = a physical sensor sends it; input = a command that is sent; estimate = the twin's own,
    with an uncertainty; model = simulated, never corrected. noise_sigma: standard deviation of the sensor.
    """

    name: str
    label: str
    unit: str
    quantity: str
    role: Role
    noise_sigma: float | None


def channel_table(machine: Machine) -> tuple[Channel, ...]:
    """Every channel of the machine, in the order that frames and arrays use."""
    return tuple(
        Channel(o.name, o.label, *_UNITS[o.reads], o.role, None if o.noise is None else float(o.noise))
        for o in machine.outputs
    )
