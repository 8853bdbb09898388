"""Computes accelerations of a tree without loops; the cost is proportional to the number of bodies.

Articulated-body recursion (Featherstone 2008, chapter 7). In the Z form all bodies share one reference point,
so articulated inertias and wrenches of a subtree add without transforms. An inertia is symmetric and stored
as 21 numbers (docs/methods/kinematics.md).
"""

from __future__ import annotations

from simcore.algebra.vector3 import (
    Triple,
    cross,
    dot,
    dot6,
    minus,
    plus,
    point_velocity,
    store,
    times,
    triple,
)
from simcore.kernels.jit import inner
from simcore.model.plan import Plan, Records
from simcore.model.workspace import Array, Workspace
from simcore.multibody.dynamics import across
from simcore.multibody.links import apply_links
from simcore.soil.digging import load_articulated


@inner
def _begin(body: Records, here: Records, gravity: Triple) -> None:
    """A body's own inertia about the origin, and the wrench that it needs at zero joint accelerations.

    Inertia: upper triangle of [m 1, -m g~; m g~, J - m g~ g~] with J = A J_body Aᵀ.
    Wrench: [f, J dω + ω x J ω + g x f] with f = m (ds + dω x g + ω x (s + ω x g) - gravity).
    """
    m, j, full = body.mass, body.inertia, here.articulated
    row_x, row_y, row_z = triple(here.rotation[0]), triple(here.rotation[1]), triple(here.rotation[2])
    along_x, along_y, along_z = across(j, row_x), across(j, row_y), across(j, row_z)
    xx, xy, xz = dot(along_x, row_x), dot(along_x, row_y), dot(along_x, row_z)
    yy, yz, zz = dot(along_y, row_y), dot(along_y, row_z), dot(along_z, row_z)
    w, g = triple(here.twist[3:]), triple(here.centre)
    ds, dw = triple(here.bias[:3]), triple(here.bias[3:])
    spin = (dot((xx, xy, xz), w), dot((xy, yy, yz), w), dot((xz, yz, zz), w))
    turn = (dot((xx, xy, xz), dw), dot((xy, yy, yz), dw), dot((xz, yz, zz), dw))
    acceleration = plus(plus(ds, cross(dw, g)), cross(w, point_velocity(here, g)))
    force = times(m, minus(acceleration, gravity))
    store(force, here.wrench[:3])
    store(plus(plus(turn, cross(w, spin)), cross(g, force)), here.wrench[3:])
    x, y, z = g
    mx, my, mz = m * x, m * y, m * z
    full[0], full[1], full[2], full[3], full[4], full[5] = m, 0.0, 0.0, 0.0, mz, -my
    full[6], full[7], full[8], full[9], full[10] = m, 0.0, -mz, 0.0, mx
    full[11], full[12], full[13], full[14] = m, my, -mx, 0.0
    full[15], full[16], full[17] = xx + my * y + mz * z, xy - mx * y, xz - mx * z
    full[18], full[19], full[20] = yy + mx * x + mz * z, yz - my * z, zz + mx * x + my * y


@inner
def _times(i: Array, x: Array) -> tuple[float, float, float, float, float, float]:
    """Product of a symmetric 6 x 6 matrix, stored as 21 numbers, and a vector."""
    x0, x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4], x[5]
    return (
        i[0] * x0 + i[1] * x1 + i[2] * x2 + i[3] * x3 + i[4] * x4 + i[5] * x5,
        i[1] * x0 + i[6] * x1 + i[7] * x2 + i[8] * x3 + i[9] * x4 + i[10] * x5,
        i[2] * x0 + i[7] * x1 + i[11] * x2 + i[12] * x3 + i[13] * x4 + i[14] * x5,
        i[3] * x0 + i[8] * x1 + i[12] * x2 + i[15] * x3 + i[16] * x4 + i[17] * x5,
        i[4] * x0 + i[9] * x1 + i[13] * x2 + i[16] * x3 + i[18] * x4 + i[19] * x5,
        i[5] * x0 + i[10] * x1 + i[14] * x2 + i[17] * x3 + i[19] * x4 + i[20] * x5,
    )


@inner
def _hand_over(here: Records, up: Records) -> None:
    """Add the articulated inertia and wrench of a joint's subtree to the parent.

    I' = I - U Uᵀ/D and p' = p - U (b·p + h)/D with U = I b, D = b·U and the torque h of springs and drag.
    """
    u = here.spread
    full, total = here.articulated, up.articulated
    at = 0
    for row in range(6):
        share = u[row] * here.pivot
        for column in range(row, 6):
            total[at] += full[at] - share * u[column]
            at += 1
    pull = here.pull * here.pivot
    for k in range(6):
        up.wrench[k] += here.wrench[k] - u[k] * pull


@inner
def accelerate_tree(plan: Plan, force: Array, ws: Workspace, a: Array) -> None:
    """Joint accelerations under joint forces; bodies and links must have been placed and moved."""
    gravity = triple(plan.head[0].gravity)
    last = len(plan.bodies) - 1
    for i in range(1, last + 1):
        _begin(ws.condition.bodies[i], ws.bodies[i], gravity)
    if len(plan.links) > 0:
        apply_links(plan, ws)
    if len(plan.soils) > 0:
        load_articulated(plan.soils, plan.head[0].gravity, ws.bodies, ws.soils)
    for i in range(last, 0, -1):
        here = ws.bodies[i]
        u = here.spread
        u[0], u[1], u[2], u[3], u[4], u[5] = _times(here.articulated, here.b)
        here.pivot = 1.0 / dot6(here.b, u)
        here.pull = dot6(here.b, here.wrench) + here.hold + here.drag - force[i - 1]
        up = plan.bodies[i].parent
        if up > 0:
            _hand_over(here, ws.bodies[up])
    # here.accel: what joint accelerations add to the bias
    for i in range(1, last + 1):
        here, up = ws.bodies[i], ws.bodies[plan.bodies[i].parent]
        a[i - 1] = -(dot6(here.spread, up.accel) + here.pull) * here.pivot
        for k in range(6):
            here.accel[k] = up.accel[k] + here.b[k] * a[i - 1]
