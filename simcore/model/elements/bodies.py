"""Rigid bodies, the joints that carry them, and points on them."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.elements.shapes import Shape
from simcore.model.quantity import Quantity, Tensor, Vector

GROUND = "ground"

Axis = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Revolute:
    """Hinge that joins a body to its parent; the body's frame has its origin on the hinge."""

    parent: str
    at: Vector  # in the parent's frame, m
    axis: Axis  # unit vector, the same in both frames
    start: Quantity  # relative angle at t = 0, rad
    rate: Quantity  # relative rate at t = 0, rad/s


@dataclass(frozen=True, slots=True)
class Prismatic:
    """Slide along an axis; the body's axes stay parallel to the parent's."""

    parent: str
    at: Vector  # origin of the body's frame at displacement zero, in the parent's frame, m
    axis: Axis  # unit vector, the same in both frames
    start: Quantity  # displacement at t = 0, m
    rate: Quantity  # m/s


@dataclass(frozen=True, slots=True)
class Cylindrical:
    """Turns about an axis and slides along it. Coordinates: angle, displacement."""

    parent: str
    at: Vector  # in the parent's frame, m
    axis: Axis
    start: Quantity  # angle at t = 0, rad
    rate: Quantity  # rad/s
    slide_start: Quantity  # displacement at t = 0, m
    slide_rate: Quantity  # m/s


@dataclass(frozen=True, slots=True)
class Universal:
    """Cross joint: turns about an axis of the parent, then about an axis that turns with the first."""

    parent: str
    at: Vector  # in the parent's frame, m
    axis_first: Axis  # fixed to the parent
    axis_second: Axis  # fixed to the body; both in directions of the zero position
    start: Quantity  # first angle at t = 0, rad
    rate: Quantity  # rad/s
    second_start: Quantity  # rad
    second_rate: Quantity  # rad/s


@dataclass(frozen=True, slots=True)
class Spherical:
    """Ball joint. Velocities: angular velocity relative to the parent, along the parent's axes."""

    parent: str
    at: Vector  # in the parent's frame, m
    turn: Vector  # rotation vector of the body relative to its parent at t = 0, rad
    rate: Vector  # rad/s, along the parent's axes


@dataclass(frozen=True, slots=True)
class Floating:
    """Free body without a joint. Velocities: linear, then angular, both along the parent's axes."""

    parent: str
    at: Vector  # origin of the body's frame at t = 0, in the parent's frame, m
    turn: Vector  # rotation vector relative to the parent at t = 0, rad
    velocity: Vector  # of the frame's origin, m/s
    rate: Vector  # rad/s


@dataclass(frozen=True, slots=True)
class Fixed:
    """Weld: when the machine is compiled, mass and points are transferred to the parent."""

    parent: str
    at: Vector  # in the parent's frame, m
    turn: Vector  # rotation vector relative to the parent, rad


Joint = Revolute | Prismatic | Cylindrical | Universal | Spherical | Floating | Fixed


@dataclass(frozen=True, slots=True)
class Body:
    """Rigid body and the joint that carries it."""

    name: str
    joint: Joint
    mass: Quantity  # kg
    centre: Vector  # centre of mass in the body's frame, m
    inertia: Vector | Tensor  # about the centre of mass in body axes: principal moments or all six, kg m²
    shapes: tuple[Shape, ...]  # for displays


@dataclass(frozen=True, slots=True)
class Mount:
    """A point fixed to a body."""

    body: str
    at: Vector  # in the body's frame, m
