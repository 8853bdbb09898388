"""Random machines in space, without hydraulics, for tests of the mechanics."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from simcore import registry
from simcore.model.elements import (
    GROUND,
    Body,
    CutRevolute,
    CutSpherical,
    CutTranslational,
    Cylindrical,
    Fixed,
    Floating,
    Joint,
    Loop,
    Machine,
    Mount,
    PointOnLine,
    Prismatic,
    Revolute,
    Rod,
    Spherical,
    Universal,
)
from simcore.model.geometry import plane, point, poses, start_angles, turned
from simcore.model.quantity import Quantity, Tensor, Vector, assumed, place

_RIG = registry.get("four-bar-b").build()


def _axis(random: np.random.Generator) -> tuple[float, float, float]:
    x, y, z = random.normal(size=3)
    size = math.sqrt(x * x + y * y + z * z)
    return x / size, y / size, z / size


def _body(index: int, parent: str, random: np.random.Generator) -> Body:
    centre, at = random.uniform(-1, 1, 3), random.uniform(-1, 1, 3)
    small, middle = random.uniform(0.5, 1.0, 2)
    joint = Revolute(
        parent, place(*at), _axis(random), assumed(random.uniform(-2, 2), "rad"), assumed(0.0, "rad/s")
    )
    return Body(
        name=f"b{index}",
        joint=joint,
        mass=assumed(random.uniform(1, 5), "kg"),
        centre=place(*centre),
        inertia=Vector((small, middle, max(small, middle)), "kg m²", "assumed"),
        shapes=_RIG.bodies[0].shapes,
    )


def without_oil(machine: Machine) -> Machine:
    """The mechanism alone."""
    return replace(machine, volumes=(), sources=(), orifices=(), valves=(), cylinders=(), outputs=())


def random_tree(count: int, seed: int) -> Machine:
    """Bodies on random parents, all joints independent."""
    random = np.random.default_rng(seed)
    bodies: list[Body] = []
    for i in range(count):
        parent = random.choice([GROUND, *(b.name for b in bodies)])
        bodies.append(_body(i, str(parent), random))
    names = tuple(b.name for b in bodies)
    return without_oil(replace(_RIG, name="tree", bodies=tuple(bodies), loops=(), independent=names))


def closed_chain(count: int, seed: int, independent: tuple[str, ...] = ("b0",)) -> Machine:
    """A chain in space whose last body is hinged to the ground where it happens to be."""
    random = np.random.default_rng(seed)
    bodies = [_body(i, GROUND if i == 0 else f"b{i - 1}", random) for i in range(count)]
    chain = without_oil(
        replace(_RIG, name="chain", bodies=tuple(bodies), loops=(), independent=tuple(b.name for b in bodies))
    )
    last = Mount(f"b{count - 1}", place(0.3, -0.2, 0.5))
    where = poses(chain, np.array([float(b.joint.start) for b in bodies]))
    hinge = _axis(random)
    there = tuple(float(x) for x in where[last.body][0] @ np.array(hinge))
    norm = math.sqrt(sum(x * x for x in there))
    ground = Mount(GROUND, place(*(float(x) for x in point(where, last))))
    loop = CutRevolute("closing hinge", ground, last, tuple(x / norm for x in there), hinge)
    return replace(chain, loops=(loop,), independent=independent)


def _vector(random: np.random.Generator, size: float, unit: str) -> Vector:
    x, y, z = (float(value) for value in random.uniform(-size, size, 3))
    return Vector((x, y, z), unit, "assumed")


def _number(random: np.random.Generator, size: float, unit: str) -> Quantity:
    return assumed(float(random.uniform(-size, size)), unit)


def any_joint(kind: type, parent: str, random: np.random.Generator) -> Joint:
    """A joint of a kind with random numbers."""
    at = _vector(random, 1, "m")
    angle, rate = _number(random, 2, "rad"), _number(random, 1, "rad/s")
    if kind is Revolute or kind is Prismatic:
        return kind(parent, at, _axis(random), angle, rate)
    if kind is Cylindrical:
        slide = _number(random, 1, "m"), _number(random, 1, "m/s")
        return Cylindrical(parent, at, _axis(random), angle, rate, *slide)
    if kind is Universal:
        second = _number(random, 1, "rad"), _number(random, 1, "rad/s")
        return Universal(parent, at, _axis(random), _axis(random), angle, rate, *second)
    if kind is Spherical:
        return Spherical(parent, at, _vector(random, 1.5, "rad"), _vector(random, 1, "rad/s"))
    if kind is Floating:
        speeds = _vector(random, 1, "m/s"), _vector(random, 1, "rad/s")
        return Floating(parent, at, _vector(random, 1.5, "rad"), *speeds)
    return Fixed(parent, at, _vector(random, 1.5, "rad"))


JOINTS = (Revolute, Prismatic, Cylindrical, Universal, Spherical, Floating, Fixed)


def any_body(name: str, joint: Joint, random: np.random.Generator) -> Body:
    """A body whose principal axes point anywhere."""
    lengths = random.uniform(0.2, 1.0, 3) ** 2
    turn = turned(random.uniform(-2, 2, 3))
    j = turn @ np.diag(lengths.sum() - lengths) @ turn.T
    six = tuple(float(x) for x in (j[0, 0], j[1, 1], j[2, 2], j[0, 1], j[0, 2], j[1, 2]))
    mass = assumed(float(random.uniform(1, 5)), "kg")
    inertia = Tensor(six, "kg m²", "assumed")
    return Body(name, joint, mass, _vector(random, 1, "m"), inertia, _RIG.bodies[0].shapes)


def machine_of(bodies: list[Body], **changes: object) -> Machine:
    """A tree of bodies under gravity that has no axis of its own."""
    gravity = Vector((1.0, -9.0, 3.0), "m/s²", "assumed")
    bare = replace(_RIG, name="machine", gravity=gravity, bodies=tuple(bodies), loops=(), independent=())
    return replace(without_oil(bare), **changes)


def any_tree(count: int, seed: int, kinds: tuple[type, ...] = JOINTS, chain: bool = False) -> Machine:
    """Bodies on random parents by joints of all kinds."""
    random = np.random.default_rng(seed)
    bodies: list[Body] = []
    for i in range(count):
        names = [GROUND, *(b.name for b in bodies)]
        parent = names[-1] if chain else str(random.choice(names))
        kind = kinds[int(random.integers(len(kinds)))] if bodies else kinds[0]
        bodies.append(any_body(f"b{i}", any_joint(kind, parent, random), random))
    return machine_of(bodies)


LOOPS = (CutRevolute, CutSpherical, CutTranslational, PointOnLine, Rod)


def closed_by(machine: Machine, kind: type, body_a: str, body_b: str, seed: int) -> Machine:
    """The machine with one more cut joint between two bodies, closed where they happen to be."""
    random = np.random.default_rng(seed)
    where = poses(machine, start_angles(machine))
    (turn_a, origin_a), (turn_b, _) = where[body_a], where[body_b]
    b = Mount(body_b, place(*(float(x) for x in random.uniform(-1, 1, 3))))
    axis = np.array(_axis(random))  # in ground directions
    side = plane(tuple(axis))[0]

    def on(turn: np.ndarray, direction: np.ndarray) -> tuple[float, float, float]:
        x, y, z = (float(value) for value in turn.T @ direction)
        return x, y, z

    offset = 0.3 * axis if kind in (CutTranslational, PointOnLine, Rod) else np.zeros(3)
    a = Mount(body_a, place(*(float(x) for x in turn_a.T @ (point(where, b) - offset - origin_a))))
    name = f"{body_a} to {body_b}"
    loop: Loop
    if kind is CutRevolute:
        loop = CutRevolute(name, a, b, on(turn_a, axis), on(turn_b, axis))
    elif kind is CutSpherical:
        loop = CutSpherical(name, a, b)
    elif kind is CutTranslational:
        slide = on(turn_a, axis), on(turn_b, axis)
        loop = CutTranslational(name, a, b, *slide, on(turn_a, side), on(turn_b, side))
    elif kind is PointOnLine:
        loop = PointOnLine(name, a, b, on(turn_a, axis))
    else:
        loop = Rod(name, a, b, assumed(0.3, "m"))
    return replace(machine, loops=(*machine.loops, loop))
