"""Loop rows: gap, Jacobian, rate and curvature. Each row is a wrench that acts between two bodies.

Point row, direction n fixed to body a: gap = n·(r_b - r_a), wrench = [n, r_b x n].
Tilt row, direction n fixed to a and hinge h to b: gap = n·h, wrench = [0, h x n].
Either way the rate of the gap is wrench · (Z_b - Z_a).
"""

from __future__ import annotations

from simcore.jit import kernel
from simcore.model.plan import POINT, Plan, Records
from simcore.multibody.kinematics import path_row
from simcore.multibody.triples import (
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
    triple,
)
from simcore.work import Work


@kernel
def _far_end(row: Records, b: Records) -> Triple:
    """Point or hinge of body b that the row looks at."""
    return carried(b, row.at_b) if row.kind == POINT else rotated(b.turn, row.hinge)


@kernel
def place_rows(plan: Plan, work: Work) -> None:
    """Gap of every row and its gradient over the coordinates."""
    for k in range(len(plan.rows)):
        row, here = plan.rows[k], work.rows[k]
        a, b = work.bodies[row.a], work.bodies[row.b]
        n = rotated(a.turn, row.direction)
        far = _far_end(row, b)
        if row.kind == POINT:
            here.gap = dot(n, minus(far, carried(a, row.at_a)))
            store(n, here.wrench[:3])
        else:
            here.gap = dot(n, far)
            store((0.0, 0.0, 0.0), here.wrench[:3])
        store(cross(far, n), here.wrench[3:])
        path_row(plan, work, row.a, row.b, here.wrench, work.jac[k])


@kernel
def move_rows(plan: Plan, work: Work) -> None:
    """Rate of every gap, and its second derivative at zero joint acceleration (Φ̇_z ż)."""
    for k in range(len(plan.rows)):
        row, here = plan.rows[k], work.rows[k]
        a, b = work.bodies[row.a], work.bodies[row.b]
        n = rotated(a.turn, row.direction)
        far = _far_end(row, b)
        dn = cross(triple(a.twist[3:]), n)
        is_point = row.kind == POINT
        dfar = point_velocity(b, far) if is_point else cross(triple(b.twist[3:]), far)
        # wrench' · (Z_b - Z_a) + wrench · (Z_b - Z_a)' without joint accelerations
        dw = minus(triple(b.twist[3:]), triple(a.twist[3:]))
        curve = dot(plus(cross(dfar, n), cross(far, dn)), dw)
        if is_point:
            curve += dot(dn, minus(triple(b.twist[:3]), triple(a.twist[:3])))
        here.curve = curve + dot6(here.wrench, b.bias) - dot6(here.wrench, a.bias)
        here.rate = dot6(here.wrench, b.twist) - dot6(here.wrench, a.twist)
