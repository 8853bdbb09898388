"""Refuses impossible shapes of bodies, such as an outline that crosses itself."""

from __future__ import annotations

import math
from itertools import pairwise

from simcore.errors import BadMachine
from simcore.model.elements import Bar, Beam, Body, Prism, Wheel

Flat = tuple[float, float]


def shapes_are_sound(body: Body) -> None:
    """Refuse sizes that are not positive, and outlines without an area or that cross themselves."""
    for shape in body.shapes:
        owner = f"body {body.name!r}: {type(shape).__name__.lower()}"
        match shape:
            case Beam():
                continue  # its quantities are checked with those of the body
            case Prism():
                _positive(owner, "width", shape.width)
                _outline_is_sound(owner, shape.outline)
            case Bar():
                _positive(owner, "radius", shape.radius)
                _positive(owner, "length", math.dist(shape.start, shape.end))
                if not 0 <= shape.hole < shape.radius:
                    raise BadMachine(
                        f"{owner}: hole {shape.hole:g} m: must be zero or more and below {shape.radius:g} m"
                    )
            case Wheel():
                _positive(owner, "radius", shape.radius)
                _positive(owner, "width", shape.width)


def _positive(owner: str, what: str, value: float) -> None:
    if not 0 < value < math.inf:
        raise BadMachine(f"{owner}: {what} {value:g} m: must be more than zero")


def enclosed(outline: tuple[Flat, ...]) -> float:
    """Area inside an outline, m²; negative when it runs clockwise."""
    return 0.5 * sum(x * b - a * y for (x, y), (a, b) in pairwise((*outline, outline[0])))


def _outline_is_sound(owner: str, outline: tuple[Flat, ...]) -> None:
    if len(outline) < 3 or not all(math.isfinite(x) for corner in outline for x in corner):
        raise BadMachine(f"{owner}: an outline must have at least three corners, with finite coordinates")
    if enclosed(outline) <= 0:
        raise BadMachine(
            f"{owner}: the outline encloses {enclosed(outline):g} m²: "
            "its corners must be listed counter-clockwise"
        )
    edges = list(pairwise((*outline, outline[0])))
    for i, first in enumerate(edges):
        for j in range(i + 2, len(edges)):
            if (i, j) != (0, len(edges) - 1) and _cross(first, edges[j]):
                raise BadMachine(
                    f"{owner}: the outline crosses itself: its edges {i} and {j}, counted from 0, intersect"
                )


def _cross(first: tuple[Flat, Flat], second: tuple[Flat, Flat]) -> bool:
    def side(a: Flat, b: Flat, c: Flat) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    (a, b), (c, d) = first, second
    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
