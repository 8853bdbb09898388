"""Checks that a machine reaches its poses: loops close, and pistons stay in their tubes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from simcore.errors import BadMachine
from simcore.model.elements import Cylinder, Machine
from simcore.model.geometry import Array, close, coordinates, cylinder_length, start_angles

_APPROACH = 0.1  # rad or m; a far pose is approached in parts so that loops keep their assembly
Poses = Mapping[str, Mapping[str, float]]  # by name: coordinates by body, rad or m


def check_reach(machine: Machine, poses: Poses) -> None:
    """Refuse a machine with a cylinder too short or too long for one of the poses."""
    for name, pose in poses.items():
        z = pose_coordinates(machine, pose, name)
        for cylinder in machine.cylinders:
            _within_stroke(cylinder, cylinder_length(machine, cylinder, z), name)


def pose_coordinates(machine: Machine, pose: Mapping[str, float], name: str) -> Array:
    """All coordinates of a machine in a pose; bodies that the pose does not name keep their start values."""
    z, where = start_angles(machine), coordinates(machine)
    start = z.copy()
    given = tuple(dict.fromkeys((*machine.independent, *pose)))
    way = max((abs(value - start[where[body].start]) for body, value in pose.items()), default=0.0)
    parts = 1 + int(way / _APPROACH) if machine.loops else 1
    try:
        for part in range(1, parts + 1):
            for body, value in pose.items():
                at = where[body].start
                z[at] = start[at] + (value - start[at]) * part / parts
            if machine.loops:
                z = close(replace(machine, independent=given), z)
        return z
    except BadMachine as error:
        raise BadMachine(f"the machine cannot reach pose {name!r}: {error}") from None


def _within_stroke(cylinder: Cylinder, length: float, pose: str) -> None:
    shortest = float(cylinder.reference_length) - float(cylinder.chamber_a_at_reference)
    longest = shortest + float(cylinder.tube_length)
    if not shortest - 1e-9 <= length <= longest + 1e-9:
        raise BadMachine(
            f"cylinder {cylinder.name!r} cannot reach pose {pose!r}: its mounts would be {length:.4g} m "
            f"apart; must be {shortest:.4g} to {longest:.4g} m"
        )


def travel(machine: Machine, cylinder: str) -> tuple[float, float]:
    """Shortest and longest distance between a cylinder's mounts, m."""
    c = next(c for c in machine.cylinders if c.name == cylinder)
    shortest = float(c.reference_length) - float(c.chamber_a_at_reference)
    return shortest, shortest + float(c.tube_length)


def moved_by(machine: Machine, body: str, cylinder: str, length: float) -> float:
    """Coordinate of a body, nearest to its start, at which a cylinder has the given length; by bisection."""
    z, at = start_angles(machine), coordinates(machine)[body].start
    c = next(c for c in machine.cylinders if c.name == cylinder)

    def excess(value: float) -> float:
        moved = z.copy()
        moved[at] = value
        return cylinder_length(machine, c, moved) - length

    span = np.linspace(z[at] - np.pi, z[at] + np.pi, 721)
    values = [excess(x) for x in span]
    crossings = [k for k in range(len(span) - 1) if values[k] * values[k + 1] <= 0]
    if not crossings:
        raise BadMachine(f"cylinder {cylinder!r} cannot be {length:.4g} m long at any position of {body!r}")
    k = min(crossings, key=lambda i: abs(span[i] - z[at]))
    low, high = float(span[k]), float(span[k + 1])
    rising = values[k + 1] > values[k]
    for _ in range(60):
        middle = 0.5 * (low + high)
        if (excess(middle) > 0) == rising:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)
