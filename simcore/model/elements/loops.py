"""Joints that close loops; they add constraint equations instead of coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.elements.bodies import Axis, Mount
from simcore.model.quantity import Quantity


@dataclass(frozen=True, slots=True)
class CutRevolute:
    """Hinge that closes a loop; it adds constraint equations instead of a coordinate."""

    name: str
    a: Mount
    b: Mount
    axis_a: Axis
    axis_b: Axis


@dataclass(frozen=True, slots=True)
class CutSpherical:
    """Ball joint that closes a loop: the two points coincide."""

    name: str
    a: Mount
    b: Mount


@dataclass(frozen=True, slots=True)
class CutTranslational:
    """Slide that closes a loop: point b stays on the axis through a, without rotation between the bodies."""

    name: str
    a: Mount
    b: Mount
    axis_a: Axis  # the slide, in each body's directions
    axis_b: Axis
    axis_side_a: Axis  # a direction across the slide, in each body's directions; the two stay parallel
    axis_side_b: Axis


@dataclass(frozen=True, slots=True)
class PointOnLine:
    """Point b stays on the line through a along the axis, which is fixed to body a."""

    name: str
    a: Mount
    b: Mount
    axis_a: Axis


@dataclass(frozen=True, slots=True)
class Rod:
    """Massless rod with ball joints at its ends: the distance between two points is constant."""

    name: str
    a: Mount
    b: Mount
    length: Quantity  # m


Loop = CutRevolute | CutSpherical | CutTranslational | PointOnLine | Rod
