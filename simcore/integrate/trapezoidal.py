"""Implicit trapezoidal rule with positions and pressures as unknowns; a penalty closes the loops.

This is the index-3 augmented Lagrangian with projections of velocity and acceleration (Jaiswal 2021, sections
2.1.3 and 2.4.1; docs/methods/integration.md). Pressures are scaled to MPa, residuals to the size of the
unknowns.
"""

from __future__ import annotations

from math import isfinite

from simcore.algebra.linear import copy, factor, solve
from simcore.formulation.evaluate import move, move_mechanism, place
from simcore.hydraulics.circuit import load_shafts
from simcore.hydraulics.cylinders import scalar_rate, scalar_tolerance, scalar_unit
from simcore.integrate.tangent import assemble_tangent, row_penalty
from simcore.kernels.jit import inner
from simcore.model.plan import Plan
from simcore.model.workspace import NEW, PROJECTION, RESIDUAL, TANGENT, Array, Workspace
from simcore.multibody.dynamics import inverse_dynamics

REUSE = 3  # iterations that share one factorisation
_TURNED_BACK = 0.5  # share of the last increment by which an unknown must go back to count as turning
LARGE, SMALL, LOST = range(3)  # increment of Newton's method: go on, settled, not a number


@inner
def spool_step(plan: Plan, old: Array, new: Array, ws: Workspace, dt: float, euler: bool) -> None:
    """Advance first-order spools, du/dt = (command - u)/τ, with a constant command; valves saturate.

    Where a twin estimates the lag, the derivative of each spool for τ follows: that of this very step.
    """
    head = plan.head[0]
    for k in range(head.valves):
        valve = plan.valves[k]
        command = min(max(old[head.at_c + k], valve.low), valve.limit)
        tau = valve.tau + ws.condition.whole[0].lag
        share = dt / tau if euler else dt / (tau + 0.5 * dt)
        left = command - old[head.at_u + k]
        new[head.at_u + k] = old[head.at_u + k] + share * left
        if k < head.lags:
            slip = old[head.at_s + k]
            new[head.at_s + k] = slip - share * slip - share * share / dt * left


@inner
def predict(plan: Plan, old: Array, new: Array, dt: float) -> None:
    """Predict the start of Newton's method: second-order Taylor for positions, first-order for pressures."""
    head = plan.head[0]
    for j in range(head.coords):
        v, a = old[head.at_v + j], old[head.at_a + j]
        new[head.at_z + j] = old[head.at_z + j] + dt * (v + 0.5 * dt * a)
    for k in range(head.scalars):
        guess = old[head.at_p + k] + dt * old[head.at_dp + k]
        new[head.at_p + k] = above_vapour(plan, k, old[head.at_p + k], guess)


@inner
def above_vapour(plan: Plan, k: int, start: float, guess: float) -> float:
    """A guess for an unknown; in aerated oil it goes at most nine tenths of the way to vapour pressure.

    This shortens increments of Newton's method; the solution, above vapour pressure, does not change.
    """
    head = plan.head[0]
    if head.air > 0.0 and k < head.volumes:
        return float(max(guess, head.vapour + 0.1 * (start - head.vapour)))
    return guess


@inner
def differentiate(plan: Plan, old: Array, new: Array, dt: float) -> None:
    """Velocities, accelerations and pressure rates that the rule gives for the new positions."""
    head = plan.head[0]
    for j in range(head.coords):
        z, v, a = head.at_z + j, head.at_v + j, head.at_a + j
        new[v] = 2.0 / dt * (new[z] - old[z]) - old[v]
        new[a] = 2.0 / dt * (new[v] - old[v]) - old[a]
    for k in range(head.scalars):
        p, dp = head.at_p + k, head.at_dp + k
        new[dp] = 2.0 / dt * (new[p] - old[p]) - old[dp]


