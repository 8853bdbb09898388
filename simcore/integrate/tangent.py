"""The tangent of the implicit step, put together from what is known instead of differenced."""

from __future__ import annotations

from simcore.jit import inner
from simcore.model.plan import SPRING, Plan
from simcore.multibody.dynamics import mass_matrix
from simcore.multibody.kinematics import path_row
from simcore.work import CONDUCTANCE, FORCE, MASS, TANGENT, Work

_MPA = 1e6


@inner
def assemble_tangent(plan: Plan, dt: float, penalty: float, work: Work) -> None:
    """Mass, loops, seal damping and the oil's coupling; geometric and gyroscopic terms are neglected.

    At 1 ms they change the solution's path to convergence, not the solution.
    """
    head = plan.head[0]
    n = head.coords
    t, mass, slopes = work.matrix[TANGENT], work.matrix[MASS], work.matrix[CONDUCTANCE]
    mass_matrix(plan, work)
    for i in range(n):
        for j in range(n):
            stiffness = 0.0
            for k in range(head.rows):
                stiffness += work.jac[k, i] * work.jac[k, j]
            damping = 0.0
            for k in range(head.cylinders):
                damping += work.cylinders[k].damping * work.jac[head.rows + k, i] * work.jac[head.rows + k, j]
            t[i, j] = mass[i, j] + 0.25 * dt * dt * penalty * stiffness + 0.5 * dt * damping
        for k in range(head.volumes):
            t[i, n + k] = 0.0
            t[n + k, i] = 0.0
    for i in range(head.volumes):
        for j in range(head.volumes):
            one = 1.0 if i == j else 0.0
            t[n + i, n + j] = one - 0.5 * dt * slopes[i, j] / work.nodes[i].compliance
    _couple_cylinders(plan, dt, work)
    _couple_links(plan, dt, work)


@inner
def _couple_links(plan: Plan, dt: float, work: Work) -> None:
    """Stiffness and damping of springs between points and in joints."""
    n, t = plan.head[0].coords, work.matrix[TANGENT]
    for i in range(n):
        body = plan.bodies[i + 1]
        t[i, i] += 0.25 * dt * dt * body.stiffness + 0.5 * dt * body.damping
    for k in range(len(plan.links)):
        link = plan.links[k]
        if link.kind == SPRING:
            row = work.vector[FORCE, :n]
            path_row(plan, work, link.a, link.b, work.links[k].wrench, row)
            grip = 0.25 * dt * dt * link.stiffness + 0.5 * dt * link.damping
            for i in range(n):
                for j in range(n):
                    t[i, j] += grip * row[i] * row[j]


@inner
def _couple_cylinders(plan: Plan, dt: float, work: Work) -> None:
    """Pressure pushes the rod; the rod displaces oil."""
    n, rows = plan.head[0].coords, plan.head[0].rows
    t = work.matrix[TANGENT]
    for k in range(plan.head[0].cylinders):
        c = plan.cylinders[k]
        for j in range(n):
            lever = work.jac[rows + k, j]
            t[j, n + c.node_a] -= 0.25 * dt * dt * lever * c.area_a * _MPA
            t[j, n + c.node_b] += 0.25 * dt * dt * lever * c.area_b * _MPA
            t[n + c.node_a, j] += lever * c.area_a / work.nodes[c.node_a].compliance / _MPA
            t[n + c.node_b, j] -= lever * c.area_b / work.nodes[c.node_b].compliance / _MPA
