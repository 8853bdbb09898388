"""Defines shapes for the display of a body, in the body's frame.

Machine models compute the mass of the body from the same numbers (simcore/machines/solids.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from simcore.model.quantity import Quantity

Point = tuple[float, float, float]  # in the body's frame, m
# look of a surface: fixed parts, arms, bare steel, machinery, windows, tyres, loads
Finish = Literal["frame", "arm", "steel", "dark", "glass", "rubber", "load"]


@dataclass(frozen=True, slots=True)
class Beam:
    """A link with an eye at either end, from the origin of the frame along x."""

    length: Quantity  # m
    width: Quantity  # m
    depth: Quantity  # m


@dataclass(frozen=True, slots=True)
class Prism:
    """An outline extruded along an axis: a plate, a box, a tapered box beam.

    The outline is perpendicular to the axis: in x and y for z, in y and z for x, in z and x for y.
    """

    outline: tuple[tuple[float, float], ...]  # m, counter-clockwise, not crossing itself
    width: float  # m, along the axis
    at: Point = (0.0, 0.0, 0.0)  # of the outline's origin, at the middle of the width
    along: Literal["x", "y", "z"] = "z"
    finish: Finish = "arm"


@dataclass(frozen=True, slots=True)
class Bar:
    """A round bar or tube between two points."""

    start: Point
    end: Point
    radius: float  # m
    hole: float = 0.0  # radius of its bore, m
    finish: Finish = "steel"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel that turns about z: tyre and rim."""

    at: Point  # its middle
    radius: float  # m
    width: float  # m
    finish: Finish = "rubber"


Shape = Beam | Prism | Bar | Wheel