@inner
def residual(plan: Plan, old: Array, new: Array, dt: float, ws: Workspace, out: Array) -> None:
    """out = (dt²/4)(M a + h - Q + Φ_zᵀ(αΦ + λ)) in kg m², and (dt/2)(dp/dt - rate) in MPa.

    `place` must have been called for the new positions.
    """
    head = plan.head[0]
    n = head.coords
    differentiate(plan, old, new, dt)
    p = new[head.at_p : head.at_p + head.scalars]
    move(plan, new[head.at_v : head.at_v + n], p, new[head.at_u : head.at_u + head.valves], ws)
    inverse_dynamics(plan, new[head.at_a : head.at_a + n], ws, out)
    for k in range(head.rows):
        pull = row_penalty(plan, k, dt) * ws.rows[k].gap + new[head.at_l + k]
        for j in range(n):
            out[j] += ws.jac[k, j] * pull
    for k in range(head.cylinders):
        for j in range(n):
            out[j] -= ws.jac[head.rows + k, j] * ws.cylinders[k].push
    load_shafts(plan, ws, out, 1.0)
    for j in range(n):
        out[j] *= 0.25 * dt * dt
    for k in range(head.scalars):
        out[n + k] = 0.5 * dt * (new[head.at_dp + k] - scalar_rate(plan, ws, k)) / scalar_unit(plan, k)


@inner
def linearise(plan: Plan, old: Array, new: Array, dt: float, ws: Workspace, reference: bool) -> None:
    """Residual and its tangent; `reference`: tangent from forward differences, as in the publications."""
    head = plan.head[0]
    n = head.coords
    size = n + head.scalars
    f, t = ws.vector[RESIDUAL], ws.matrix[TANGENT]
    # the undisturbed residual comes last and stays
    for c in range(size if reference else 0, -1, -1):
        at = head.at_z + c - 1 if c <= n else head.at_p + c - 1 - n
        kept = new[at] if c > 0 else 0.0
        if c > 0:
            new[at] = kept + _nudge(kept)
        if reference and c <= n:
            place(plan, new[head.at_z : head.at_v], ws)
        residual(plan, old, new, dt, ws, f)
        if c > 0:
            new[at] = kept
            for r in range(size):
                t[r, c - 1] = f[r]
    if reference:
        for c in range(size):
            kept = new[head.at_z + c] if c < n else new[head.at_p + c - n]
            for r in range(size):
                t[r, c] = (t[r, c] - f[r]) / _nudge(kept) * (1.0 if c < n else scalar_unit(plan, c - n))


@inner
def _nudge(x: float) -> float:
    """Step of the forward differences (Jaiswal 2021, section 2.4)."""
    return 1e-8 * max(1e-2, abs(x))


@inner
def apply_increment(plan: Plan, new: Array, ws: Workspace, free_only: bool, part: float) -> tuple[int, int]:
    """Subtract the solved increment; returns SMALL, LARGE or LOST, and the unknown that changed most.

    free_only: the solved system contains only the independent coordinates, then the scalars.
    part: share of the increment that is taken; its size is that of the whole.
    An increment is small if every unknown is, or if the norms of all positions and of all pressures are.
    """
    head = plan.head[0]
    n = head.coords
    first = head.free if free_only else n
    worst, at = -1.0, 0
    positions, others = 0.0, 0.0
    for c in range(n + head.scalars):
        if c < n:
            solved = ws.bodies[c + 1].free if free_only else c
            if solved < 0:
                continue
            dx = ws.vector[RESIDUAL, solved]
            new[head.at_z + c] -= part * dx
            share = abs(dx) / head.tol_z
            positions += share * share
        else:
            size = ws.vector[RESIDUAL, first + c - n] * scalar_unit(plan, c - n)
            start = new[head.at_p + c - n]
            new[head.at_p + c - n] = above_vapour(plan, c - n, start, start - part * size)
            share = abs(size) / scalar_tolerance(plan, c - n)
            others += share * share
        if not isfinite(share):
            return LOST, c
        if share > worst:
            worst, at = share, c
    small = positions < 1.0 and others < 1.0 if head.norm == 1 else worst < 1.0
    return SMALL if small else LARGE, at


@inner
def unknown(plan: Plan, new: Array, c: int) -> float:
    """Present value of an unknown in the unit of its increment."""
    head = plan.head[0]
    if c < head.coords:
        return float(new[head.at_z + c])
    k = c - head.coords
    return float(new[head.at_p + k] / scalar_unit(plan, k))


@inner
def enclose(value: float, increment: float, low: float, high: float) -> tuple[float, float, float]:
    """Share of an increment that keeps an unknown between values that enclose its solution, and these values.

    A check valve that opens within half a bar passes either much or nothing, and Newton's method jumps to and
    fro across that half bar. But the sign of an increment says on which side the solution is: the last value
    on either side encloses it, and an increment that leads beyond is cut to the middle.
    """
    if increment > 0.0:
        high = value
    else:
        low = value
    if low < value - increment < high:
        return 1.0, low, high
    return (value - 0.5 * (low + high)) / increment, low, high


