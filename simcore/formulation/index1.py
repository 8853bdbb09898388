"""Penalty on the acceleration level: no coordinate is chosen, redundant equations do no harm.

(M + Φ_zᵀ α Φ_z) a = Q - h - Φ_zᵀ(α(Φ̇_z v + 2Ωμ Φ̇ + Ω² Φ) + λ), repeated with λ ← λ + α(Φ̈ + 2Ωμ Φ̇ + Ω² Φ)
until the equations hold (Jaiswal 2021, section 2.1; Baharudin 2016; docs/methods/constraints.md).
"""

from __future__ import annotations

from simcore.algebra.linear import factor, solve
from simcore.formulation.evaluate import evaluate
from simcore.formulation.partition import joint_forces
from simcore.hydraulics.cylinders import scalar_rate
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import Plan
from simcore.model.workspace import FORCE, MASS, RESIDUAL, TANGENT, Array, Work
from simcore.multibody.dynamics import mass_matrix

OMEGA = 100.0  # Ω, rad/s: an open loop closes with this rate
MU = 1.0  # μ: without overshoot
_GRIP = 1e6  # α times the largest equation, over the largest mass
_ROUNDS = 12
_SETTLED = 1e-11  # of the largest term of an equation


@inner
def _penalised_mass(plan: Plan, work: Work) -> float:
    """Factorise M + Φ_zᵀ α Φ_z in work.TANGENT; returns α."""
    n, rows = plan.head[0].coords, plan.head[0].rows
    mass, system = work.matrix[MASS], work.matrix[TANGENT]
    heaviest, steepest = 0.0, 0.0
    for j in range(n):
        slope = 0.0
        for k in range(rows):
            slope += work.jac[k, j] * work.jac[k, j]
        heaviest, steepest = max(heaviest, mass[j, j]), max(steepest, slope)
    alpha = _GRIP * heaviest / steepest if rows > 0 else 0.0
    for i in range(n):
        for j in range(n):
            system[i, j] = mass[i, j]
            for k in range(rows):
                system[i, j] += alpha * work.jac[k, i] * work.jac[k, j]
    factor(system, n)
    return alpha


@inner
def _satisfy(
    plan: Plan, x: Array, lam: Array, alpha: float, omega: float, is_velocity: bool, work: Work
) -> None:
    """M x = force - Φ_zᵀ λ with Φ_z x + known part = 0, for accelerations or velocities x."""
    n, rows = plan.head[0].coords, plan.head[0].rows
    force, pull = work.vector[FORCE], work.vector[RESIDUAL]
    for k in range(rows):
        lam[k] = 0.0
    for _ in range(_ROUNDS):
        for j in range(n):
            pull[j] = force[j]
        for k in range(rows):
            here = work.rows[k]
            known = 0.0 if is_velocity else here.curve + omega * (2.0 * MU * here.rate + omega * here.gap)
            for j in range(n):
                pull[j] -= work.jac[k, j] * (lam[k] + alpha * known)
        solve(work.matrix[TANGENT], pull, n)
        worst = 0.0
        for k in range(rows):
            here = work.rows[k]
            miss = 0.0 if is_velocity else here.curve + omega * (2.0 * MU * here.rate + omega * here.gap)
            size = abs(miss)
            for j in range(n):
                miss += work.jac[k, j] * pull[j]
                size = max(size, abs(work.jac[k, j] * pull[j]))
            lam[k] += alpha * miss
            worst = max(worst, abs(miss) / max(size, 1e-30))
        if worst < _SETTLED:
            break
    for j in range(n):
        x[j] = pull[j]


@inner
def rates_index1(plan: Plan, state: Array, work: Work, omega: float) -> None:
    """Accelerations, loop forces and rates of pressures and seals of positions and velocities as they are."""
    head = plan.head[0]
    evaluate(plan, state, work)
    mass_matrix(plan, work)
    joint_forces(plan, work)
    alpha = _penalised_mass(plan, work)
    a, lam = state[head.at_a : head.at_a + head.coords], state[head.at_l : head.at_l + head.rows]
    _satisfy(plan, a, lam, alpha, omega, False, work)
    for k in range(head.scalars):
        state[head.at_dp + k] = scalar_rate(plan, work, k)


@kernel
def settle_index1(plan: Plan, state: Array, work: Work) -> None:
    """Make a state with closed loops consistent: nearest velocities, measured by mass, then the rates."""
    head = plan.head[0]
    evaluate(plan, state, work)
    mass_matrix(plan, work)
    v, lam = state[head.at_v : head.at_v + head.coords], state[head.at_l : head.at_l + head.rows]
    for i in range(head.coords):
        work.vector[FORCE, i] = 0.0
        for j in range(head.coords):
            work.vector[FORCE, i] += work.matrix[MASS, i, j] * v[j]
    alpha = _penalised_mass(plan, work)
    _satisfy(plan, v, lam, alpha, 0.0, True, work)
    rates_index1(plan, state, work, 0.0)
