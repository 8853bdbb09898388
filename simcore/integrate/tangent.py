"""The tangent of the implicit step, put together from what is known instead of differenced."""

from __future__ import annotations

from simcore.jit import kernel
from simcore.model.plan import Plan
from simcore.multibody.dynamics import mass_matrix
from simcore.work import Work

_MPA = 1e6


@kernel
def assemble_tangent(plan: Plan, dt: float, penalty: float, work: Work) -> None:
    """Mass, loops, seal damping and the oil's coupling; geometric and gyroscopic terms are neglected.

    At 1 ms they change the solution's path to convergence, not the solution.
    """
    head = plan.head[0]
    n = head.coords
    t = work.tangent
    mass_matrix(plan, work)
    for i in range(n):
        for j in range(n):
            stiffness = 0.0
            for k in range(head.rows):
                stiffness += work.jac[k, i] * work.jac[k, j]
            damping = 0.0
            for k in range(head.cylinders):
                damping += work.cylinders[k].damping * work.cyl_jac[k, i] * work.cyl_jac[k, j]
            t[i, j] = work.mass[i, j] + 0.25 * dt * dt * penalty * stiffness + 0.5 * dt * damping
        for k in range(head.volumes):
            t[i, n + k] = 0.0
            t[n + k, i] = 0.0
    for i in range(head.volumes):
        for j in range(head.volumes):
            one = 1.0 if i == j else 0.0
            t[n + i, n + j] = one - 0.5 * dt * work.conductance[i, j] / work.compliance[i]
    _couple_cylinders(plan, dt, work)


@kernel
def _couple_cylinders(plan: Plan, dt: float, work: Work) -> None:
    """Pressure pushes the rod; the rod displaces oil."""
    n = plan.head[0].coords
    for k in range(plan.head[0].cylinders):
        c = plan.cylinders[k]
        for j in range(n):
            lever = work.cyl_jac[k, j]
            work.tangent[j, n + c.node_a] -= 0.25 * dt * dt * lever * c.area_a * _MPA
            work.tangent[j, n + c.node_b] += 0.25 * dt * dt * lever * c.area_b * _MPA
            work.tangent[n + c.node_a, j] += lever * c.area_a / work.compliance[c.node_a] / _MPA
            work.tangent[n + c.node_b, j] -= lever * c.area_b / work.compliance[c.node_b] / _MPA
