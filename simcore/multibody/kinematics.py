"""Computes poses and velocities along the tree, from the ground outwards (Jaiswal 2021, section 2.1).

Z form: the velocity of a body is given for its point that is at the origin at this instant, so velocities,
b vectors and inertias of a subtree add without transforms.
"""

from __future__ import annotations

from math import cos, sin

from simcore.algebra.vector3 import (
    carried,
    cross,
    dot6,
    plus,
    point_velocity,
    rotated,
    store,
    times,
    triple,
)
from simcore.kernels.jit import inner
from simcore.model.plan import PRISMATIC, REVOLUTE, Plan, Records
from simcore.model.workspace import Array, Workspace
from simcore.multibody.rotations import rotate_ball


@inner
def _rotate(parent: Array, axis: Array, angle: float, out: Array) -> None:
    """out = parent @ rotation about the axis (Rodrigues' formula)."""
    c, s = cos(angle), sin(angle)
    x, y, z = axis[0], axis[1], axis[2]
    t = 1.0 - c
    for i in range(3):
        u0, u1, u2 = parent[i, 0], parent[i, 1], parent[i, 2]
        out[i, 0] = u0 * (c + t * x * x) + u1 * (t * x * y + s * z) + u2 * (t * x * z - s * y)
        out[i, 1] = u0 * (t * x * y - s * z) + u1 * (c + t * y * y) + u2 * (t * y * z + s * x)
        out[i, 2] = u0 * (t * x * z + s * y) + u1 * (t * y * z - s * x) + u2 * (c + t * z * z)


@inner
def place_bodies(bodies: Records, present: Records, z: Array, moving: Records) -> None:
    """Pose, centre of mass and b vector of every body: [r x n, n] for a turn, [n, 0] for a slide.

    present: bodies in the condition. z: coordinates, then the quaternions of the ball joints.
    """
    for i in range(1, len(bodies)):
        body = bodies[i]
        here = moving[i]
        up = moving[body.carrier]
        origin = carried(up, body.at)
        axis = rotated(up.rotation, body.axis)
        here.hold = body.stiffness * (z[i - 1] - body.rest) - present[i].unexplained
        if body.kind == PRISMATIC:
            origin = plus(origin, times(z[i - 1], axis))
            store(axis, here.b[:3])
            store((0.0, 0.0, 0.0), here.b[3:])
        else:
            store(cross(origin, axis), here.b[:3])
            store(axis, here.b[3:])
        store(origin, here.origin)
        if body.kind == REVOLUTE:
            _rotate(up.rotation, body.axis, z[i - 1], here.rotation)
        elif body.ball >= 0:
            rotate_ball(bodies, z, i, up.rotation, here.rotation)
        else:
            for k in range(3):
                store(triple(up.rotation[k]), here.rotation[k])
        store(carried(here, present[i].centre), here.centre)


@inner
def move_bodies(bodies: Records, v: Array, moving: Records) -> None:
    """Velocity Z and velocity-dependent acceleration of every body.

    Z = Z_up + b v and dZ/dt = dZ_up/dt + b a + d with d = (db/dt) v; the joint's point r and axis n move
    with their carrier: dr/dt = s + ω x r, dn/dt = ω x n. The three turns of a ball joint share one carrier,
    whose axes do not turn with the first two: together they give ω x (relative angular velocity).
    """
    for i in range(1, len(bodies)):
        here = moving[i]
        up = moving[bodies[i].parent]
        on = moving[bodies[i].carrier]
        rate = v[i - 1]
        here.drag = bodies[i].damping * rate
        if bodies[i].kind == PRISMATIC:
            store(times(rate, cross(triple(on.twist[3:]), triple(here.b[:3]))), here.d[:3])
            store((0.0, 0.0, 0.0), here.d[3:])
        else:
            r, n = triple(here.origin), triple(here.b[3:])
            dr = point_velocity(on, r)
            dn = cross(triple(on.twist[3:]), n)
            store(times(rate, plus(cross(dr, n), cross(r, dn))), here.d[:3])
            store(times(rate, dn), here.d[3:])
        for k in range(6):
            here.twist[k] = up.twist[k] + here.b[k] * rate
            here.bias[k] = up.bias[k] + here.d[k]


@inner
def accelerate_bodies(bodies: Records, a: Array, moving: Records) -> None:
    """dZ/dt of every body for joint accelerations a."""
    for i in range(1, len(bodies)):
        here = moving[i]
        up = moving[bodies[i].parent]
        for k in range(6):
            here.accel[k] = up.accel[k] + here.b[k] * a[i - 1] + here.d[k]


@inner
def path_row(plan: Plan, ws: Workspace, a: int, b: int, wrench: Array, row: Array) -> None:
    """row[j] = wrench · ∂(Z_b - Z_a)/∂v_j: walk from both bodies to the ground."""
    row[:] = 0.0
    i = b
    while i > 0:
        row[i - 1] += dot6(wrench, ws.bodies[i].b)
        i = plan.bodies[i].parent
    i = a
    while i > 0:
        row[i - 1] -= dot6(wrench, ws.bodies[i].b)
        i = plan.bodies[i].parent
