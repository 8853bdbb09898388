"""Computes gap, Jacobian, rate and curvature of loop rows. Each row is a wrench between two bodies.

Point row, direction n fixed to body a: gap = n·(r_b - r_a), wrench = [n, r_b x n].
Rod row: like a point row with n along the rod, gap = |r_b - r_a| - length.
Tilt row, direction n fixed to a and hinge h to b: gap = n·h, wrench = [0, h x n].
For all rows the rate of the gap is wrench · (Z_b - Z_a).
"""

from __future__ import annotations

from math import sqrt

from simcore.algebra.vector3 import (
    Triple,
    carried,
    cross,
    dot,
    dot6,
    minus,
    plus,
    point_velocity,
    rotated,
    store,
    times,
    triple,
)
from simcore.kernels.jit import inner
from simcore.model.plan import ROD, TILT, Plan, Records
from simcore.model.workspace import Workspace
from simcore.multibody.kinematics import path_row


@inner
def _far_end(row: Records, b: Records) -> Triple:
    """Point or hinge of body b that the row refers to."""
    return rotated(b.rotation, row.hinge) if row.kind == TILT else carried(b, row.at_b)


@inner
def place_rows(plan: Plan, ws: Workspace) -> None:
    """Gap of every row and its gradient with respect to the coordinates."""
    for k in range(len(plan.rows)):
        row, here = plan.rows[k], ws.rows[k]
        a, b = ws.bodies[row.a], ws.bodies[row.b]
        n = rotated(a.rotation, row.direction)
        far = _far_end(row, b)
        if row.kind == TILT:
            here.gap = dot(n, far)
            store((0.0, 0.0, 0.0), here.wrench[:3])
        else:
            arm = minus(far, carried(a, row.at_a))
            if row.kind == ROD:
                length = sqrt(dot(arm, arm))
                n = times(1.0 / length, arm)
                here.gap = length - row.length
            else:
                here.gap = dot(n, arm)
            store(n, here.wrench[:3])
        store(cross(far, n), here.wrench[3:])
        path_row(plan, ws, row.a, row.b, here.wrench, ws.jac[k])


@inner
def move_rows(plan: Plan, ws: Workspace) -> None:
    """Rate of every gap, and its second derivative at zero joint acceleration (Φ̇_z ż)."""
    for k in range(len(plan.rows)):
        row, here = plan.rows[k], ws.rows[k]
        a, b = ws.bodies[row.a], ws.bodies[row.b]
        far = _far_end(row, b)
        w_a, w_b = triple(a.twist[3:]), triple(b.twist[3:])
        is_tilt = row.kind == TILT
        dfar = cross(w_b, far) if is_tilt else point_velocity(b, far)
        if row.kind == ROD:
            n = triple(here.wrench[:3])
            near = carried(a, row.at_a)
            darm = minus(dfar, point_velocity(a, near))
            dn = times(1.0 / (here.gap + row.length), minus(darm, times(dot(n, darm), n)))
        else:
            n = rotated(a.rotation, row.direction)
            dn = cross(w_a, n)
        # wrench' · (Z_b - Z_a) + wrench · (Z_b - Z_a)' without joint accelerations
        curve = dot(plus(cross(dfar, n), cross(far, dn)), minus(w_b, w_a))
        if not is_tilt:
            curve += dot(dn, minus(triple(b.twist[:3]), triple(a.twist[:3])))
        here.curve = curve + dot6(here.wrench, b.bias) - dot6(here.wrench, a.bias)
        here.rate = dot6(here.wrench, b.twist) - dot6(here.wrench, a.twist)
