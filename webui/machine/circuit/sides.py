"""Draws the line from a valve's port up to its actuator, and the elements next to it."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.elements import CounterbalanceValve, DirectionalValve, Holding, Orifice, PressureSource
from simcore.model.netlist import pilots
from webui.machine.circuit.elements import Channels, kind_of, rises, upright
from webui.machine.circuit.grouping import Side, TwoPort
from webui.machine.circuit.parts import SIZES, Arrow, Badge, Point, Reading, Sketch, Symbol, Words

HANG = 46.0  # from a line to the middle of an element beside it
TANK_OUT = 26.0  # from there to the tank
OUT = HANG + TANK_OUT + 9.0  # room beside a line
ARROW = 14.0  # room for an arrow on a line
_FLOW, _BADGE, _TAP = 24.0, 34.0, 12.0


@dataclass(frozen=True, slots=True)
class Pilot:
    """A pilot port that has no line yet: its position and its node."""

    at: Point
    node: str


@dataclass(slots=True)
class Column:
    """One side of a function: x of its line, +1 or -1 for the outward direction, and taps for pilot lines."""

    sketch: Sketch
    channels: Channels
    tanks: set[str]
    labels: dict[str, str]
    x: float
    out: int
    taps: set[str]


def pilot_nodes(side: Side, valve: DirectionalValve | None, a: bool) -> list[str]:
    """Return the nodes that control valves of this side."""
    found = [node for e in side.between if isinstance(e, CounterbalanceValve) for node in pilots(e)]
    if valve is not None and _hold(valve, a) is not None:
        found.append(valve.port_b if a else valve.port_a)
    return found


def _hold(valve: DirectionalValve, a: bool) -> Holding | None:
    return valve.hold_a if a else valve.hold_b


def height(side: Side, valve: DirectionalValve | None, a: bool, taps: set[str]) -> float:
    """Return the height that a side needs."""
    total = 0.0 if valve is None else _FLOW
    if valve is not None and side.nodes:
        total += 2 * SIZES["counterbalance"].up + 8 if _hold(valve, a) else 0.0
        total += 2 * SIZES["throttle"].up + 8 if a and valve.throttled_a else 0.0
    for node in side.nodes:
        total += _BADGE + (_TAP if node in taps else 0.0)
        total += sum(hanger_room(e) for e in side.beside.get(node, []))
    return total + sum(2 * SIZES[kind_of(e)].up + ARROW for e in side.between)


def hanger_room(element: TwoPort) -> float:
    """Return the height of an element next to a line."""
    up, down = _hanger_extent(element)
    return up + down


def _hanger_extent(element: TwoPort) -> tuple[float, float]:
    """Return heights above and below the line.

    The longer side of a horizontal symbol is above the line, its tank below.
    """
    size = SIZES[kind_of(element)]
    return max(size.left, size.right) + 4, max(min(size.left, size.right), 18.0) + 4


def draw_side(
    column: Column, side: Side, valve: DirectionalValve | None, a: bool, bottom: float, top: float
) -> dict[str, tuple[float, list[Pilot]]]:
    """Draw from bottom to top; return for each node where pilot lines may join, and the pilots still open."""
    y = bottom
    waiting: list[Pilot] = []
    found: dict[str, tuple[float, list[Pilot]]] = {}
    if valve is not None and side.nodes:
        y = _at_the_valve(column, side, valve, a, y, waiting)
    for i, node in enumerate(side.nodes):
        start = y
        tap = y
        if node in column.taps:
            tap = y - _TAP / 2
            y -= _TAP
        y -= _BADGE
        column.sketch.badges.append(
            Badge(node, column.x, y + _BADGE / 2, column.channels.of("pressure", node))
        )
        for element in side.beside.get(node, []):
            y = hang(column, node, element, y)
        last = i == len(side.nodes) - 1
        end = top if last else y
        column.sketch.wire(node, (column.x, start), (column.x, end))
        found[node] = tap, waiting
        waiting = []
        if not last:
            y = _inline(column, side.between[i], node, y, waiting)
    return found


def _at_the_valve(
    column: Column, side: Side, valve: DirectionalValve, a: bool, y: float, waiting: list[Pilot]
) -> float:
    """Draw the flow out of the port, and a counterbalance valve or throttle that is part of the valve."""
    sketch, x, node = column.sketch, column.x, side.nodes[0]
    channel = column.channels.of("flow_a" if a else "flow_b", valve.name)
    if channel is not None:
        sketch.arrows.append(Arrow(channel, x, y - _FLOW / 2))
        anchor = "end" if column.out < 0 else "start"
        sketch.readings.append(Reading(channel, x + 9 * column.out, y - _FLOW / 2 + 4, anchor))
    sketch.wire(node, (x, y), (x, y - _FLOW))
    y -= _FLOW
    if _hold(valve, a):
        up = SIZES["counterbalance"].up
        sketch.symbols.append(Symbol("counterbalance", x, y - up, valve.name, mirrored=column.out < 0))
        waiting.append(Pilot((x - 22 * column.out, y - up), valve.port_b if a else valve.port_a))
        sketch.wire(node, (x, y - 2 * up), (x, y - 2 * up - 8))
        y -= 2 * up + 8
    if a and valve.throttled_a:
        up = SIZES["throttle"].up
        sketch.symbols.append(Symbol("throttle", x, y - up, valve.name))
        sketch.wire(node, (x, y - 2 * up), (x, y - 2 * up - 8))
        y -= 2 * up + 8
    return y


def _inline(column: Column, element: TwoPort, below: str, y: float, waiting: list[Pilot]) -> float:
    """Draw an element on the line, with its flow arrow in front of it."""
    sketch, x, kind = column.sketch, column.x, kind_of(element)
    stands = upright(element)[0] == below
    up = SIZES[kind].up
    channel = column.channels.of("flow", element.name)
    if channel is not None:
        sketch.arrows.append(Arrow(channel, x, y - ARROW / 2, 0 if rises(element) == stands else 2))
    sketch.wire(below, (x, y), (x, y - ARROW))
    y -= ARROW
    mirrored = (column.out < 0) == stands
    sketch.symbols.append(
        Symbol(kind, x, y - up, element.name, 0 if stands else 2, mirrored, channel=channel)
    )
    for k, node in enumerate(() if isinstance(element, Orifice) else pilots(element)):
        side = -1 if kind == "counterbalance" or k == 0 else 1
        reach = 22.0 if kind == "counterbalance" else 14.0
        waiting.append(Pilot((x + side * column.out * reach, y - up), node))
    return y - 2 * up


def hang(column: Column, node: str, element: TwoPort, y: float) -> float:
    """Draw an element next to the line, leading to a tank or to a node that is drawn elsewhere."""
    sketch, x, out, kind = column.sketch, column.x, column.out, kind_of(element)
    above, below = _hanger_extent(element)
    middle, half = y - below, SIZES[kind].up
    near_is_below = upright(element)[0] == node
    turn = 1 if near_is_below == (out > 0) else 3
    other = next(n for n in upright(element) if n != node)
    channel = column.channels.of("flow", element.name)
    sketch.symbols.append(
        Symbol(kind, x + out * HANG, middle, element.name, turn, mirrored=turn == 1, channel=channel)
    )
    sketch.wire(node, (x, middle), (x + out * (HANG - half), middle))
    sketch.joints.append((node, (x, middle)))
    if channel is not None:
        outwards = rises(element) == near_is_below
        sketch.arrows.append(Arrow(channel, x + out * ARROW, middle, 1 if outwards == (out > 0) else 3))
    far = x + out * (HANG + TANK_OUT)
    if other in column.tanks:
        sketch.wire(other, (x + out * (HANG + half), middle), (far, middle), (far, middle + 8))
        sketch.tank(other, far, middle + 8)
    else:
        sketch.wire(other, (x + out * (HANG + half), middle), (far, middle))
        sketch.words.append(Words(f"→ {column.labels[other]}", far, middle + 14))
    return y - above - below


def tank_names(sources: tuple[PressureSource, ...], supplies: set[str]) -> set[str]:
    """Return the pressure sources that are tanks: those that feed no valve."""
    return {s.name for s in sources} - supplies
