"""Computes the positions of a machine's parts in plain numpy, for checks, displays and statics.

The engine has its own compiled kinematics; this module is independent of it, so each tests the other.
Coordinates are those of the described joints, body by body; a ball joint has a rotation vector.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from simcore.errors import BadMachine
from simcore.model.elements import (
    GROUND,
    Axis,
    CutRevolute,
    CutSpherical,
    CutTranslational,
    Cylinder,
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
from simcore.model.quantity import Tensor, Vector

Array = npt.NDArray[np.float64]
Pose = tuple[Array, Array]  # rotation body -> ground, origin in ground, m

CLOSED = 1e-12  # residual of a loop that counts as closed, m
_SETTLED = 1e-9  # accepted when rounding stops the iteration
_NUDGE = 1e-6  # rad or m, for central differences
_EYE = np.eye(3)
_MOVES = {Revolute: 1, Prismatic: 1, Cylindrical: 2, Universal: 2, Spherical: 3, Floating: 6, Fixed: 0}


def rotation(axis: Axis, angle: float) -> Array:
    """Rotation matrix about a unit axis (Rodrigues' formula)."""
    cross, twice = _crossing(axis)
    return np.asarray(_EYE + np.sin(angle) * cross + (1 - np.cos(angle)) * twice)


@lru_cache(maxsize=64)
def _crossing(axis: Axis) -> tuple[Array, Array]:
    """Cross-product matrix of an axis, and its square; cached because machines have few axes."""
    n = np.asarray(axis, dtype=float)
    cross = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return cross, cross @ cross


def turned(vector: Array) -> Array:
    """Rotation matrix of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    return np.eye(3) if angle == 0 else rotation(tuple(vector / angle), angle)


def rotation_vector(turn: Array) -> Array:
    """Rotation vector of a rotation matrix, at most half a turn."""
    return rotation_vector_of(quaternion(turn))


def rotation_vector_of(four: Array) -> Array:
    """Rotation vector of a unit quaternion."""
    w, x, y, z = four if four[0] >= 0 else -four
    size = float(np.linalg.norm((x, y, z)))
    if size < 1e-300:
        return np.zeros(3)
    return np.asarray(np.array([x, y, z]) * (2 * np.arctan2(size, w) / size))


def quaternion(turn: Array) -> Array:
    """Unit quaternion of a rotation matrix, scalar first and not negative."""
    trace = float(np.trace(turn))
    rows = np.empty((4, 4))
    rows[0, 0] = 1 + trace
    rows[0, 1:] = rows[1:, 0] = turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]
    rows[1:, 1:] = turn + turn.T + (1 - trace) * np.eye(3)
    best = rows[int(np.argmax(np.abs(np.diag(rows))))]  # rows are 4 q_i q: take the longest
    found = best / np.linalg.norm(best)
    return np.asarray(-found if found[0] < 0 else found)


def moves(joint: Joint) -> int:
    """Number of coordinates of a joint."""
    return _MOVES[type(joint)]


def coordinates(machine: Machine) -> dict[str, slice]:
    """Slice of each body's own coordinates within all coordinates."""
    found, first = {}, 0
    for body in machine.bodies:
        found[body.name] = slice(first, first + moves(body.joint))
        first += moves(body.joint)
    return found


def count(machine: Machine) -> int:
    """Number of coordinates of the tree."""
    return sum(moves(body.joint) for body in machine.bodies)


def _joint_start(joint: Joint) -> list[float]:
    match joint:
        case Revolute() | Prismatic():
            return [float(joint.start)]
        case Cylindrical():
            return [float(joint.start), float(joint.slide_start)]
        case Universal():
            return [float(joint.start), float(joint.second_start)]
        case Spherical():
            return list(joint.turn.xyz)
        case Floating():
            return [0.0, 0.0, 0.0, *joint.turn.xyz]
    return []


def _joint_rates(joint: Joint) -> list[float]:
    match joint:
        case Revolute() | Prismatic():
            return [float(joint.rate)]
        case Cylindrical():
            return [float(joint.rate), float(joint.slide_rate)]
        case Universal():
            return [float(joint.rate), float(joint.second_rate)]
        case Spherical():
            return list(joint.rate.xyz)
        case Floating():
            return [*joint.velocity.xyz, *joint.rate.xyz]
    return []


def start_rates(machine: Machine) -> Array:
    """Joint velocities as described."""
    return np.array([x for body in machine.bodies for x in _joint_rates(body.joint)])


def _joint_pose(joint: Joint, z: Array) -> Pose:
    """Pose of a body relative to its parent."""
    at = np.asarray(joint.at.xyz)
    match joint:
        case Revolute():
            return rotation(joint.axis, float(z[0])), at
        case Prismatic():
            return np.eye(3), at + z[0] * np.asarray(joint.axis)
        case Cylindrical():
            return rotation(joint.axis, float(z[0])), at + z[1] * np.asarray(joint.axis)
        case Universal():
            return rotation(joint.axis_first, float(z[0])) @ rotation(joint.axis_second, float(z[1])), at
        case Spherical():
            return turned(z), at
        case Floating():
            return turned(z[3:]), at + z[:3]
        case Fixed():
            return turned(np.asarray(joint.turn.xyz)), at


def poses(machine: Machine, z: Array) -> dict[str, Pose]:
    """Pose of every body for the coordinates z."""
    found: dict[str, Pose] = {GROUND: (np.eye(3), np.zeros(3))}
    for body, place in zip(machine.bodies, coordinates(machine).values(), strict=True):
        turn, origin = found[body.joint.parent]
        relative, at = _joint_pose(body.joint, z[place])
        found[body.name] = (turn @ relative, origin + turn @ at)
    return found


def shifted(machine: Machine, z: Array, change: Array) -> Array:
    """Coordinates after a small motion along the joint velocities; balls turn about their parent's axes."""
    found = z + change
    for body, place in zip(machine.bodies, coordinates(machine).values(), strict=True):
        if isinstance(body.joint, Spherical | Floating):
            ball = slice(place.stop - 3, place.stop)
            found[ball] = rotation_vector(turned(change[ball]) @ turned(z[ball]))
    return found


def point(where: dict[str, Pose], mount: Mount) -> Array:
    """A mount in ground coordinates, m."""
    turn, origin = where[mount.body]
    return np.asarray(origin + turn @ np.asarray(mount.at.xyz))


def plane(axis: Axis) -> tuple[Array, Array]:
    """Two unit vectors that span the plane perpendicular to an axis."""
    n = np.asarray(axis, dtype=float)
    helper = np.eye(3)[int(np.argmin(np.abs(n)))]
    first = helper - n * (n @ helper)
    first /= np.linalg.norm(first)
    return first, np.cross(n, first)


@lru_cache(maxsize=64)
def closing(loop: Loop) -> tuple[list[Array], list[tuple[Array, Array]]]:
    """Equations of a cut joint.

    Directions fixed to a in which the points coincide, and pairs of directions (fixed to a, fixed to b) that
    stay perpendicular. A rod has neither.
    """
    match loop:
        case CutRevolute():
            first, second = plane(loop.axis_a)
            hinge = np.array(loop.axis_b)
            return [first, second, np.array(loop.axis_a)], [(first, hinge), (second, hinge)]
        case CutSpherical():
            return list(np.eye(3)), []
        case PointOnLine():
            return list(plane(loop.axis_a)), []
        case CutTranslational():
            first = np.array(loop.axis_side_a)
            second = np.cross(loop.axis_a, first)
            slide = np.array(loop.axis_b)
            return [first, second], [(first, slide), (second, slide), (second, np.array(loop.axis_side_b))]
        case Rod():
            return [], []


def loop_rows(loop: Loop, where: dict[str, Pose]) -> Array:
    """Residuals of the equations of a cut joint at a pose."""
    gap = point(where, loop.b) - point(where, loop.a)
    if isinstance(loop, Rod):
        return np.array([np.linalg.norm(gap) - float(loop.length)])
    turn_a, turn_b = where[loop.a.body][0], where[loop.b.body][0]
    directions, pairs = closing(loop)
    return np.array([turn_a @ d @ gap for d in directions] + [turn_a @ n @ turn_b @ h for n, h in pairs])


def gaps(machine: Machine, z: Array) -> Array:
    """Residuals of all loop equations of the machine, loop by loop."""
    where = poses(machine, z)
    return np.concatenate([loop_rows(loop, where) for loop in machine.loops] or [np.zeros(0)])


def row_owners(machine: Machine) -> list[str]:
    """Name of the loop that each equation belongs to."""
    owners = []
    for loop in machine.loops:
        directions, pairs = closing(loop)
        owners += [loop.name] * max(1, len(directions) + len(pairs))
    return owners


def start_angles(machine: Machine) -> Array:
    """Coordinates at t = 0: independent ones as given, the others solved so that every loop closes."""
    return close(machine, np.array([x for body in machine.bodies for x in _joint_start(body.joint)]))


def close(machine: Machine, guess: Array) -> Array:
    """Solve the dependent coordinates with Gauss-Newton; refuse a loop that cannot be closed."""
    z = guess.copy()
    where = coordinates(machine)
    moving = np.ones(z.size, dtype=bool)
    for name in machine.independent:
        moving[where[name]] = False
    for _ in range(30):
        residual = gaps(machine, z)
        if residual.size == 0 or np.max(np.abs(residual)) < CLOSED:
            return z
        change = np.zeros(z.size)
        change[moving] = -np.linalg.lstsq(gap_jacobian(machine, z, moving), residual, rcond=1e-9)[0]
        z = shifted(machine, z, change)
    residual = gaps(machine, z)
    size = max((float(np.max(np.abs(m.at.xyz))) for lp in machine.loops for m in (lp.a, lp.b)), default=0.0)
    if np.max(np.abs(residual)) < max(_SETTLED, 1e-14 * size):
        return z
    worst = int(np.argmax(np.abs(residual)))
    raise BadMachine(
        f"loop {row_owners(machine)[worst]!r} of {machine.name!r} does not close: "
        f"a gap of {abs(residual[worst]):.3g} m remains; check body lengths and joint positions"
    )


def gap_jacobian(machine: Machine, z: Array, moving: npt.NDArray[np.bool_] | None = None) -> Array:
    """Derivatives of the gaps with respect to all or the given joint motions, from central differences."""
    columns = []
    nudges = _NUDGE * np.eye(z.size)
    for nudge in nudges if moving is None else nudges[moving]:
        high, low = gaps(machine, shifted(machine, z, nudge)), gaps(machine, shifted(machine, z, -nudge))
        columns.append((high - low) / (2 * _NUDGE))
    return np.array(columns).T


def inertia_matrix(inertia: Vector | Tensor) -> Array:
    """Inertia about the centre of mass as a matrix in body axes, kg m²."""
    if isinstance(inertia, Vector):
        return np.diag(np.asarray(inertia.xyz, dtype=float))
    xx, yy, zz, xy, xz, yz = inertia.six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)


