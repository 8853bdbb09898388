"""Index-1 method: a penalty on accelerations closes the loops. Redundant loop equations are allowed.

(M + Φ_zᵀ α Φ_z) a = Q - h - Φ_zᵀ(α(Φ̇_z v + 2Ωμ Φ̇ + Ω² Φ) + λ), repeated with λ ← λ + α(Φ̈ + 2Ωμ Φ̇ + Ω² Φ)
until the equations are satisfied (Jaiswal 2021, section 2.1; Baharudin 2016; docs/methods/constraints.md).
"""

from __future__ import annotations

from simcore.algebra.linear import factor, solve
from simcore.formulation.evaluate import evaluate
from simcore.formulation.partition import joint_forces
from simcore.hydraulics.cylinders import scalar_rate
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import Plan
from simcore.model.workspace import JOINT_FORCE, MASS, PENALISED_MASS, RESIDUAL, Array, Workspace
from simcore.multibody.dynamics import mass_matrix

OMEGA = 100.0  # Ω, rad/s: an open loop closes with this rate
MU = 1.0  # μ: without overshoot
_GRIP = 1e6  # α times the largest equation, over the largest mass
_ROUNDS = 12
_SETTLED = 1e-11  # of the largest term of an equation


@inner
def _penalised_mass(plan: Plan, ws: Workspace) -> float:
    """Factorise M + Φ_zᵀ α Φ_z in ws.PENALISED_MASS; returns α."""
    n, rows = plan.head[0].coords, plan.head[0].rows
    mass, system = ws.matrix[MASS], ws.matrix[PENALISED_MASS]
    heaviest, steepest = 0.0, 0.0
    for j in range(n):
        slope = 0.0
        for k in range(rows):
            slope += ws.jac[k, j] * ws.jac[k, j]
        heaviest, steepest = max(heaviest, mass[j, j]), max(steepest, slope)
    alpha = _GRIP * heaviest / steepest if rows > 0 else 0.0
    for i in range(n):
        for j in range(n):
            system[i, j] = mass[i, j]
            for k in range(rows):
                system[i, j] += alpha * ws.jac[k, i] * ws.jac[k, j]
    factor(system, n)
    return alpha


@inner
def _satisfy(
    plan: Plan, x: Array, lam: Array, alpha: float, omega: float, is_velocity: bool, ws: Workspace
) -> None:
    """Solve M x = force - Φ_zᵀ λ with Φ_z x + known part = 0 for accelerations or velocities x."""
    n, rows = plan.head[0].coords, plan.head[0].rows
    force, pull = ws.vector[JOINT_FORCE], ws.vector[RESIDUAL]
    for k in range(rows):
        lam[k] = 0.0
    for _ in range(_ROUNDS):
        for j in range(n):
            pull[j] = force[j]
        for k in range(rows):
            here = ws.rows[k]
            known = 0.0 if is_velocity else here.curve + omega * (2.0 * MU * here.rate + omega * here.gap)
            for j in range(n):
                pull[j] -= ws.jac[k, j] * (lam[k] + alpha * known)
        solve(ws.matrix[PENALISED_MASS], pull, n)
        worst = 0.0
        for k in range(rows):
            here = ws.rows[k]
            miss = 0.0 if is_velocity else here.curve + omega * (2.0 * MU * here.rate + omega * here.gap)
            size = abs(miss)
            for j in range(n):
                miss += ws.jac[k, j] * pull[j]
                size = max(size, abs(ws.jac[k, j] * pull[j]))
            lam[k] += alpha * miss
            worst = max(worst, abs(miss) / max(size, 1e-30))
        if worst < _SETTLED:
            break
    for j in range(n):
        x[j] = pull[j]


@inner
def rates_index1(plan: Plan, state: Array, ws: Workspace, omega: float) -> None:
    """Accelerations, loop forces and rates of pressures and seals at the present positions and velocities."""
    head = plan.head[0]
    evaluate(plan, state, ws)
    mass_matrix(plan, ws)
    joint_forces(plan, ws)
    alpha = _penalised_mass(plan, ws)
    a, lam = state[head.at_a : head.at_a + head.coords], state[head.at_l : head.at_l + head.rows]
    _satisfy(plan, a, lam, alpha, omega, False, ws)
    for k in range(head.scalars):
        state[head.at_dp + k] = scalar_rate(plan, ws, k)


@kernel
def settle_index1(plan: Plan, state: Array, ws: Workspace) -> None:
    """Make a state with closed loops consistent: nearest velocities in the mass norm, then the rates."""
    head = plan.head[0]
    evaluate(plan, state, ws)
    mass_matrix(plan, ws)
    v, lam = state[head.at_v : head.at_v + head.coords], state[head.at_l : head.at_l + head.rows]
    for i in range(head.coords):
        ws.vector[JOINT_FORCE, i] = 0.0
        for j in range(head.coords):
            ws.vector[JOINT_FORCE, i] += ws.matrix[MASS, i, j] * v[j]
    alpha = _penalised_mass(plan, ws)
    _satisfy(plan, v, lam, alpha, 0.0, True, ws)
    rates_index1(plan, state, ws, 0.0)
