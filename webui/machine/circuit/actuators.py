"""Draws cylinders and motors above their valve, side by side if they share hoses."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.elements import Cylinder, Pump
from webui.machine.circuit.elements import Channels
from webui.machine.circuit.grouping import Function
from webui.machine.circuit.parts import Point, Reading, Sketch, Symbol, Words

TITLE_Y, FORCE_Y, MIDDLE_Y = 20.0, 38.0, 66.0
BUS_Y = {"a": 100.0, "b": 91.0}  # y where a line branches to several actuators
TOP = 108.0  # y where sides end
HALF = 45.0  # from the middle of a function to each line
PITCH = 100.0  # from one actuator to the next


@dataclass(frozen=True, slots=True)
class Port:
    """A port of an actuator: its node, its position, and the x of the line that leads up to it."""

    node: str
    at: Point
    from_x: float


def width(function: Function) -> float:
    """Return the width that the actuators need."""
    return max(1, len(function.cylinders) + len(function.motors)) * PITCH


def draw_actuators(
    sketch: Sketch,
    function: Function,
    middle: float,
    channels: Channels,
    tanks: set[str],
    labels: dict[str, str],
) -> None:
    count = len(function.cylinders) + len(function.motors)
    alone = count == 1
    title = ", ".join([*_together([c.name for c in function.cylinders]), *(m.name for m in function.motors)])
    sketch.words.append(Words(title[:1].upper() + title[1:], middle, TITLE_Y, title=True))
    ports: list[Port] = []
    places = [middle + (k - (count - 1) / 2) * PITCH for k in range(count)]
    for cylinder, x in zip(function.cylinders, places, strict=False):
        ports += _cylinder(sketch, cylinder, x, alone, channels)
    for motor, x in zip(function.motors, places[len(function.cylinders) :], strict=True):
        ports += _motor(sketch, motor, x, alone, channels)
    for port in ports:
        _connect(sketch, function, port, middle, tanks, labels)


def _together(names: list[str]) -> list[str]:
    """Return the common name of a pair: "boom" and "boom right" become "boom, left and right"."""
    left = names[0] if names else ""
    return [f"{left}, left and right"] if names[1:] == [f"{left} right"] else names


def _cylinder(sketch: Sketch, c: Cylinder, x: float, alone: bool, channels: Channels) -> list[Port]:
    shortest = float(c.reference_length) - float(c.chamber_a_at_reference)
    ends = shortest, shortest + float(c.tube_length)
    kind = "cylinder" if alone else "cylinder-short"
    length = channels.of("length", c.name)
    sketch.symbols.append(Symbol(kind, x, MIDDLE_Y, c.name, channel=length, ends=ends))
    force = channels.of("force", c.name)
    if force is not None:
        sketch.readings.append(Reading(force, x, FORCE_Y, "middle"))
    y = MIDDLE_Y + 15
    a, b = (-HALF, HALF) if alone else (-28.0, 14.0)
    return [Port(c.chamber_a, (x + a, y), x + a), Port(c.chamber_b, (x + b, y), x + b)]


def _motor(sketch: Sketch, motor: Pump, x: float, alone: bool, channels: Channels) -> list[Port]:
    flow = channels.of("flow", motor.name)
    sketch.symbols.append(Symbol("motor", x, MIDDLE_Y, motor.name, channel=flow))
    if flow is not None:
        sketch.readings.append(Reading(flow, x, FORCE_Y, "middle"))
    away = HALF if alone else 30.0
    return [
        Port(motor.inlet, (x - 20, MIDDLE_Y), x - away),
        Port(motor.outlet, (x + 20, MIDDLE_Y), x + away),
    ]


def _connect(
    sketch: Sketch, function: Function, port: Port, middle: float, tanks: set[str], labels: dict[str, str]
) -> None:
    """Connect a port to the line of its node, or mark it if it leads to a tank or is fed from elsewhere."""
    x, y = port.from_x, port.at[1]
    for name, side, line in (("a", function.a, middle - HALF), ("b", function.b, middle + HALF)):
        if side.nodes and side.nodes[-1] == port.node:
            bus = BUS_Y[name]
            points = [(line, TOP), (line, bus), (x, bus), (x, y), port.at]
            sketch.wire(port.node, *dict.fromkeys(points))
            return
    if port.node in tanks:
        sketch.wire(port.node, port.at, (port.at[0], y + 6))
        sketch.tank(port.node, port.at[0], y + 6)
    else:
        sketch.wire(port.node, port.at, (port.at[0], y + 6))
        sketch.words.append(Words(f"← {labels[port.node]}", port.at[0], y + 20))
