"""Coordinate partitioning: everything as a function of the independent coordinates.

Loops are closed exactly; dependent velocities and accelerations follow from the loop Jacobian
(Jaiswal 2021, section 2.1.4; docs/methods/constraints.md).
"""

from __future__ import annotations

from simcore.evaluate import move
from simcore.hydraulics.circuit import pressure_rate
from simcore.hydraulics.cylinders import place_cylinders
from simcore.integrate.linear import eliminate
from simcore.jit import kernel
from simcore.model.plan import Plan
from simcore.multibody.dynamics import inverse_dynamics, mass_matrix
from simcore.multibody.kinematics import place_bodies
from simcore.multibody.loops import place_rows
from simcore.work import Array, Work

_CLOSED = 1e-12  # m
_SETTLED = 1e-10  # m, accepted where rounding ends the iteration
_ROUNDS = 15


@kernel
def close_loops(plan: Plan, z: Array, work: Work) -> bool:
    """Newton on the dependent positions until the gaps vanish; leaves the bodies placed."""
    gap = 0.0
    for _ in range(_ROUNDS):
        place_bodies(plan, z, work)
        place_rows(plan, work)
        gap = 0.0
        for k in range(len(plan.rows)):
            gap = max(gap, abs(work.rows[k].gap))
        if gap < _CLOSED:
            return True
        if not gap < 1e6:
            return False
        m = _dependent_columns(plan, work)
        for k in range(m):
            work.dependent[k, m] = work.rows[k].gap
        eliminate(work.dependent, 1)
        for j in range(len(plan.coords)):
            if plan.coords[j].dependent >= 0:
                z[j] -= work.dependent[plan.coords[j].dependent, m]
    return gap < _SETTLED


@kernel
def _dependent_columns(plan: Plan, work: Work) -> int:
    """Copy the dependent columns of the loop Jacobian; returns their number."""
    m = len(plan.rows)
    for j in range(len(plan.coords)):
        d = plan.coords[j].dependent
        if d >= 0:
            for k in range(m):
                work.dependent[k, d] = work.jac[k, j]
    return m


@kernel
def reduce_rates(plan: Plan, work: Work) -> None:
    """work.reduce = [∂v/∂v_free, acceleration at zero free acceleration]; needs rows placed and moved."""
    m = _dependent_columns(plan, work)
    free = plan.head[0].free
    for j in range(len(plan.coords)):
        f = plan.coords[j].free
        if f >= 0:
            for k in range(m):
                work.dependent[k, m + f] = -work.jac[k, j]
    for k in range(m):
        work.dependent[k, m + free] = -work.rows[k].curve
    eliminate(work.dependent, free + 1)
    for j in range(len(plan.coords)):
        for f in range(free + 1):
            if plan.coords[j].dependent >= 0:
                work.reduce[j, f] = work.dependent[plan.coords[j].dependent, m + f]
            else:
                work.reduce[j, f] = 1.0 if plan.coords[j].free == f else 0.0


@kernel
def spread_velocity(plan: Plan, v: Array, work: Work) -> None:
    """Dependent velocities from the independent ones; work.reduce must belong to the position."""
    for j in range(len(plan.coords)):
        if plan.coords[j].dependent >= 0:
            v[j] = 0.0
            for i in range(len(plan.coords)):
                if plan.coords[i].free >= 0:
                    v[j] += work.reduce[j, plan.coords[i].free] * v[i]


@kernel
def joint_forces(plan: Plan, work: Work) -> None:
    """work.force = torques of cylinders minus velocity terms and weight: Q - h."""
    n = len(plan.coords)
    zero = work.residual[:n]
    zero[:] = 0.0
    inverse_dynamics(plan, zero, work, work.force)
    for j in range(n):
        work.force[j] = -work.force[j]
        for k in range(len(plan.cylinders)):
            work.force[j] += work.cylinders[k].push * work.cyl_jac[k, j]


@kernel
def _accelerate(plan: Plan, a: Array, work: Work) -> None:
    """RᵀMR a_free = Rᵀ(Q - h - M c), a = R a_free + c."""
    n, free = len(plan.coords), plan.head[0].free
    for f in range(free):
        for g in range(free + 1):
            work.free[f, g] = 0.0
        for i in range(n):
            pull = work.force[i]
            for j in range(n):
                pull -= work.mass[i, j] * work.reduce[j, free]
                for g in range(free):
                    work.free[f, g] += work.reduce[i, f] * work.mass[i, j] * work.reduce[j, g]
            work.free[f, free] += work.reduce[i, f] * pull
    eliminate(work.free, 1)
    for j in range(n):
        a[j] = work.reduce[j, free]
        for f in range(free):
            a[j] += work.reduce[j, f] * work.free[f, free]


@kernel
def _multipliers(plan: Plan, a: Array, lam: Array, work: Work) -> None:
    """Loop forces that balance the dependent rows: J_dᵀ λ = (Q - h - M a)_d."""
    n, m = len(plan.coords), len(plan.rows)
    for j in range(n):
        d = plan.coords[j].dependent
        if d >= 0:
            pull = work.force[j]
            for i in range(n):
                pull -= work.mass[j, i] * a[i]
            for k in range(m):
                work.dependent[d, k] = work.jac[k, j]
            work.dependent[d, m] = pull
    eliminate(work.dependent, 1)
    for k in range(m):
        lam[k] = work.dependent[k, m]


@kernel
def settle(plan: Plan, state: Array, work: Work) -> bool:
    """Make a state consistent from its independent positions and velocities, pressures and spools.

    Closes the loops, spreads the velocities, and recomputes accelerations, loop forces and pressure rates.
    False when a loop cannot be closed.
    """
    head = plan.head[0]
    n = head.coords
    z = state[head.at_z : head.at_z + n]
    v = state[head.at_v : head.at_v + n]
    a = state[head.at_a : head.at_a + n]
    p = state[head.at_p : head.at_p + head.volumes]
    u = state[head.at_u : head.at_u + head.valves]
    if not close_loops(plan, z, work):
        return False
    place_cylinders(plan, work)
    reduce_rates(plan, work)
    spread_velocity(plan, v, work)
    move(plan, v, p, u, work)
    reduce_rates(plan, work)
    mass_matrix(plan, work)
    joint_forces(plan, work)
    _accelerate(plan, a, work)
    _multipliers(plan, a, state[head.at_l : head.at_l + head.rows], work)
    for k in range(head.volumes):
        state[head.at_dp + k] = pressure_rate(work, k)
    return True
