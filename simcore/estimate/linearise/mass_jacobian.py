"""Computes analytically how an unknown mass on a body changes the rates (simcore/run/load.py)."""

from __future__ import annotations

from simcore.algebra.vector3 import carried, cross, dot, minus, plus, point_velocity, times, triple
from simcore.kernels.jit import inner
from simcore.model.plan import Plan, Records
from simcore.model.workspace import MOBILITY, Array, Workspace


@inner
def mass_column(plan: Plan, bias: Records, column: int, jacobian: Array, ws: Workspace) -> None:
    """Effect of a mass on the rates: the torques Jᵀ(a - g) that it needs, or -Jᵀg alone; J: of its point.

    Call it after inverse dynamics with the accelerations of the state.
    """
    free, here = plan.head[0].free, ws.bodies[bias.index]
    r, w = carried(here, bias.at), triple(here.twist[3:])
    turning = plus(cross(triple(here.accel[3:]), r), cross(w, point_velocity(here, r)))
    motion = times(bias.inert, plus(triple(here.accel[:3]), turning))
    force = times(bias.unit, minus(motion, triple(plan.head[0].gravity)))
    moment = cross(r, force)
    j = bias.index
    while j > 0:
        b = ws.bodies[j].b
        needed = dot(triple(b[:3]), force) + dot(triple(b[3:]), moment)
        for f in range(free):
            jacobian[free + f, column] -= ws.matrix[MOBILITY, f, free + j - 1] * needed
        j = plan.bodies[j].parent
