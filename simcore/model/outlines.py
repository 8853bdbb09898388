"""Converts shapes to plain data for a display, and finds their bounding points."""

from __future__ import annotations

from typing import Any

from simcore.model.elements import Bar, Beam, Point, Prism, Shape, Wheel

# coordinates that an outline across an axis lies in
ACROSS = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}
ALONG = {"x": 0, "y": 1, "z": 2}


def drawn(shape: Shape) -> dict[str, Any]:
    """A shape as plain data."""
    match shape:
        case Beam():
            start, end = corners(shape)
            sizes = {"width": float(shape.width), "depth": float(shape.depth)}
            return {"kind": "beam", "from": list(start), "to": list(end), **sizes}
        case Prism():
            return {
                "kind": "prism",
                "outline": [list(corner) for corner in shape.outline],
                "width": shape.width,
                "at": list(shape.at),
                "along": shape.along,
                "finish": shape.finish,
            }
        case Bar():
            ends = {"from": list(shape.start), "to": list(shape.end)}
            return {"kind": "bar", **ends, "radius": shape.radius, "finish": shape.finish}
        case Wheel():
            sizes = {"radius": shape.radius, "width": shape.width}
            return {"kind": "wheel", "at": list(shape.at), **sizes, "finish": shape.finish}


def corners(shape: Shape) -> list[Point]:
    """Extreme points of a shape; for a beam, the ends of its middle line."""
    match shape:
        case Beam():
            return [(0.0, 0.0, 0.0), (float(shape.length), 0.0, 0.0)]
        case Prism():
            return [
                corner_at(shape, u, v, side * shape.width) for u, v in shape.outline for side in (-0.5, 0.5)
            ]
        case Bar():
            return _box(shape.start, (shape.radius,) * 3) + _box(shape.end, (shape.radius,) * 3)
        case Wheel():
            return _box(shape.at, (shape.radius, shape.radius, shape.width / 2))


def corner_at(prism: Prism, u: float, v: float, along: float) -> Point:
    """A point of a prism from u and v in its outline and its position along the axis."""
    found = list(prism.at)
    first, second = ACROSS[prism.along]
    found[first] += u
    found[second] += v
    found[ALONG[prism.along]] += along
    return found[0], found[1], found[2]


def _box(at: Point, half: Point) -> list[Point]:
    low, high = ([a + side * h for a, h in zip(at, half, strict=True)] for side in (-1, 1))
    return [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
