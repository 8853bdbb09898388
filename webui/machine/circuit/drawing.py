"""Lays out a circuit: functions side by side, rails below them, pumps and tanks at the bottom."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from simcore.model.elements import DirectionalValve, Machine
from webui.machine.circuit import actuators
from webui.machine.circuit.actuators import HALF, TOP, draw_actuators
from webui.machine.circuit.elements import Channels
from webui.machine.circuit.grouping import Function, group
from webui.machine.circuit.parts import SIZES, Point, Sketch, Symbol, Words
from webui.machine.circuit.sides import OUT, Column, Pilot, draw_side, height, pilot_nodes, tank_names
from webui.machine.circuit.supply import Feed, FeedDrawer, feeds_of

MARGIN = 16.0
_GAP = 14.0  # between functions
_TURN = 14.0  # between a valve and its lines
_CHECK = 44.0  # height for load checks below the valves
_RAIL = 22.0  # from one rail to the next


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing: all parts with their positions, and the labels of the named symbols."""

    width: float
    height: float
    parts: Sketch
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def fitted_width(self) -> int:
        """Width in pixels on a large screen; a small screen shows the drawing smaller."""
        return round(1.15 * self.width)


@lru_cache(maxsize=64)
def draw(machine: Machine) -> Drawing | None:
    """Return the drawing of a machine's circuit; None if the machine has no hydraulics."""
    if not machine.volumes:
        return None
    return _Drawing(machine).run()


class _Drawing:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.groups = group(machine)
        self.sketch = Sketch()
        self.channels = Channels(machine)
        self.tanks = tank_names(machine.sources, {v.supply for v in machine.valves})
        self.labels = {v.name: v.label for v in machine.volumes}
        self.labels |= {s.name: s.name[:1].upper() + s.name[1:] for s in machine.sources}
        self.taps = [
            {*pilot_nodes(f.a, f.valve, True), *pilot_nodes(f.b, f.valve, False)}
            for f in self.groups.functions
        ]

    def run(self) -> Drawing:
        pairs = list(zip(self.groups.functions, self.taps, strict=True))
        tall = max(
            (height(side, f.valve, a, t) for f, t in pairs for side, a in ((f.a, True), (f.b, False))),
            default=0,
        )
        valve_top = TOP + tall + _TURN
        below = valve_top + 2 * SIZES["directional"].up + 12
        if any(f.valve is not None and f.valve.check_supply for f in self.groups.functions):
            below += _CHECK
        feeds, x = feeds_of(self.machine, self.groups, self.tanks, below, _RAIL, MARGIN)
        for function, taps in pairs:
            half = max(HALF + OUT, actuators.width(function) / 2)
            self._function(function, taps, x + half, valve_top, feeds)
            x += 2 * half + _GAP
        drawer = FeedDrawer(self.sketch, self.machine, self.channels, self.tanks, self.labels)
        bottom = max(drawer.draw(feeds), below)
        return Drawing(x - _GAP + MARGIN, bottom + MARGIN, self.sketch, self.labels)

    def _function(
        self, function: Function, taps: set[str], middle: float, valve_top: float, feeds: dict[str, Feed]
    ) -> None:
        draw_actuators(self.sketch, function, middle, self.channels, self.tanks, self.labels)
        bottom = valve_top - _TURN
        ends: dict[str, tuple[float, list[Pilot], float]] = {}
        for side, a, x in ((function.a, True, middle - HALF), (function.b, False, middle + HALF)):
            column = Column(self.sketch, self.channels, self.tanks, self.labels, x, -1 if a else 1, taps)
            found = draw_side(column, side, function.valve, a, bottom, TOP)
            ends |= {node: (tap, waiting, x) for node, (tap, waiting) in found.items()}
        self._pilots(ends, middle)
        if function.valve is not None:
            self._valve(function, function.valve, middle, valve_top, feeds)

    def _pilots(self, ends: dict[str, tuple[float, list[Pilot], float]], middle: float) -> None:
        """Draw dashed pilot lines in the middle of a function, from valves to the nodes that control them."""
        for _, waiting, x in ends.values():
            for pilot in waiting:
                channel = middle + (-5 if x < middle else 5)
                if pilot.node in ends and ends[pilot.node][2] != x:
                    y, _, line = ends[pilot.node]
                    to: Point = (line, y)
                    self.sketch.wire(
                        pilot.node, pilot.at, (channel, pilot.at[1]), (channel, y), to, pilot=True
                    )
                    self.sketch.joints.append((pilot.node, to))
                else:
                    end = pilot.at[0] + (8 if pilot.at[0] > x else -8)
                    self.sketch.wire(pilot.node, pilot.at, (end, pilot.at[1]), pilot=True)
                    self.sketch.words.append(Words(f"← {self.labels[pilot.node]}", end, pilot.at[1] - 4))

    def _valve(
        self, function: Function, valve: DirectionalValve, middle: float, top: float, feeds: dict[str, Feed]
    ) -> None:
        up = SIZES["directional"].up
        limit = float(valve.command_limit)
        spool = self.channels.of("spool", valve.name)
        self.sketch.symbols.append(
            Symbol("directional", middle, top + up, valve.name, channel=spool, ends=(-limit, limit))
        )
        for side, port, x in ((function.a, -9, -HALF), (function.b, 9, HALF)):
            start = middle + port, top
            if side.nodes:
                self.sketch.wire(
                    side.nodes[0],
                    start,
                    (middle + port, top - 6),
                    (middle + x, top - 6),
                    (middle + x, top - _TURN),
                )
            else:
                node = valve.port_a if port < 0 else valve.port_b
                self.sketch.wire(node, start, (middle + port, top - 10))
                self.sketch.words.append(Words(f"→ {self.labels[node]}", middle + 3 * port, top - 14))
        base = top + 2 * up
        pressure, tank = middle - 9, middle + 9
        self.sketch.wire(valve.tank, (tank, base), (tank, feeds[valve.tank].rail))
        feeds[valve.tank].touch(tank)
        supply = feeds[valve.supply]
        if valve.check_supply:
            half = SIZES["check"].up
            self.sketch.symbols.append(Symbol("check", pressure, base + 10 + half, valve.name))
            self.sketch.wire(valve.supply, (pressure, base), (pressure, base + 10))
            self.sketch.wire(valve.supply, (pressure, base + 10 + 2 * half), (pressure, supply.rail))
        else:
            self.sketch.wire(valve.supply, (pressure, base), (pressure, supply.rail))
        supply.touch(pressure)
