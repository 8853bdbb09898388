"""Lists the channels of a machine in a fixed order: everything that can be sent, shown or estimated."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.elements import Machine, Reads, Role

# what is read -> (unit, quantity)
UNITS: dict[Reads, tuple[str, str]] = {
    "angle": ("rad", "angle"),
    "rate": ("rad/s", "rate"),
    "slide": ("m", "length"),
    "slide_rate": ("m/s", "speed"),
    "pressure": ("Pa", "pressure"),
    "length": ("m", "length"),
    "force": ("N", "force"),
    "command": ("V", "voltage"),
    "spool": ("V", "voltage"),
    "inclination": ("rad", "angle"),
    "spin": ("rad/s", "rate"),
    "flow": ("m³/s", "flow"),
    "flow_a": ("m³/s", "flow"),
    "flow_b": ("m³/s", "flow"),
    "power": ("W", "power"),
    "speed": ("rad/s", "revolutions"),
    "torque": ("N m", "torque"),
    "fuel": ("kg/s", "fuel"),
    "fill": ("m³", "volume"),
    "digging": ("N", "force"),
    "height": ("m", "height"),
    "payload": ("kg", "mass"),
    "tool_speed": ("m/s", "tool_speed"),
    "reaction": ("N", "force"),
    "loop_reaction": ("N", "force"),
    "rod_reaction": ("N", "force"),
}
# readings that a working sensor of a hydraulic machine can give (our assumption, wide on purpose): a reading
# outside means a broken wire or a wrong unit
_PLAUSIBLE: dict[Reads, tuple[float, float]] = {
    "angle": (-7.0, 7.0),
    "rate": (-100.0, 100.0),
    "slide": (-100.0, 100.0),
    "slide_rate": (-100.0, 100.0),
    "pressure": (-1e6, 1e8),
    "length": (0.0, 100.0),
    "force": (-1e8, 1e8),
    "command": (-100.0, 100.0),
    "spool": (-100.0, 100.0),
    "inclination": (-3.5, 3.5),
    "spin": (-100.0, 100.0),
    "flow": (-1.0, 1.0),
    "flow_a": (-1.0, 1.0),
    "flow_b": (-1.0, 1.0),
    "power": (-1e8, 1e8),
    "speed": (-1e3, 1e3),
    "torque": (-1e5, 1e5),
    "fuel": (0.0, 1.0),
    "fill": (0.0, 100.0),
    "digging": (0.0, 1e8),
    "height": (-100.0, 100.0),
    "payload": (-1e5, 1e5),
    "tool_speed": (0.0, 100.0),
    "reaction": (0.0, 1e8),
    "loop_reaction": (0.0, 1e8),
    "rod_reaction": (0.0, 1e8),
}


@dataclass(frozen=True, slots=True)
class Channel:
    """One row of the channel table.

    role: sensor = sent by a physical sensor; input = a command that is sent; estimate = estimated by the
    twin, with an uncertainty; model = simulated, never corrected. noise_sigma: standard deviation of the
    sensor. plausible: smallest and largest possible reading.
    """

    name: str
    label: str
    unit: str
    quantity: str
    role: Role
    noise_sigma: float | None
    plausible: tuple[float, float]


def channel_table(machine: Machine) -> tuple[Channel, ...]:
    """Every channel of the machine, in the order that frames and arrays use."""
    return tuple(
        Channel(
            o.name,
            o.label,
            *UNITS[o.reads],
            role=o.role,
            noise_sigma=None if o.noise is None else float(o.noise),
            plausible=_PLAUSIBLE[o.reads],
        )
        for o in machine.outputs
    )
