"""Implicit trapezoidal rule for independent coordinates and pressures; every iteration closes the loops.

This is the double-step formulation (Jaiswal 2021, section 2.1.4; docs/methods/constraints.md).
"""

from __future__ import annotations

from simcore.algebra.linear import copy, factor, solve
from simcore.formulation.partition import (
    DEGRADED,
    bend,
    choose_partition,
    largest_gain,
    settle_motion,
    settle_position,
)
from simcore.hydraulics.circuit import load_shafts
from simcore.hydraulics.cylinders import scalar_rate, scalar_unit
from simcore.integrate.tangent import assemble_tangent
from simcore.integrate.trapezoidal import (
    LARGE,
    LOST,
    REUSE,
    SMALL,
    apply_increment,
    differentiate,
    predict,
    spool_step,
)
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import Plan
from simcore.model.workspace import (
    HALF_REDUCED,
    JOINT_FORCE,
    NEW,
    REDUCTION,
    RESIDUAL,
    TANGENT,
    Array,
    Workspace,
)
from simcore.multibody.dynamics import inverse_dynamics


@inner
def _residual(plan: Plan, old: Array, new: Array, dt: float, ws: Workspace) -> bool:
    """ws.RESIDUAL = (dt²/4) Rᵀ(M a + h - Q) in kg m², then (dt/2)(dp/dt - rate) in MPa.

    Dependent positions, velocities and accelerations follow from the free ones. False: a loop stays open.
    """
    head = plan.head[0]
    n, free = head.coords, head.free
    out, force, reduce = ws.vector[RESIDUAL], ws.vector[JOINT_FORCE], ws.matrix[REDUCTION]
    differentiate(plan, old, new, dt)
    if not settle_position(plan, new, ws):
        return False
    settle_motion(plan, new, ws)
    bend(plan, ws)
    for f in range(free):
        out[f] = 0.0
    for j in range(n):
        if ws.bodies[j + 1].free >= 0:
            out[ws.bodies[j + 1].free] = new[head.at_a + j]
    for j in range(n):
        a = reduce[j, free]
        for f in range(free):
            a += reduce[j, f] * out[f]
        new[head.at_a + j] = a
    inverse_dynamics(plan, new[head.at_a : head.at_a + n], ws, force)
    for k in range(head.cylinders):
        for j in range(n):
            force[j] -= ws.jac[head.rows + k, j] * ws.cylinders[k].push
    load_shafts(plan, ws, force, 1.0)
    for f in range(free):
        out[f] = 0.0
        for j in range(n):
            out[f] += 0.25 * dt * dt * reduce[j, f] * force[j]
    for k in range(head.scalars):
        out[free + k] = 0.5 * dt * (new[head.at_dp + k] - scalar_rate(plan, ws, k)) / scalar_unit(plan, k)
    return True


@inner
def _reduce_tangent(plan: Plan, ws: Workspace) -> None:
    """T ← Pᵀ T P with P = R for the coordinates and the identity for the scalars."""
    n, free, scalars = plan.head[0].coords, plan.head[0].free, plan.head[0].scalars
    t, half, reduce = ws.matrix[TANGENT], ws.matrix[HALF_REDUCED], ws.matrix[REDUCTION]
    for i in range(n + scalars):
        for f in range(free):
            half[i, f] = 0.0
            for j in range(n):
                half[i, f] += t[i, j] * reduce[j, f]
        for k in range(scalars):
            half[i, free + k] = t[i, n + k]
    for c in range(free + scalars):
        for f in range(free):
            t[f, c] = 0.0
            for j in range(n):
                t[f, c] += reduce[j, f] * half[j, c]
        for k in range(scalars):
            t[free + k, c] = half[n + k, c]


@outlined
def double_step(plan: Plan, state: Array, dt: float, spool_dt: float, ws: Workspace) -> tuple[int, int]:
    """Take one step. Returns (iterations, 0), or (iterations, 1 + unknown that did not converge) if it fails.

    A failed step leaves the state unchanged.
    """
    head = plan.head[0]
    new, tangent = ws.vector[NEW], ws.matrix[TANGENT]
    copy(state, new)
    spool_step(plan, state, new, ws, spool_dt, head.euler == 1)
    predict(plan, state, new, dt)
    size, worst, rounds = LARGE, 0, 0
    while _residual(plan, state, new, dt, ws):
        if size == SMALL:
            copy(new, state)
            if largest_gain(plan, ws) > DEGRADED:
                choose_partition(plan, ws)
            return rounds, 0
        if rounds == head.max_iterations:
            break
        if rounds % REUSE == 0:
            assemble_tangent(plan, dt, False, ws)
            _reduce_tangent(plan, ws)
            factor(tangent, head.free + head.scalars)
        solve(tangent, ws.vector[RESIDUAL], head.free + head.scalars)
        size, worst = apply_increment(plan, new, ws, True, 1.0)
        rounds += 1
        if size == LOST:
            break
    return rounds, 1 + worst
