"""Where the parts of a machine are: plain numpy, for checks, displays and statics.

The engine has its own compiled kinematics; this one is written independently of it, so each tests the other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simcore.errors import BadMachine
from simcore.model.elements import GROUND, Axis, CutRevolute, Cylinder, Machine, Mount

Array = npt.NDArray[np.float64]
Pose = tuple[Array, Array]  # rotation body -> ground, origin in ground, m

CLOSED = 1e-12  # residual of a loop that counts as closed, m
_SETTLED = 1e-9  # accepted when rounding stops the iteration
_NUDGE = 1e-6  # rad, for central differences


def rotation(axis: Axis, angle: float) -> Array:
    """Rotation matrix about a unit axis (Rodrigues' formula)."""
    n = np.asarray(axis, dtype=float)
    cross = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)


def poses(machine: Machine, z: Array) -> dict[str, Pose]:
    """Pose of every body for relative joint angles z (rad, in the order of the bodies)."""
    found: dict[str, Pose] = {GROUND: (np.eye(3), np.zeros(3))}
    for body, angle in zip(machine.bodies, z, strict=True):
        turn, origin = found[body.joint.parent]
        found[body.name] = (
            turn @ rotation(body.joint.axis, float(angle)),
            origin + turn @ np.asarray(body.joint.at.xyz),
        )
    return found


def point(where: dict[str, Pose], mount: Mount) -> Array:
    """A mount in ground coordinates, m."""
    turn, origin = where[mount.body]
    return np.asarray(origin + turn @ np.asarray(mount.at.xyz))


def plane(axis: Axis) -> tuple[Array, Array]:
    """Two unit vectors that span the plane across an axis."""
    n = np.asarray(axis, dtype=float)
    helper = np.eye(3)[int(np.argmin(np.abs(n)))]
    first = helper - n * (n @ helper)
    first /= np.linalg.norm(first)
    return first, np.cross(n, first)


def loop_rows(loop: CutRevolute, where: dict[str, Pose]) -> Array:
    """The five equations of a cut hinge: gap in three directions fixed to body a, tilt about two."""
    turn_a, turn_b = where[loop.a.body][0], where[loop.b.body][0]
    first, second = plane(loop.axis_a)
    gap = point(where, loop.b) - point(where, loop.a)
    directions = [turn_a @ first, turn_a @ second, turn_a @ np.asarray(loop.axis_a)]
    hinge_b = turn_b @ np.asarray(loop.axis_b)
    return np.array([d @ gap for d in directions] + [directions[0] @ hinge_b, directions[1] @ hinge_b])


def gaps(machine: Machine, z: Array) -> Array:
    """All loop equations of the machine, five per cut hinge."""
    where = poses(machine, z)
    return np.concatenate([loop_rows(loop, where) for loop in machine.loops] or [np.zeros(0)])


def start_angles(machine: Machine) -> Array:
    """Joint angles at t = 0: independent ones as given, the others moved until every loop closes."""
    z = np.array([float(body.joint.start) for body in machine.bodies])
    return close(machine, z)


def close(machine: Machine, guess: Array) -> Array:
    """Solve the dependent angles with Gauss-Newton; refuse a loop that cannot be closed."""
    z = guess.copy()
    moving = [i for i, body in enumerate(machine.bodies) if body.name not in machine.independent]
    for _ in range(30):
        residual = gaps(machine, z)
        if residual.size == 0 or np.max(np.abs(residual)) < CLOSED:
            return z
        z[moving] -= np.linalg.lstsq(_gap_jacobian(machine, z)[:, moving], residual, rcond=1e-9)[0]
    residual = gaps(machine, z)
    if np.max(np.abs(residual)) < _SETTLED:
        return z
    worst = int(np.argmax(np.abs(residual)))
    raise BadMachine(
        f"loop {machine.loops[worst // 5].name!r} of {machine.name!r} does not close: "
        f"{abs(residual[worst]):.3g} m remain; check body lengths and joint positions"
    )


def _gap_jacobian(machine: Machine, z: Array) -> Array:
    """∂gaps/∂z by central differences."""
    columns = []
    for nudge in _NUDGE * np.eye(z.size):
        columns.append((gaps(machine, z + nudge) - gaps(machine, z - nudge)) / (2 * _NUDGE))
    return np.array(columns).T


def cylinder_length(machine: Machine, cylinder: Cylinder, z: Array) -> float:
    """Distance of a cylinder's two mounts, m."""
    where = poses(machine, z)
    return float(np.linalg.norm(point(where, cylinder.rod) - point(where, cylinder.base)))


def potential_energy(machine: Machine, z: Array) -> float:
    """Energy of weight, J; zero with every centre of mass at the origin."""
    where = poses(machine, z)
    gravity = np.asarray(machine.gravity.xyz)
    return -sum(
        float(body.mass) * float(gravity @ point(where, Mount(body.name, body.centre)))
        for body in machine.bodies
    )


def static_force(machine: Machine) -> float:
    """Push of the only cylinder that holds the machine still at its start, N, by virtual work: F = dV/ds."""
    if len(machine.cylinders) != 1 or len(machine.independent) != 1:
        raise BadMachine(f"{machine.name!r}: the static force needs one cylinder and one independent joint")
    z = start_angles(machine)
    index = [body.name for body in machine.bodies].index(machine.independent[0])
    energy, length = [], []
    for nudge in (1e-5, -1e-5):
        moved = z.copy()
        moved[index] += nudge
        moved = close(machine, moved)
        energy.append(potential_energy(machine, moved))
        length.append(cylinder_length(machine, machine.cylinders[0], moved))
    return (energy[0] - energy[1]) / (length[0] - length[1])
