"""Prediction of the error-state Kalman filter: what steps of the model do to the covariance.

Jaiswal 2021, section 3; with the derivative of the whole step instead of an identity for the pressures, and
with biases (docs/methods/error-state-filter.md). Covariances are over the states, then the biases.
"""

from __future__ import annotations

from math import exp

from simcore.estimate.filter.covariance import carry, gather_noise, turn
from simcore.estimate.filter.sdirk_transition import FRESH, LEAP_FROM, leap
from simcore.estimate.filter.transition import lay_step, solve_step
from simcore.estimate.linearise.jacobian import MPA
from simcore.kernels.jit import inner
from simcore.model.condition import Condition
from simcore.model.plan import PILOTED, Plan, Records
from simcore.model.workspace import Array

PUBLISHED, FULL = range(2)  # transition models; the full one with biases or without


@inner
def _publish_transition(plan: Plan, after: Array, dt: float, system: Array) -> None:
    """F of the publication: forward Euler, "pressure evolution unknown", so the identity for pressures."""
    n, free = plan.head[0].states, plan.head[0].free
    for i in range(n):
        for j in range(n):
            system[i, n + j] = 1.0 if i == j else 0.0
    for f in range(free):
        for j in range(n):
            answer = after[free + f, j]
            system[f, n + j] += 0.5 * dt * dt * answer
            system[free + f, n + j] += dt * answer
        system[f, n + free + f] += dt


@inner
def _derive_transition(
    plan: Plan, m: int, before: Array, after: Array, blend: float, push: Array, dt: float, system: Array
) -> None:
    """F of the step; behind it what the noise on each rate does, and what unknown inputs do."""
    n, free = plan.head[0].states, plan.head[0].free
    kicks = n + m
    pushes = kicks + n - free
    lay_step(n, free, m, before, after, blend, dt, system)
    for i in range(free, n):
        for k in range(n - free):
            system[i, kicks + k] = after[i, m] * dt**0.5 if i == free + k else 0.0
        for v in range(len(push)):
            system[i, pushes + v] = dt * push[v, i]
    solve_step(n, free, m + n - free + len(push), dt, system)


@inner
def _leap_transition(
    plan: Plan,
    m: int,
    before: Array,
    after: Array,
    span: float,
    system: Array,
    spare: Array,
    turned: Array,
) -> None:
    """F over many steps, and behind it what the noise on each rate does."""
    n, free = plan.head[0].states, plan.head[0].free
    leap(n, free, m, before, after, span, system, spare, turned)
    for k in range(free, n):
        for i in range(n):
            system[i, m + k + n - free] *= after[k, m]


@inner
def predict(
    plan: Plan,
    condition: Condition,
    biases: Records,
    model: int,
    before: Array,
    after: Array,
    push: Array,
    dt: float,
    steps: int,
    cov: Array,
    tie: Array,
    system: Array,
    spare: Array,
    turned: Array,
) -> None:
    """P ← F P Fᵀ + noise, once for each of a few steps, or for many at once.

    before, after: slopes at the start and end of all of them. Noise enters through the step as the state
    does, which gives fast pressures the variance q/(2|λ|) of continuous time instead of q dt.
    push: what unknown inputs add to the rates in a single step, or nothing.
    """
    n, free = plan.head[0].states, plan.head[0].free
    m = n + len(biases)
    times, span, followers = steps, dt, free
    if model == PUBLISHED:
        _publish_transition(plan, after, dt, system)
    elif steps >= LEAP_FROM:
        times, span, followers = 1, steps * dt, 0
        _leap_transition(plan, m, before, after, span, system, spare, turned)
    else:
        _derive_transition(plan, m, before, after, 0.5 if steps > 1 else 0.0, push, dt, system)
    if model != PUBLISHED:
        gather_noise(n, followers, m, n - free, dt, system, turned)
    turn(n, followers, system, n, m, turned)
    for _ in range(times):
        carry(n, followers, m, dt, system, cov, spare, turned)
        if model == PUBLISHED:
            _publish_noise(plan, m, after, dt, cov)
            continue
        for i in range(n):
            for j in range(i + 1):
                cov[i, j] += system[i, j]
                cov[j, i] = cov[i, j]
        for i in range(len(biases)):
            cov[n + i, n + i] += biases[i].walk * biases[i].walk * span
    if model != PUBLISHED and steps >= LEAP_FROM:
        for i in range(free, n):
            cov[i, i] += FRESH * span * after[i, m] * after[i, m]
    if len(push) > 0:
        _allow_for_inputs(plan, condition, m, dt, cov, tie, system, spare)


@inner
def _publish_noise(plan: Plan, m: int, after: Array, dt: float, cov: Array) -> None:
    """Σ^P of the publication: acceleration noise through positions, pressure noise in proportion to dt."""
    head = plan.head[0]
    free = head.free
    for f in range(free):
        q = after[free + f, m] * after[free + f, m]
        cov[f, f] += q * dt * dt * dt / 3.0
        cov[f, free + f] += q * dt * dt / 2.0
        cov[free + f, f] += q * dt * dt / 2.0
        cov[free + f, free + f] += q * dt
    for i in range(2 * free, head.states):
        cov[i, i] += after[i, m] * after[i, m] * dt


@inner
def _allow_for_inputs(
    plan: Plan, condition: Condition, m: int, dt: float, cov: Array, tie: Array, system: Array, spare: Array
) -> None:
    """What unknown inputs add to a step: e' = φ e + noise, x' = F x + g e with var e = 1.

    P ← P + g (F c)ᵀ + (F c) gᵀ + g gᵀ and c ← φ (F c + g), c = E[x e]: a column of `tie` per side of a valve.
    """
    n, free = plan.head[0].states, plan.head[0].free
    keep = exp(-dt / plan.head[0].input_memory)
    for v in range(tie.shape[1]):
        at = n + m + n - free + v
        for i in range(m):
            total = tie[i, v] if i >= n else 0.0
            for k in range(m if i < n else 0):
                total += system[i, n + k] * tie[k, v]
            spare[i, v] = total
        for i in range(m):
            g = system[i, at] if i < n else 0.0
            for j in range(i + 1):
                other = system[j, at] if j < n else 0.0
                cov[i, j] += g * spare[j, v] + spare[i, v] * other + g * other
                cov[j, i] = cov[i, j]
        for i in range(m):
            tie[i, v] = keep * (spare[i, v] + (system[i, at] if i < n else 0.0))
    _cap_pressures(plan, condition, m, cov, tie)


@inner
def _cap_pressures(plan: Plan, condition: Condition, m: int, cov: Array, tie: Array) -> None:
    """No pressure is less known than between nothing and the strongest source, or where a valve relieves it;

    correlations are kept.
    """
    head = plan.head[0]
    most = 0.0
    for k in range(head.volumes, len(plan.nodes)):
        most = max(most, 0.5 * condition.nodes[k].pressure / MPA)
    for k in range(len(plan.edges)):
        if plan.edges[k].kind == PILOTED:
            most = max(most, 0.5 * plan.edges[k].setting / MPA)
    for i in range(2 * head.free, 2 * head.free + head.volumes):
        if cov[i, i] > most * most:
            ratio = most / cov[i, i] ** 0.5
            for j in range(m):
                cov[i, j] *= ratio
                cov[j, i] = cov[i, j]
            cov[i, i] = most * most
            for v in range(tie.shape[1]):
                tie[i, v] *= ratio
