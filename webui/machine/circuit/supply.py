"""Draws the rails below the valves and their supply: pumps with engines, relief valves, tanks."""

from __future__ import annotations

from dataclasses import dataclass, field

from simcore.model.elements import Machine, Pump
from webui.machine.circuit.elements import Channels, kind_of, rises, upright
from webui.machine.circuit.grouping import Groups, TwoPort, ends
from webui.machine.circuit.parts import SIZES, Arrow, Badge, Reading, Sketch, Symbol, Words

_LEFT, _GAP, _BADGE = 62.0, 10.0, 34.0
_DROP = 66.0  # from the rail's line to elements below it


@dataclass(slots=True)
class Feed:
    """A shared node: its rail, its line downwards, and the elements on that line."""

    node: str
    rail: float  # y
    x: float  # of the line down
    pump: Pump | None = None
    beside: list[TwoPort] = field(default_factory=list)
    touched: list[float] = field(default_factory=list)  # where valves join the rail, x

    def touch(self, x: float) -> None:
        self.touched.append(x)


def feeds_of(
    machine: Machine, groups: Groups, tanks: set[str], top: float, step: float, x: float
) -> tuple[dict[str, Feed], float]:
    """Return the rails from top to bottom, tanks first, with lines from the left, and the x of their end."""
    supplies = list(dict.fromkeys(v.supply for v in machine.valves))
    returns = list(dict.fromkeys(v.tank for v in machine.valves))
    others = [n for n in groups.common if n not in supplies and n not in returns]
    left = list(groups.supply)
    found: dict[str, Feed] = {}
    for node in (*supplies, *returns, *others):
        own = [e for e in left if node in ends(e)]
        left = [e for e in left if e not in own]
        if node in others and not own:
            continue  # drawn at each element that leads to it
        pump = next((e for e in own if isinstance(e, Pump) and e.outlet == node), None)
        beside = [e for e in own if e is not pump]
        found[node] = Feed(node, 0.0, x + (_LEFT if node in supplies else 30.0), pump, beside)
        x = found[node].x + len(beside) * _DROP + 40.0 + _GAP
    for k, node in enumerate([*returns, *(n for n in found if n not in returns)]):
        found[node].rail = top + k * step
    return found, x


class FeedDrawer:
    """Draws rails and the elements below them."""

    def __init__(
        self, sketch: Sketch, machine: Machine, channels: Channels, tanks: set[str], labels: dict[str, str]
    ) -> None:
        self.sketch, self.machine, self.channels = sketch, machine, channels
        self.tanks, self.labels = tanks, labels

    def draw(self, feeds: dict[str, Feed]) -> float:
        """Draw all rails; return the lowest y."""
        start = max((feed.rail for feed in feeds.values()), default=0.0) + 18.0
        return max((self._feed(feed, start) for feed in feeds.values()), default=0.0)

    def _feed(self, feed: Feed, y: float) -> float:
        self._rail(feed)
        if any(v.name == feed.node for v in self.machine.volumes):
            channel = self.channels.of("pressure", feed.node)
            self.sketch.badges.append(Badge(feed.node, feed.x, y + _BADGE / 2, channel))
            y += _BADGE
        drops = [self._drop(feed, element, k) for k, element in enumerate(feed.beside)]
        if feed.pump is not None:
            lowest = self._pump(feed.pump, feed.x, y + 20)
            y += 20
        elif feed.node in self.tanks:
            lowest = self._tank(feed, y)
        else:
            lowest = self._source(feed, y)
        self.sketch.wire(feed.node, (feed.x, feed.rail), (feed.x, y))
        return max([lowest, *drops])

    def _rail(self, feed: Feed) -> None:
        across = [feed.x, *feed.touched]
        if len(across) > 1:
            self.sketch.wire(feed.node, (min(across), feed.rail), (max(across), feed.rail))
        self.sketch.joints += [(feed.node, (x, feed.rail)) for x in feed.touched if x != max(across)]

    def _drop(self, feed: Feed, element: TwoPort, k: int) -> float:
        """Draw an element below the rail, leading to a tank or to a node that is drawn elsewhere."""
        kind, x, y = kind_of(element), feed.x + (k + 1) * _DROP, feed.rail + 34.0
        up = SIZES[kind].up
        stands = upright(element)[1] == feed.node
        other = next(n for n in upright(element) if n != feed.node)
        flow = self.channels.of("flow", element.name)
        feed.touch(x)
        if flow is not None:
            self.sketch.arrows.append(Arrow(flow, x, y - 9, 0 if rises(element) == stands else 2))
        self.sketch.wire(feed.node, (x, feed.rail), (x, y))
        self.sketch.symbols.append(
            Symbol(kind, x, y + up, element.name, 0 if stands else 2, not stands, channel=flow)
        )
        self.sketch.wire(other, (x, y + 2 * up), (x, y + 2 * up + 10))
        if other in self.tanks:
            self.sketch.tank(other, x, y + 2 * up + 10)
            return y + 2 * up + 24
        self.sketch.words.append(Words(f"→ {self.labels[other]}", x, y + 2 * up + 22))
        return y + 2 * up + 26

    def _tank(self, feed: Feed, y: float) -> float:
        self.sketch.tank(feed.node, feed.x, y)
        self.sketch.words.append(Words(self.labels[feed.node], feed.x, y + 24))
        return y + 28

    def _source(self, feed: Feed, y: float) -> float:
        """Draw a constant pressure source; a line without one just ends."""
        if all(source.name != feed.node for source in self.machine.sources):
            return y
        up = SIZES["source"].up
        flow = self.channels.of("flow", feed.node)
        self.sketch.symbols.append(Symbol("source", feed.x, y + up, feed.node, channel=flow))
        self.sketch.words.append(Words(self.labels[feed.node], feed.x, y + 2 * up + 10))
        if flow is not None:
            self.sketch.arrows.append(Arrow(flow, feed.x, y - 7))
            self.sketch.readings.append(Reading(flow, feed.x + 10, y - 3, "start"))
        return y + 2 * up + 14

    def _pump(self, pump: Pump, x: float, y: float) -> float:
        """Draw a pump upright above its inlet, with the engine on its left."""
        kind = kind_of(pump)
        up = SIZES[kind].up
        flow = self.channels.of("flow", pump.name)
        self.sketch.symbols.append(Symbol(kind, x, y + up, pump.name, channel=flow))
        if flow is not None:
            self.sketch.arrows.append(Arrow(flow, x, y - 9))
            self.sketch.readings.append(Reading(flow, x + 10, y - 5, "start"))
        engine = next((d for d in self.machine.diesels if d.shaft == pump.shaft), None)
        if engine is not None:
            self.sketch.symbols.append(Symbol("engine", x - up - 26, y + up, engine.name))
        bottom = y + 2 * up
        self.sketch.wire(pump.inlet, (x, bottom), (x, bottom + 10))
        if pump.inlet in self.tanks:
            self.sketch.tank(pump.inlet, x, bottom + 10)
            return bottom + 24
        self.sketch.words.append(Words(f"← {self.labels[pump.inlet]}", x, bottom + 22))
        return bottom + 26
