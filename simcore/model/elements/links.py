"""Springs, dampers, forces and torques between bodies."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.elements.bodies import Mount
from simcore.model.elements.friction import Friction
from simcore.model.quantity import Quantity, Vector


@dataclass(frozen=True, slots=True)
class Spring:
    """Spring and damper between two points, with the tension k (s - s_0) + c ds/dt."""

    name: str
    a: Mount
    b: Mount
    stiffness: Quantity  # N/m
    damping: Quantity  # N s/m
    free_length: Quantity  # s_0, m


@dataclass(frozen=True, slots=True)
class Push:
    """Constant force on a point of body b; its reaction acts on body a at the same place."""

    name: str
    a: str
    b: Mount
    force: Vector  # N
    follows: str  # body whose axes the force is fixed to; the ground for a constant direction


@dataclass(frozen=True, slots=True)
class Twist:
    """Constant torque on body b; its reaction acts on body a."""

    name: str
    a: str
    b: str
    torque: Vector  # N m
    follows: str  # body whose axes the torque is fixed to


@dataclass(frozen=True, slots=True)
class JointSpring:
    """Spring and damper in the joint that carries a body, on each of its coordinates.

    A stiffness needs a joint with one coordinate; a damper alone can be in any joint.
    """

    name: str
    body: str
    stiffness: Quantity  # N m/rad, or N/m in a slide
    damping: Quantity  # N m s/rad, or N s/m
    rest: Quantity  # coordinate without torque, rad or m


@dataclass(frozen=True, slots=True)
class JointFriction:
    """Friction in a joint with one coordinate, with any law that needs no hydraulic force.

    In a hinge, the law's forces are torques in N m and its displacements are angles in rad.
    """

    name: str
    body: str
    friction: Friction


Link = Spring | Push | Twist | JointSpring | JointFriction
