"""Assembles the tangent of the implicit step from analytical derivatives instead of finite differences."""

from __future__ import annotations

from simcore.algebra.linear import copy
from simcore.integrate.diesel_soil_tangent import couple_diesels_and_soils
from simcore.kernels.jit import inner
from simcore.model.plan import PUMP, SPRING, Plan
from simcore.model.workspace import CONDUCTANCE, MASS, PATH_ROW, TANGENT, Array, Workspace
from simcore.multibody.dynamics import mass_matrix
from simcore.multibody.kinematics import path_row

_MPA = 1e6
_GRIP = 1e3  # stiffness of a loop over the inertia that it moves; each iteration closes a gap to 1/_GRIP


@inner
def row_penalty(plan: Plan, k: int, dt: float) -> float:
    """Penalty factor α of a loop row in a step, N/m.

    In proportion to the mass that the row moves, α dt²/4 = _GRIP m, so that loops are equally stiff compared
    with the inertia of light and heavy mechanisms, at every step; or as published.
    """
    if plan.head[0].penalty > 0.0:
        return float(plan.head[0].penalty)
    return float(4.0 * _GRIP * plan.rows[k].mass / (dt * dt))


@inner
def assemble_tangent(plan: Plan, dt: float, loops: bool, ws: Workspace) -> None:
    """Assemble mass, loops, seal damping and oil coupling; geometric and gyroscopic terms are neglected.

    At 1 ms these terms affect the convergence of Newton's method, not the solution.
    """
    head = plan.head[0]
    n, size = head.coords, head.coords + head.scalars
    t, mass, slopes = ws.matrix[TANGENT], ws.matrix[MASS], ws.matrix[CONDUCTANCE]
    mass_matrix(plan, ws)
    for i in range(size):
        for j in range(size):
            t[i, j] = 0.0
    for i in range(n):
        copy(mass[i, :n], t[i])
    for k in range(head.rows if loops else 0):
        _add_square(n, 0.25 * dt * dt * row_penalty(plan, k, dt), ws.jac[k], t)
    for k in range(head.cylinders):
        here = ws.cylinders[k]
        resist = here.damping + 0.5 * dt * here.stiffness
        _add_square(n, 0.5 * dt * resist, ws.jac[head.rows + k], t)
    for i in range(head.volumes):
        soft = ws.nodes[i]
        share = 0.5 * dt / soft.compliance
        for j in range(head.volumes):
            t[n + i, n + j] = -share * slopes[i, j]
        t[n + i, n + i] += 1.0 + share * soft.inflow * soft.softening / soft.compliance
    _couple_cylinders(plan, dt, ws)
    if head.shafts > 0:
        _couple_shafts(plan, dt, ws)
    if head.inner > 0:
        _couple_frictions(plan, dt, ws)
    if head.diesels + head.soils > 0:
        couple_diesels_and_soils(plan, dt, ws)
    _couple_links(plan, dt, ws)


@inner
def _add_square(n: int, weight: float, row: Array, t: Array) -> None:
    """t += weight row rowᵀ, skipping zeros because most forces act on few coordinates."""
    for i in range(n):
        lever = weight * row[i]
        if lever != 0.0:
            for j in range(n):
                t[i, j] += lever * row[j]


@inner
def _couple_links(plan: Plan, dt: float, ws: Workspace) -> None:
    """Add stiffness and damping of springs between points and in joints, and friction in joints."""
    n, t = plan.head[0].coords, ws.matrix[TANGENT]
    for i in range(n):
        body = plan.bodies[i + 1]
        t[i, i] += 0.25 * dt * dt * body.stiffness + 0.5 * dt * body.damping
    for k in range(plan.head[0].cylinders, len(plan.frictions)):
        j = plan.frictions[k].coord
        t[j, j] += 0.5 * dt * ws.frictions[k].damping
    for k in range(len(plan.links)):
        link = plan.links[k]
        if link.kind == SPRING:
            row = ws.vector[PATH_ROW, :n]
            path_row(plan, ws, link.a, link.b, ws.links[k].wrench, row)
            _add_square(n, 0.25 * dt * dt * link.stiffness + 0.5 * dt * link.damping, row, t)


@inner
def _couple_cylinders(plan: Plan, dt: float, ws: Workspace) -> None:
    """Add the coupling of rods and oil: pressure acts on rods, rods displace oil. Sources are constant."""
    n, rows, volumes = plan.head[0].coords, plan.head[0].rows, plan.head[0].volumes
    t = ws.matrix[TANGENT]
    for k in range(plan.head[0].cylinders):
        c = plan.cylinders[k]
        grip = 0.25 * dt * dt * ws.cylinders[k].gain * _MPA
        for side in range(2):
            node, area = (c.node_a, c.area_a) if side == 0 else (c.node_b, -c.area_b)
            if node < volumes:
                displaced = area / ws.nodes[node].compliance / _MPA
                for j in range(n):
                    lever = ws.jac[rows + k, j]
                    t[j, n + node] -= grip * lever * area
                    t[n + node, j] += lever * displaced


@inner
def _couple_shafts(plan: Plan, dt: float, ws: Workspace) -> None:
    """Add the coupling of shafts and oil: pressure brakes the shaft of a pump, the shaft moves oil."""
    n, volumes = plan.head[0].coords, plan.head[0].volumes
    t = ws.matrix[TANGENT]
    for k in range(len(plan.edges)):
        edge, here = plan.edges[k], ws.edges[k]
        j = edge.shaft
        if edge.kind == PUMP and j >= 0:
            t[j, j] += 0.5 * dt * here.torque_v
            if edge.b < volumes:
                t[j, n + edge.b] += 0.25 * dt * dt * here.torque_p * _MPA
                t[n + edge.b, j] -= here.stroke / ws.nodes[edge.b].compliance / _MPA
            if edge.a < volumes:
                t[j, n + edge.a] -= 0.25 * dt * dt * here.torque_p * _MPA
                t[n + edge.a, j] += here.stroke / ws.nodes[edge.a].compliance / _MPA


@inner
def _couple_frictions(plan: Plan, dt: float, ws: Workspace) -> None:
    """Add the coupling of friction states and motion."""
    head = plan.head[0]
    n, first = head.coords, head.coords + head.volumes
    t = ws.matrix[TANGENT]
    for k in range(len(plan.frictions)):
        f, here = plan.frictions[k], ws.frictions[k]
        for s in range(f.inners):
            at = first + f.inner + s
            for j in range(n):
                lever = ws.jac[head.rows + k, j] if f.coord < 0 else (1.0 if j == f.coord else 0.0)
                t[j, at] = -0.25 * dt * dt * lever * here.push_x[s]
                t[at, j] = -here.rate_v[s] * lever
            for other in range(f.inners):
                t[at, first + f.inner + other] = -0.5 * dt * here.rate_x[s, other]
            t[at, at] += 1.0
