"""Computes the largest loads that neither tip the truck nor overstress a beam, with closed-form statics."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from simcore.machines.loader_crane.structure import support, tip
from simcore.model.case import Chosen
from simcore.model.elements import Machine, Mount
from simcore.model.geometry import point, poses, start_angles

_HANGING = {"link", "hook"}
_BEAMS = {"boom": "main boom", "jib": "folding boom", "extension": "extension"}
_OUTER = {  # what each beam carries
    "boom": ("boom", "jib", "extension", *_HANGING),
    "jib": ("jib", "extension", *_HANGING),
    "extension": ("extension", *_HANGING),
}
_DIRECTIONS = 72  # slewing angles to check


def _weights(machine: Machine, names: Iterable[str]) -> list[tuple[float, np.ndarray]]:
    """Masses, kg, and their positions, m, in the start pose."""
    where = poses(machine, start_angles(machine))
    listed = set(names)
    return [
        (float(b.mass), point(where, Mount(b.name, b.centre))) for b in machine.bodies if b.name in listed
    ]


def tipping_load(machine: Machine, chosen: Chosen) -> float:
    """Largest rated load, kg: with the overload factor it must not tip the truck in any slewing direction.

    About each edge of the support polygon, the moment of the weights inside must exceed that outside.
    """
    truck = _weights(machine, ["truck"])
    crane = _weights(machine, ["column", *_OUTER["boom"]])
    (_, hook), *_ = _weights(machine, ["load"])
    feet = support(chosen)
    most = math.inf
    for k in range(_DIRECTIONS):
        turn = 2 * math.pi * k / _DIRECTIONS
        c, s = math.cos(turn), math.sin(turn)
        for (ax, az), (bx, bz) in zip(feet, (*feet[1:], feet[0]), strict=True):
            # inward normal of the edge, for feet that go round with z to x
            nx, nz = (bz - az), -(bx - ax)
            size = math.hypot(nx, nz)

            def inside(x: float, z: float) -> float:
                return ((x - ax) * nx + (z - az) * nz) / size  # noqa: B023 - used within the turn

            sign = 1.0 if inside(chosen.number("truck_centre"), 0.0) > 0 else -1.0
            held = sum(m * sign * inside(at[0], at[2]) for m, at in truck)
            held += sum(m * sign * inside(c * at[0] + s * at[2], -s * at[0] + c * at[2]) for m, at in crane)
            lever = sign * inside(c * hook[0] + s * hook[2], -s * hook[0] + c * hook[2])
            if lever < 0:
                most = min(most, max(held, 0.0) / -lever / chosen.number("overload"))
    return most


def section_modulus(chosen: Chosen, name: str) -> float:
    """Section modulus of a box beam at its hinge for bending in its plane, m³: outer minus inner part."""
    h, w = chosen.number(f"{name}_height"), chosen.number(f"{name}_width")
    t = chosen.number(f"{name}_wall")
    return (w * h**3 - (w - 2 * t) * (h - 2 * t) ** 3) / (6 * h)


def bending_load(machine: Machine, chosen: Chosen) -> tuple[float, str]:
    """Largest load, kg, at which no beam exceeds its permitted stress at its root, and the limiting beam.

    The extension is checked where it leaves the folding boom.
    """
    where = poses(machine, start_angles(machine))
    (_, hook), *_ = _weights(machine, ["load"])
    allowed = chosen.number("yield_stress") / chosen.number("structure_factor")
    found = []
    for name, title in _BEAMS.items():
        root = where[name][1] if name != "extension" else _mouth(chosen, where)
        own = sum(m * (at[0] - root[0]) for m, at in _weights(machine, _OUTER[name]))
        gravity = chosen.number("gravity")
        left = allowed * section_modulus(chosen, name) / gravity - own
        lever = hook[0] - root[0]
        if lever > 0.05:
            found.append((max(left, 0.0) / lever, title))
    return min(found)


def _mouth(chosen: Chosen, where: dict[str, tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    turn, origin = where["jib"]
    return np.asarray(origin + turn @ np.array([tip(chosen) - 0.15, 0.0, 0.0]))
