"""Adds the derivatives of diesel engines and digging buckets to the tangent of the implicit step."""

from __future__ import annotations

from simcore.algebra.vector3 import cross, store, triple
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import Plan
from simcore.model.workspace import PATH_ROW, TANGENT, Workspace
from simcore.multibody.kinematics import path_row

_KNM = 1e3  # torques are solved in kN m


@inner
def couple_diesels_and_soils(plan: Plan, dt: float, ws: Workspace) -> None:
    """Add the coupling of engine torques and shaft speeds, and soil damping. Fills are not coupled."""
    head = plan.head[0]
    first, last = head.coords + head.volumes + head.inner, head.coords + head.scalars
    t = ws.matrix[TANGENT]
    for i in range(first, last):
        t[i, i] = 1.0
    for k in range(len(plan.diesels)):
        diesel, at = plan.diesels[k], first + k
        t[diesel.coord, at] = -0.25 * dt * dt * _KNM
        t[at, diesel.coord] = -ws.diesels[k].rate_v / _KNM
        t[at, at] = 1.0 + 0.5 * dt / diesel.tau
    for k in range(len(plan.soils)):
        if ws.soils[k].grip > 0.0:
            _grip(plan, k, dt, ws)


@outlined
def _grip(plan: Plan, k: int, dt: float, ws: Workspace) -> None:
    """Add the damping of the edge, grip (1 - pull pullᵀ); its change with depth is neglected."""
    n, t, here = plan.head[0].coords, ws.matrix[TANGENT], ws.soils[k]
    for axis in range(4):
        # the three directions of space, then that of the motion, which is taken off
        row, wrench = ws.vector[PATH_ROW], here.lever
        for i in range(3):
            wrench[i] = here.pull[i] if axis == 3 else (1.0 if i == axis else 0.0)
        store(cross(triple(here.edge), triple(wrench[:3])), wrench[3:])
        path_row(plan, ws, 0, plan.soils[k].body, wrench, row[:n])
        grip = 0.5 * dt * (here.grip if axis < 3 else -here.grip)
        for i in range(n):
            for j in range(n):
                t[i, j] += grip * row[i] * row[j]
