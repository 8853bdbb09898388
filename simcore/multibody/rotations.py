"""Rotations of ball joints, as quaternions in tuples, scalar first (docs/methods/joints.md)."""

from __future__ import annotations

from math import cos, sin, sqrt, tan

from simcore.algebra.vector3 import Triple, cross, dot, plus, times, triple
from simcore.kernels.jit import inner, kernel, outlined
from simcore.model.plan import Plan, Records
from simcore.model.workspace import Array

Four = tuple[float, float, float, float]
_SMALL = 1e-4  # rad; below it series are exact to rounding


@inner
def exponential(theta: Triple) -> Four:
    """Quaternion of a rotation vector, rad."""
    size2 = dot(theta, theta)
    size = sqrt(size2)
    share = 0.5 - size2 / 48.0 if size < _SMALL else sin(0.5 * size) / size
    return cos(0.5 * size), share * theta[0], share * theta[1], share * theta[2]


@inner
def after(p: Four, q: Four) -> Four:
    """Product of two rotations, first q, then p, normalised to unit length."""
    w = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3]
    x = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2]
    y = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1]
    z = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]
    share = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    return share * w, share * x, share * y, share * z


@inner
def increment(bodies: Records, z: Array, i: int) -> Triple:
    """Rotation vector of the ball joint that ends at body i, along the axes of its parent, rad."""
    theta = (0.0, 0.0, 0.0)
    for k in range(i - 2, i + 1):
        theta = plus(theta, times(z[k - 1], triple(bodies[k].axis)))
    return theta


@inner
def attitude(bodies: Records, z: Array, i: int) -> Four:
    """Rotation of a ball joint: its quaternion, stored in z after the coordinates, then its increment."""
    at = len(bodies) - 1 + 4 * bodies[i].ball
    return after(exponential(increment(bodies, z, i)), (z[at], z[at + 1], z[at + 2], z[at + 3]))


@outlined
def rotate_ball(bodies: Records, coordinates: Array, i: int, parent: Array, out: Array) -> None:
    """out = parent @ rotation matrix of the ball joint that ends at body i."""
    w, x, y, z = attitude(bodies, coordinates, i)
    for i in range(3):
        a, b, c = parent[i, 0], parent[i, 1], parent[i, 2]
        out[i, 0] = a * (1 - 2 * (y * y + z * z)) + b * 2 * (x * y + w * z) + c * 2 * (x * z - w * y)
        out[i, 1] = a * 2 * (x * y - w * z) + b * (1 - 2 * (x * x + z * z)) + c * 2 * (y * z + w * x)
        out[i, 2] = a * 2 * (x * z + w * y) + b * 2 * (y * z - w * x) + c * (1 - 2 * (x * x + y * y))


@kernel
def keep_attitudes(plan: Plan, state: Array) -> None:
    """Move the increments of all ball joints into their quaternions; positions do not change."""
    head = plan.head[0]
    if head.balls == 0:
        return
    z = state[head.at_z : head.at_v]
    for i in range(1, len(plan.bodies)):
        if plan.bodies[i].ball >= 0:
            at = head.coords + 4 * plan.bodies[i].ball
            z[at], z[at + 1], z[at + 2], z[at + 3] = attitude(plan.bodies, z, i)
            for k in range(i - 3, i):
                z[k] = 0.0


@inner
def increment_rate(theta: Triple, w: Triple) -> Triple:
    """Rate of a rotation vector minus w, for an angular velocity w: -θ x w / 2 + c θ x (θ x w)."""
    size2 = dot(theta, theta)
    half = 0.5 * sqrt(size2)
    share = 1.0 / 12.0 if half < _SMALL else (1.0 - half / tan(half)) / size2
    once = cross(theta, w)
    return plus(times(-0.5, once), times(share, cross(theta, once)))
