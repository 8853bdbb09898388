"""Defines the parts of a drawing: wires, symbols and numbers, in pixels, with y downwards."""

from __future__ import annotations

from dataclasses import dataclass, field

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Size:
    """The extent of a symbol from its middle, before rotation."""

    left: float
    right: float
    up: float
    down: float


# symbols stand upright: oil enters below and leaves above; ports at y = ±up
SIZES = {
    "throttle": Size(10, 10, 16, 16),
    "leakage": Size(10, 10, 14, 14),
    "check": Size(10, 10, 14, 14),
    "relief": Size(17, 24, 16, 16),
    "compensator": Size(14, 24, 16, 16),
    "counterbalance": Size(22, 24, 26, 26),
    "two-way": Size(24, 44, 17, 17),
    "directional": Size(66, 66, 18, 18),
    "pump": Size(18, 18, 18, 18),
    "variable-pump": Size(22, 22, 20, 20),
    "motor": Size(20, 20, 20, 20),
    "engine": Size(14, 14, 14, 14),
    "cylinder": Size(54, 92, 15, 15),
    "cylinder-short": Size(36, 48, 15, 15),
    "tank": Size(9, 9, 0, 10),
    "source": Size(12, 12, 16, 12),
}


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Symbol:
    """An element of the netlist, or a tank, with its position.

    turn: quarter turns clockwise. mirrored: left and right are swapped before turning. channel: the element's
    flow; the spool of a directional valve; the length of a cylinder.
    """

    kind: str
    x: float
    y: float
    element: str = ""  # name in the netlist; for a tank that of its pressure source
    turn: int = 0
    mirrored: bool = False
    channel: str | None = None
    ends: tuple[float, float] | None = None  # range of a cylinder's length, m, or of a spool, V

    @property
    def box(self) -> Box:
        size = SIZES[self.kind]
        left, right = (size.right, size.left) if self.mirrored else (size.left, size.right)
        sides = [size.up, right, size.down, left]
        up, right, down, left = (sides[(k - self.turn) % 4] for k in range(4))
        return Box(self.x - left, self.y - up, self.x + right, self.y + down)

    @property
    def transform(self) -> str:
        """The position and rotation as an SVG attribute."""
        parts = [f"translate({self.x:g} {self.y:g})"]
        if self.turn:
            parts.append(f"rotate({90 * self.turn})")
        if self.mirrored:
            parts.append("scale(-1 1)")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Wire:
    """A line at one pressure. pilot: whether it is a control line of a valve."""

    node: str
    points: tuple[Point, ...]
    pilot: bool = False

    @property
    def path(self) -> str:
        """The line as an SVG attribute."""
        return "M" + "L".join(f"{x:g} {y:g}" for x, y in self.points)


@dataclass(frozen=True, slots=True)
class Badge:
    """A mark that shows the pressure of a volume."""

    node: str
    x: float
    y: float
    channel: str | None


@dataclass(frozen=True, slots=True)
class Reading:
    """A live number next to a line."""

    channel: str
    x: float
    y: float
    anchor: str  # start, middle or end: the part of the text at x


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow that shows the direction of a flow: up if positive, before rotation."""

    channel: str
    x: float
    y: float
    turn: int = 0

    @property
    def degrees(self) -> int:
        return 90 * self.turn


@dataclass(frozen=True, slots=True)
class Words:
    text: str
    x: float
    y: float
    anchor: str = "middle"
    title: bool = False


BADGE = (32.0, 11.0)  # half width and height


@dataclass(slots=True)
class Sketch:
    """Collects the parts while a drawing is laid out."""

    symbols: list[Symbol] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    badges: list[Badge] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)
    joints: list[tuple[str, Point]] = field(default_factory=list)  # where wires of a node meet

    def wire(self, node: str, *points: Point, pilot: bool = False) -> None:
        self.wires.append(Wire(node, points, pilot))

    def tank(self, node: str, x: float, y: float) -> None:
        """Add a separate tank symbol, as ISO 1219-2 allows wherever oil returns."""
        self.symbols.append(Symbol("tank", x, y, node))