def cylinder_length(machine: Machine, cylinder: Cylinder, z: Array) -> float:
    """Distance between a cylinder's two mounts, m."""
    where = poses(machine, z)
    return float(np.linalg.norm(point(where, cylinder.rod) - point(where, cylinder.base)))


def potential_energy(machine: Machine, z: Array) -> float:
    """Potential energy of gravity, J; zero with every centre of mass at the origin."""
    where = poses(machine, z)
    gravity = np.asarray(machine.gravity.xyz)
    return -sum(
        float(body.mass) * float(gravity @ point(where, Mount(body.name, body.centre)))
        for body in machine.bodies
    )


def static_force(machine: Machine) -> float:
    """Force of the only cylinder that holds the machine still at its start, N: dV/ds (virtual work)."""
    if len(machine.cylinders) != 1 or len(machine.independent) != 1:
        raise BadMachine(
            f"{machine.name!r}: a static force needs exactly one cylinder and one independent joint"
        )
    z = start_angles(machine)
    index = coordinates(machine)[machine.independent[0]].start
    energy, length = [], []
    for nudge in (1e-5, -1e-5):
        moved = z.copy()
        moved[index] += nudge
        moved = close(machine, moved)
        energy.append(potential_energy(machine, moved))
        length.append(cylinder_length(machine, machine.cylinders[0], moved))
    return (energy[0] - energy[1]) / (length[0] - length[1])
