"""Draws gauges as SVG dials: the arc of the scale, red zones and the mark of the recommended value."""

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from simcore import registry
from simcore.machines.instruments import Instrument, absent, instruments
from simcore.machines.model import MachineModel
from simcore.model.channels import UNITS
from simcore.model.elements import Output
from simcore.model.quantity import SOURCES, Quantity
from twin.fleet.catalogue import build
from twin.fleet.models import Machine
from webui.units import System, display_of
from webui.words import named, with_separator

SWEEP = 120.0  # degrees from the top to each end
_RADIUS, _MARK = 44.0, 52.0  # radius of the scale, and of the outer end of a recommended mark


@dataclass(frozen=True)
class Dial:
    """A gauge in the form in which the page draws it."""

    channel: str
    label: str
    role: str
    low: float  # SI
    high: float
    scale: str  # SVG path
    red: tuple[str, ...]
    zones: str  # red ranges, SI, as JSON
    mark: str  # SVG path of the recommended mark; empty if there is none
    notes: tuple[str, ...]


def dials(machine: Machine, system: System = "metric") -> tuple[Dial, ...]:
    """Return the gauges of a machine, with limits in the units that the person chose."""
    found = _instruments(machine.model, json.dumps(machine.parameters, sort_keys=True))
    return tuple(_dial(instrument, output, system) for instrument, output in found)


def missing(machine: Machine) -> list[tuple[str, str]]:
    """Return the gauges that other machines have and this one does not, with the reason."""
    reasons = {
        "engine speed": (_("Engine speed"), _("the model does not include the engine.")),
        "payload": (_("Payload"), _("the model does not include a payload.")),
        "height": (_("Height"), _("the machine has neither a bucket nor a hook.")),
        "tilt": (_("Tilt"), _("the machine has no bucket.")),
        "tool speed": (_("Tool speed"), _("the machine has neither a bucket nor a hook.")),
        "power": (_("Power"), _("the model has no pump or pressure source.")),
        "fuel": (_("Fuel"), _("the model does not include the engine.")),
        "driving speed": (_("Driving speed"), _("the model does not include driving.")),
        "roll": (_("Roll"), _("in the model, the machine always stands on firm, level ground.")),
    }
    return [reasons[each] for each in absent(machine.description())]


@lru_cache(maxsize=256)
def _instruments(model: str, parameters: str) -> tuple[tuple[Instrument, Output], ...]:
    given: dict[str, Any] = json.loads(parameters)
    description, case = build(model, given), registry.get(model)
    limits = case.limits(given) if isinstance(case, MachineModel) else {}
    outputs = {o.name: o for o in description.outputs}
    return tuple((found, outputs[found.channel]) for found in instruments(description, limits))


def _dial(found: Instrument, output: Output, system: System) -> Dial:
    low, high = float(found.low), float(found.high)

    def angle(value: Quantity) -> float:
        share = (float(value) - low) / (high - low)
        return SWEEP * (2 * min(1.0, max(0.0, share)) - 1)

    def described(value: Quantity) -> str:
        return f"{_shown(value, output, system)}, {named(value.note)} ({named(SOURCES[value.origin])})"

    notes = [
        _("Limit of the red zone: %s") % described(_edge(zone.low, zone.high, low)) for zone in found.red
    ]
    if found.recommended is not None:
        notes.append(_("Recommended: %s") % described(found.recommended))
    return Dial(
        channel=found.channel,
        label=output.label,
        role=output.role,
        low=low,
        high=high,
        scale=arc(-SWEEP, SWEEP),
        red=tuple(arc(angle(zone.low), angle(zone.high)) for zone in found.red),
        zones=json.dumps([[float(zone.low), float(zone.high)] for zone in found.red]),
        mark="" if found.recommended is None else tick(angle(found.recommended)),
        notes=tuple(notes),
    )


def _edge(low: Quantity, high: Quantity, least: float) -> Quantity:
    """Return the limit of a red zone; its other end is the end of the scale."""
    return high if float(low) == least else low


def _shown(value: Quantity, output: Output, system: System) -> str:
    """Return a limit as text in the unit of its gauge, with three digits."""
    unit, factor, _decimals = display_of(UNITS[output.reads][1], system)
    number = with_separator(f"{float(f'{float(value) * factor:.3g}'):g}").replace("-", "−")
    return f"{number}{unit}" if unit.startswith("°") else f"{number} {unit}"


def _at(degrees: float, radius: float) -> tuple[float, float]:
    turn = math.radians(degrees)
    return radius * math.sin(turn), -radius * math.cos(turn)


def arc(start: float, end: float, radius: float = _RADIUS) -> str:
    """Return the SVG path of an arc along the scale; angles are in degrees clockwise from the top."""
    (x, y), (u, v) = _at(start, radius), _at(end, radius)
    return f"M{x:.2f} {y:.2f}A{radius:g} {radius:g} 0 {int(end - start > 180)} 1 {u:.2f} {v:.2f}"


def tick(degrees: float) -> str:
    """Return the SVG path of a short line across the scale."""
    (x, y), (u, v) = _at(degrees, _RADIUS - 6), _at(degrees, _MARK)
    return f"M{x:.2f} {y:.2f}L{u:.2f} {v:.2f}"