@inner
def _project(plan: Plan, new: Array, dt: float, ws: Workspace, of_velocity: bool) -> None:
    """Remove the part of a velocity or acceleration that would open the loops.

    x = x' - [W + (dt²/4) Φ_zᵀαΦ_z]⁻¹ (dt²/4) Φ_zᵀ α (Φ_z x' + known part): the bracket, factorised in
    ws.PROJECTION, is the tangent's block of the coordinates.
    """
    head = plan.head[0]
    n = head.coords
    at = head.at_v if of_velocity else head.at_a
    pull = ws.vector[RESIDUAL]
    for j in range(n):
        pull[j] = 0.0
    for k in range(head.rows):
        grip = 0.25 * dt * dt * row_penalty(plan, k, dt)
        open_rate = 0.0 if of_velocity else ws.rows[k].curve
        for j in range(n):
            open_rate += ws.jac[k, j] * new[at + j]
        for j in range(n):
            pull[j] += grip * ws.jac[k, j] * open_rate
    solve(ws.matrix[PROJECTION], pull, n)
    for j in range(n):
        new[at + j] -= pull[j]


@inner
def trapezoidal_step(
    plan: Plan, state: Array, dt: float, spool_dt: float, ws: Workspace, reference: bool, moved: bool
) -> tuple[int, int]:
    """Take one step. Returns (iterations, 0), or (iterations, 1 + unknown that did not converge) if it fails.

    A failed step leaves the state unchanged. spool_dt: step of the spools, which differs in a stage of the
    damped rule. moved: leave everything that follows from the new state in `ws`; otherwise only the loops.
    """
    head = plan.head[0]
    n = head.coords
    new, tangent = ws.vector[NEW], ws.matrix[TANGENT]
    copy(state, new)
    spool_step(plan, state, new, ws, spool_dt, reference or head.euler == 1)
    predict(plan, state, new, dt)
    size, worst, rounds, renewed = LARGE, 0, 0, 0
    guarded, last, before, low, high = -1, 0.0, 0.0, 0.0, 0.0  # the unknown that is enclosed, -1: none
    while True:
        if size == SMALL and head.rows == 0 and not moved:
            break  # nothing that follows from the last, small increment is needed
        place(plan, new[head.at_z : head.at_v], ws)
        if rounds > 0:
            for k in range(head.rows):  # λ ← λ + αΦ
                new[head.at_l + k] += row_penalty(plan, k, dt) * ws.rows[k].gap
        if size == SMALL:
            break
        if rounds == head.max_iterations:
            return rounds, 1 + worst
        linearise(plan, state, new, dt, ws, reference)
        fresh = rounds == 0 or rounds - renewed == REUSE or guarded >= 0
        if fresh:
            renewed = rounds
        if not reference and fresh:
            assemble_tangent(plan, dt, True, ws)
        if reference or fresh:
            for j in range(n if head.rows > 0 else 0):
                copy(tangent[j, :n], ws.matrix[PROJECTION, j])
            factor(tangent, n + head.scalars)
        solve(tangent, ws.vector[RESIDUAL], n + head.scalars)
        part = 1.0
        if head.enclosed == 1:
            if guarded < 0:
                back, here = ws.vector[RESIDUAL, worst], unknown(plan, new, worst)
                if back * last < 0.0 and abs(back) > _TURNED_BACK * abs(last):
                    guarded, low, high = worst, min(before, here), max(before, here)
            if guarded >= 0:
                here = unknown(plan, new, guarded)
                part, low, high = enclose(here, ws.vector[RESIDUAL, guarded], low, high)
        size, worst = apply_increment(plan, new, ws, False, part)
        if head.enclosed == 1 and guarded < 0:
            last = ws.vector[RESIDUAL, worst]
            before = unknown(plan, new, worst) + last
        rounds += 1
        if size == LOST:
            return rounds, 1 + worst
    differentiate(plan, state, new, dt)
    if head.rows > 0:
        factor(ws.matrix[PROJECTION], n)
        _project(plan, new, dt, ws, True)
    v, p = new[head.at_v : head.at_v + n], new[head.at_p : head.at_p + head.scalars]
    if moved:
        move(plan, v, p, new[head.at_u : head.at_u + head.valves], ws)
    elif head.rows > 0:
        move_mechanism(plan, v, p, ws)
    if head.rows > 0:
        _project(plan, new, dt, ws, False)
    copy(new, state)
    return rounds, 0
