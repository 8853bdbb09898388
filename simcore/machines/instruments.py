"""Defines the instruments that an operator sees, with red zones and recommended values.

The selection follows a published head-up display (Jaiswal 2021, Publication IV, table 1); a machine shows
only the instruments for which it has a value. Ranges and limits follow from the machine's description, each
with its provenance. A stationary machine shows the speed of its tool instead of the driving speed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from simcore.model.elements import Diesel, Digging, Machine, Mount, Prismatic, Pump, Reads
from simcore.model.geometry import point, poses, start_angles
from simcore.model.quantity import Quantity, assumed, derived
from simcore.model.scene import highest_pressure

_OVERSPEED = 1.12  # of the governed speed
_FAST_TURN = 1.0  # rad/s

Watched = Literal[
    "engine speed", "payload", "height", "tilt", "tool speed", "power", "fuel", "driving speed", "roll"
]
WATCHED: tuple[Watched, ...] = get_args(Watched)


@dataclass(frozen=True, slots=True)
class Zone:
    """A red zone; the notes of its limits give the reason."""

    low: Quantity
    high: Quantity


@dataclass(frozen=True, slots=True)
class Instrument:
    """A scale for a channel. recommended: the best value."""

    shows: Watched
    channel: str
    low: Quantity
    high: Quantity
    red: tuple[Zone, ...] = ()
    recommended: Quantity | None = None


def instruments(machine: Machine, limits: Mapping[str, Quantity] | None = None) -> tuple[Instrument, ...]:
    """The instruments of a machine. limits: start of the red zone by channel, from the machine model."""
    return tuple(_found(machine, limits or {}))


def absent(machine: Machine) -> tuple[Watched, ...]:
    """Instruments of the published display that the machine does not have."""
    present = {found.shows for found in instruments(machine)}
    return tuple(each for each in WATCHED if each not in present)


def _found(machine: Machine, limits: Mapping[str, Quantity]) -> Iterator[Instrument]:
    for engine in machine.diesels:
        if speed := _channel(machine, "speed", engine.shaft):
            yield _engine_speed(engine, speed)
    if payload := _payload(machine, limits):
        yield payload
    tool = next(iter(machine.digging), None)
    for output in machine.outputs:
        if output.reads == "height":
            yield _height(machine, output.name, tool)
        if output.reads == "tool_speed":
            yield _tool_speed(machine, output.name, tool)
        if tool is not None and output.reads == "inclination" and output.element == tool.edge.body:
            level = assumed(0.0, "rad", "teeth level with the bucket hinge, as at the start of a cut")
            down, up = (derived(side * math.pi / 2, "rad", "straight down or up") for side in (-1, 1))
            yield Instrument("tilt", output.name, down, up, recommended=level)
    yield from _power(machine)
    for engine in machine.diesels:
        if fuel := _channel(machine, "fuel", engine.name):
            yield _fuel(engine, fuel)


def _channel(machine: Machine, reads: Reads, element: str) -> str | None:
    return next((o.name for o in machine.outputs if o.reads == reads and o.element == element), None)


def _engine_speed(engine: Diesel, channel: str) -> Instrument:
    governed, slowest = float(engine.speed), engine.full_load.speeds[0]
    high = derived(1.2 * governed, "rad/s", "20 % above the governed engine speed")
    stalls = Quantity(slowest, "rad/s", engine.full_load.origin, "the engine stalls below this speed")
    fast = assumed(_OVERSPEED * governed, "rad/s", "overspeed: more than 12 % above the governed speed")
    zero = derived(0.0, "rad/s", "standstill")
    best = min(
        (rate, speed)
        for speed, row in zip(engine.fuel.speeds, engine.fuel.specific, strict=True)
        for rate in row
    )
    thrifty = Quantity(
        best[1], "rad/s", engine.fuel.origin, "speed with the lowest specific fuel consumption"
    )
    return Instrument("engine speed", channel, zero, high, (Zone(zero, stalls), Zone(fast, high)), thrifty)


def _fuel(engine: Diesel, channel: str) -> Instrument:
    fuel = engine.fuel
    most = max(
        rate * torque * speed
        for speed, row in zip(fuel.speeds, fuel.specific, strict=True)
        for torque, rate in zip(fuel.torques, row, strict=True)
    )
    none, high = derived(0.0, "kg/s", "none"), derived(most, "kg/s", "largest value in the fuel map")
    return Instrument("fuel", channel, none, high)


def _payload(machine: Machine, limits: Mapping[str, Quantity]) -> Instrument | None:
    carried = machine.model_error.payload
    channel = None if carried is None else _channel(machine, "payload", carried.body)
    if channel is None or carried is None:
        return None
    full = None
    for digging in machine.digging:
        mass = float(digging.capacity) * float(digging.soil.density)
        full = derived(mass, "kg", f"bucket full of {digging.soil.name}")
    limit = limits.get(channel)
    top = max(float(q) for q in (carried.change, full, limit) if q is not None)
    high = derived(1.25 * top, "kg", "25 % above the permitted or usual load")
    red = () if limit is None else (Zone(limit, high),)
    return Instrument("payload", channel, derived(0.0, "kg", "empty"), high, red, full)


def _height(machine: Machine, channel: str, tool: Digging | None) -> Instrument:
    """Scale of height: one length of the arm above and below its first lifting hinge."""
    root, reach = _arm(machine, channel, tool)
    low, high = root - reach, root + reach
    note = "one length of the arm"
    ground = None
    if tool is not None:
        level = float(tool.ground.at.xyz[1])
        ground = derived(level, "m", "height of the ground surface, where a cut begins")
        low = max(low, level - reach)
    else:
        low = max(low, 0.0)
    return Instrument(
        "height", channel, derived(low, "m", note), derived(high, "m", note), recommended=ground
    )


def _tool_speed(machine: Machine, channel: str, tool: Digging | None) -> Instrument:
    _, reach = _arm(machine, channel, tool)
    high = assumed(_FAST_TURN * reach, "m/s", "the stretched arm turns by a radian per second")
    return Instrument("tool speed", channel, derived(0.0, "m/s", "standstill"), high)


def _arm(machine: Machine, channel: str, tool: Digging | None) -> tuple[float, float]:
    """Height of the first lifting hinge, and reach of the arm from there, m."""
    output = next(o for o in machine.outputs if o.name == channel)
    where = poses(machine, start_angles(machine))
    parents = {b.name: b.joint.parent for b in machine.bodies}
    body = tool.edge.body if tool is not None else output.element
    chain = [body]
    while parents.get(parents[chain[-1]]) is not None:
        chain.append(parents[chain[-1]])
    lifting = [b for b in reversed(chain) if abs(_axis(machine, b)[1]) < 0.5]
    joints = [where[b][1] for b in reversed(lifting)]
    end = point(where, tool.edge) if tool is not None else point(where, _centre(machine, body))
    reach = sum(math.dist(a, b) for a, b in zip([end, *joints], joints, strict=False))
    sliding = {b.name for b in machine.bodies if b.name in chain and isinstance(b.joint, Prismatic)}
    reach += sum(float(c.tube_length) for c in machine.cylinders if c.rod.body in sliding)
    return float(where[lifting[0]][1][1]), reach


def _axis(machine: Machine, name: str) -> tuple[float, float, float]:
    joint = next(b.joint for b in machine.bodies if b.name == name)
    return getattr(joint, "axis", (0.0, 1.0, 0.0))


def _centre(machine: Machine, name: str) -> Mount:
    body = next(b for b in machine.bodies if b.name == name)
    return Mount(name, body.centre)


def _power(machine: Machine) -> Iterator[Instrument]:
    """Hydraulic power of the pumps that feed the machine, or of its pressure source."""
    none = derived(0.0, "W", "none")
    limits = {e.name: e.power_limit for e in machine.elements if isinstance(e, Pump)}
    owners = {o.name: o.element for o in machine.outputs}
    for channel, most in supply_power(machine).items():
        limit = limits.get(owners[channel])
        if limit is None:
            high = derived(most, "W", "largest power that pump or valves allow")
            yield Instrument("power", channel, none, high)
        else:
            high = derived(1.2 * most, "W", "20 % above the pump's power limit")
            yield Instrument("power", channel, none, high, (Zone(limit, high),))


def supply_power(machine: Machine) -> dict[str, float]:
    """Largest power of each supply channel, W.

    For a pump: its power limit, or full flow at relief pressure. For a source: the flow through open valves.
    """
    sources = {s.name: float(s.pressure) for s in machine.sources}
    found = {}
    for pump in machine.elements:
        if isinstance(pump, Pump) and pump.inlet in sources:
            flow = float(pump.displacement) * float(pump.rated_speed)
            most = flow * highest_pressure(machine) if pump.power_limit is None else float(pump.power_limit)
            found[_channel(machine, "power", pump.name)] = most
    for name in dict.fromkeys(v.supply for v in machine.valves if v.supply in sources):
        p = sources[name]
        opened = sum(
            float(v.coefficient) * float(v.command_limit) for v in machine.valves if v.supply == name
        )
        found[_channel(machine, "power", name)] = p * opened * math.sqrt(p)
    return {channel: most for channel, most in found.items() if channel is not None}
