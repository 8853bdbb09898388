"""Random machines in space, without hydraulics, for tests of the mechanics."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from simcore import cases
from simcore.model.elements import GROUND, Body, CutRevolute, Machine, Mount, Revolute
from simcore.model.geometry import point, poses
from simcore.model.quantity import Vector, assumed, place

_RIG = cases.get("four-bar-b").build()


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
        shape=_RIG.bodies[0].shape,
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
