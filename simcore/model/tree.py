"""Converts the joints of a description to joints of the engine: turns, slides and balls.

Every body of the engine has one coordinate, so a joint with several coordinates becomes a chain of massless
bodies. A ball joint becomes three turns about the parent's axes, whose bodies share one rotation. A welded
body and its points are merged into the parent.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from simcore.model.elements import (
    GROUND,
    Axis,
    Body,
    Cylindrical,
    Fixed,
    Floating,
    JointSpring,
    Machine,
    Mount,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from simcore.model.geometry import Array, inertia_matrix, turned
from simcore.model.plan import BALL, FIXED, PRISMATIC, REVOLUTE

_AXES: tuple[Axis, Axis, Axis] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass
class Single:
    """A compiled body with one coordinate. Frames of neighbours are parallel at coordinate zero."""

    owner: str  # body of the description that it belongs to
    kind: int
    parent: int
    carrier: int  # body that its axis and point are fixed to: the parent, except within a ball
    ball: int  # which quaternion turns it, or FIXED
    at: Array
    axis: Array
    mass: float = 0.0
    centre: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))  # about its centre of mass
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0


@dataclass
class Frame:
    """Place of a described body: its point p is turn @ p + shift in the frame of compiled body `index`."""

    index: int
    turn: Array
    shift: Array

    def point(self, p: tuple[float, float, float]) -> Array:
        return np.asarray(self.turn @ np.asarray(p) + self.shift)

    def direction(self, d: Axis | Array) -> Array:
        return np.asarray(self.turn @ np.asarray(d))


@dataclass
class Tree:
    """Compiled bodies without the ground, and the places of the described bodies on them."""

    origin: Array  # of the engine's ground frame in the described one, m
    singles: list[Single]
    frames: dict[str, Frame]
    balls: int

    def mount(self, mount: Mount) -> tuple[int, tuple[float, ...]]:
        """Compiled body and point of a mount."""
        frame = self.frames[mount.body]
        return frame.index, tuple(frame.point(mount.at.xyz))


def base(machine: Machine) -> Array:
    """Origin of the compiled machine: the first joint on the ground, which keeps rounding errors small."""
    roots = [b for b in machine.bodies if b.joint.parent == GROUND and not isinstance(b.joint, Fixed)]
    return np.asarray(roots[0].joint.at.xyz if roots else (0.0, 0.0, 0.0), dtype=float)


def expand(machine: Machine) -> Tree:
    """Convert the described bodies to the tree that the engine needs."""
    origin = base(machine)
    tree = Tree(origin, [], {GROUND: Frame(0, np.eye(3), -origin)}, 0)
    for body in machine.bodies:
        _add_joint(tree, body)
        _add_mass(tree, body)
    for link in machine.links:
        if isinstance(link, JointSpring):
            for single in tree.singles:
                if single.owner == link.body:
                    single.stiffness += float(link.stiffness)
                    single.damping += float(link.damping)
                    single.rest = float(link.rest)
    return tree


def _add_joint(tree: Tree, body: Body) -> None:
    joint = body.joint
    up = tree.frames[joint.parent]
    at = up.point(joint.at.xyz)

    def add(kind: int, axis: Axis, carrier: int | None = None, ball: int = FIXED) -> None:
        parent = up.index if not chain else len(tree.singles)
        place = at if not chain or carrier is not None else np.zeros(3)
        chain.append(kind)
        on = parent if carrier is None else carrier
        tree.singles.append(Single(body.name, kind, parent, on, ball, place, up.direction(axis)))

    def add_ball() -> None:
        # inside a floating joint the ball sits on the last slide
        nonlocal at
        on = len(tree.singles) if chain else up.index
        at = np.zeros(3) if chain else at
        for axis in _AXES:
            add(BALL, axis, on, tree.balls if axis == _AXES[2] else FIXED)
        tree.balls += 1

    chain: list[int] = []
    turn = up.turn
    match joint:
        case Revolute():
            add(REVOLUTE, joint.axis)
        case Prismatic():
            add(PRISMATIC, joint.axis)
        case Cylindrical():
            add(REVOLUTE, joint.axis)
            add(PRISMATIC, joint.axis)
        case Universal():
            add(REVOLUTE, joint.axis_first)
            add(REVOLUTE, joint.axis_second)
        case Spherical():
            add_ball()
        case Floating():
            for axis in _AXES:
                add(PRISMATIC, axis)
            add_ball()
        case Fixed():
            tree.frames[body.name] = Frame(up.index, turn @ turned(np.asarray(joint.turn.xyz)), at)
            return
    tree.frames[body.name] = Frame(len(tree.singles), turn, np.zeros(3))


def _add_mass(tree: Tree, body: Body) -> None:
    """Add a body's mass to its compiled body; a weld combines two inertias about their common centre."""
    frame = tree.frames[body.name]
    if frame.index == 0:
        return
    single = tree.singles[frame.index - 1]
    mass, centre = float(body.mass), frame.point(body.centre.xyz)
    total = single.mass + mass
    if single.mass == 0.0 or total == 0.0:
        common = centre
    else:
        common = (single.mass * single.centre + mass * centre) / total
    turned_inertia = frame.turn @ inertia_matrix(body.inertia) @ frame.turn.T
    single.inertia = (
        _about(single.inertia, single.mass, single.centre - common)
        + _about(turned_inertia, mass, centre - common)
    )  # fmt: skip
    single.mass, single.centre = total, common


def _about(inertia: Array, mass: float, arm: Array) -> Array:
    """Inertia about a point at -arm from the centre of mass (parallel axes)."""
    return np.asarray(inertia + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm)))


def mass_by_coordinate(machine: Machine, z: Array) -> tuple[Array, list[str]]:
    """Mass matrix for the joint velocities, summed body by body, and the owner of each coordinate."""
    tree = expand(machine)
    n = len(tree.singles)
    axes, points, paths = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, n), dtype=bool)
    turns = [np.eye(3)]
    origins = [np.zeros(3)]
    for j, single in enumerate(tree.singles):
        turn, origin = turns[single.carrier], origins[single.carrier]
        axes[j], points[j] = turn @ single.axis, origin + turn @ single.at
        paths[j, j] = True
        if single.parent:
            paths[j] |= paths[single.parent - 1]
        own = np.eye(3)
        if single.kind == REVOLUTE:
            own = turned(single.axis * z[j])
        elif single.kind == PRISMATIC:
            points[j] += axes[j] * z[j]
        elif single.ball >= 0:
            own = turned(sum(tree.singles[k].axis * z[k] for k in range(j - 2, j + 1)))
        turns.append(turn @ own)
        origins.append(points[j])
    total = np.zeros((n, n))
    for i, single in enumerate(tree.singles):
        centre = origins[i + 1] + turns[i + 1] @ single.centre
        move, spin = np.zeros((3, n)), np.zeros((3, n))
        for k in np.flatnonzero(paths[i]):
            j = int(k)
            if tree.singles[j].kind == PRISMATIC:
                move[:, j] = axes[j]
            else:
                move[:, j], spin[:, j] = np.cross(axes[j], centre - points[j]), axes[j]
        inertia = turns[i + 1] @ single.inertia @ turns[i + 1].T
        total += single.mass * move.T @ move + spin.T @ inertia @ spin
    return total, [single.owner for single in tree.singles]
