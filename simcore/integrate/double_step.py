"""Implicit trapezoidal rule on independent coordinates and pressures; every iteration closes the loops.

Double-step formulation (Jaiswal 2021, section 2.1.4; docs/methods/constraints.md).
"""

from __future__ import annotations

from math import isfinite

from simcore.formulation.partition import (
    DEGRADED,
    bend,
    choose_partition,
    largest_gain,
    settle_motion,
    settle_position,
)
from simcore.hydraulics.circuit import pressure_rate
from simcore.integrate.linear import copy, factor, solve
from simcore.integrate.tangent import assemble_tangent
from simcore.integrate.trapezoidal import differentiate, predict, spool_step
from simcore.jit import inner
from simcore.model.plan import Plan
from simcore.multibody.dynamics import inverse_dynamics
from simcore.work import FORCE, FREE, NEW, REDUCE, RESIDUAL, TANGENT, Array, Work

_MPA = 1e6
_REUSE = 3  # iterations that share one factorisation


@inner
def _residual(plan: Plan, old: Array, new: Array, dt: float, work: Work) -> bool:
    """work.RESIDUAL = (dt²/4) Rᵀ(M a + h - Q) in kg m², then (dt/2)(dp/dt - rate) in MPa.

    Dependent positions, velocities and accelerations follow from the free ones. False: a loop stays open.
    """
    head = plan.head[0]
    n, free = head.coords, head.free
    out, force, reduce = work.vector[RESIDUAL], work.vector[FORCE], work.matrix[REDUCE]
    differentiate(plan, old, new, dt)
    if not settle_position(plan, new, work):
        return False
    settle_motion(plan, new, work)
    bend(plan, work)
    for f in range(free):
        out[f] = 0.0
    for j in range(n):
        if work.bodies[j + 1].free >= 0:
            out[work.bodies[j + 1].free] = new[head.at_a + j]
    for j in range(n):
        a = reduce[j, free]
        for f in range(free):
            a += reduce[j, f] * out[f]
        new[head.at_a + j] = a
    inverse_dynamics(plan, new[head.at_a : head.at_a + n], work, force)
    for k in range(head.cylinders):
        for j in range(n):
            force[j] -= work.jac[head.rows + k, j] * work.cylinders[k].push
    for f in range(free):
        out[f] = 0.0
        for j in range(n):
            out[f] += 0.25 * dt * dt * reduce[j, f] * force[j]
    for k in range(head.volumes):
        out[free + k] = 0.5 * dt * (new[head.at_dp + k] - pressure_rate(work, k)) / _MPA
    return True


@inner
def _reduce_tangent(plan: Plan, work: Work) -> None:
    """T ← Pᵀ T P with P = R for the coordinates and the identity for the pressures."""
    n, free, volumes = plan.head[0].coords, plan.head[0].free, plan.head[0].volumes
    t, half, reduce = work.matrix[TANGENT], work.matrix[FREE], work.matrix[REDUCE]
    for i in range(n + volumes):
        for f in range(free):
            half[i, f] = 0.0
            for j in range(n):
                half[i, f] += t[i, j] * reduce[j, f]
        for k in range(volumes):
            half[i, free + k] = t[i, n + k]
    for c in range(free + volumes):
        for f in range(free):
            t[f, c] = 0.0
            for j in range(n):
                t[f, c] += reduce[j, f] * half[j, c]
        for k in range(volumes):
            t[free + k, c] = half[n + k, c]


@inner
def _apply(plan: Plan, new: Array, work: Work) -> tuple[float, int]:
    """Subtract the solved increment; largest change over its tolerance, and which unknown it was."""
    head = plan.head[0]
    worst, at = 0.0, 0
    for c in range(head.coords + head.volumes):
        if c < head.coords:
            f = work.bodies[c + 1].free
            if f < 0:
                continue
            dx = work.vector[RESIDUAL, f]
            new[head.at_z + c] -= dx
            share = abs(dx) / head.tol_z
        else:
            dx = work.vector[RESIDUAL, head.free + c - head.coords]
            new[head.at_p + c - head.coords] -= dx * _MPA
            share = abs(dx) * _MPA / head.tol_p
        if not isfinite(share):
            return share, c
        if share > worst:
            worst, at = share, c
    return worst, at


@inner
def double_step(plan: Plan, state: Array, dt: float, spool_dt: float, work: Work) -> tuple[int, int]:
    """One step: (iterations, 0), or with 1 + the unknown that would not settle and the state untouched."""
    head = plan.head[0]
    new, tangent = work.vector[NEW], work.matrix[TANGENT]
    copy(state, new)
    spool_step(plan, state, new, spool_dt, False)
    predict(plan, state, new, dt)
    share, worst, rounds = 2.0, 0, 0
    while _residual(plan, state, new, dt, work):
        if share < 1.0:
            copy(new, state)
            if largest_gain(plan, work) > DEGRADED:
                choose_partition(plan, work)
            return rounds, 0
        if rounds == head.max_iterations:
            break
        if rounds % _REUSE == 0:
            assemble_tangent(plan, dt, 0.0, work)
            _reduce_tangent(plan, work)
            factor(tangent, head.free + head.volumes)
        solve(tangent, work.vector[RESIDUAL], head.free + head.volumes)
        share, worst = _apply(plan, new, work)
        rounds += 1
        if not isfinite(share):
            break
    return rounds, 1 + worst
