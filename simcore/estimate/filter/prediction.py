"""Predicts the covariance of the error-state Kalman filter over steps of the model.

The method follows Jaiswal 2021, section 3, with two changes: the transition of the pressures is the
derivative of the whole step instead of an identity matrix, and biases are estimated as well
(docs/methods/error-state-filter.md). The rows of a covariance are the states, then the biases.
"""

from __future__ import annotations

from math import exp

from simcore.estimate.biases import drifted, driven
from simcore.estimate.filter.covariance import gather_noise, propagate, propagate_columns, transpose
from simcore.estimate.filter_arrays import PUBLISHED, FilterModel, FilterScratch
from simcore.estimate.linearise.sdirk_transition import LONG_STEP_FROM, UNDAMPED, long_step_transition
from simcore.estimate.linearise.step_transition import assemble_step, solve_step
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import Plan
from simcore.model.workspace import Array


@inner
def _published_transition(plan: Plan, after: Array, dt: float, system: Array) -> None:
    """F as published: forward Euler, with the identity for pressures ("pressure evolution unknown")."""
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
def _step_transition(
    plan: Plan,
    m: int,
    d: int,
    before: Array,
    after: Array,
    blend: float,
    input_rates: Array,
    dt: float,
    system: Array,
) -> None:
    """F of one step, followed by columns for the effects of noise on each rate and of unknown inputs.

    m: states and biases; d: without errors of sensors, which no rate depends on.
    """
    n, free = plan.head[0].states, plan.head[0].free
    kicks = n + d
    inputs = kicks + n - free
    assemble_step(n, free, d, before, after, blend, dt, system)
    for i in range(free, n):
        for k in range(n - free):
            system[i, kicks + k] = after[i, m] * dt**0.5 if i == free + k else 0.0
        for v in range(len(input_rates)):
            system[i, inputs + v] = dt * input_rates[v, i]
    solve_step(n, free, d + n - free + len(input_rates), dt, system)


@inner
def _long_transition(
    plan: Plan,
    m: int,
    d: int,
    before: Array,
    after: Array,
    span: float,
    input_rates: Array,
    scratch: FilterScratch,
) -> None:
    """F over many steps, followed by columns for the effects of noise on each rate and of unknown inputs."""
    n, free, system = plan.head[0].states, plan.head[0].free, scratch.system
    long_step_transition(n, free, d, before, after, span, input_rates, scratch)
    for k in range(free, n):
        for i in range(n):
            system[i, d + k + n - free] *= after[k, m]


@outlined
def predict(
    model: FilterModel,
    before: Array,
    after: Array,
    sides: int,
    steps: int,
    cov: Array,
    input_cross_cov: Array,
    scratch: FilterScratch,
) -> None:
    """P ← F P Fᵀ + noise, for each of a few steps separately, or for many steps together.

    before, after: Jacobians at the start of the first and at the end of the last step. Noise is propagated
    through the step like the state, so fast pressures get the continuous-time variance q/(2|λ|), not q dt.
    sides: rows of `scratch.input_rates` that unknown inputs fill, or 0.
    """
    plan, dt, system = model.plan, model.dt, scratch.system
    n, free = plan.head[0].states, plan.head[0].free
    m, d = n + len(model.biases), driven(n, model.biases)
    input_rates = scratch.input_rates[:sides]
    published = model.transition == PUBLISHED
    times, span, followers = steps, dt, free
    if published:
        _published_transition(plan, after, dt, system)
    elif steps * dt >= LONG_STEP_FROM:
        times, span, followers = 1, steps * dt, 0
        _long_transition(plan, m, d, before, after, span, input_rates, scratch)
    else:
        _step_transition(plan, m, d, before, after, 0.5 if steps > 1 else 0.0, input_rates, dt, system)
    if not published:
        gather_noise(n, followers, d, n - free, dt, system, scratch.transposed)
    transpose(n, followers, system, n, d, scratch.transposed)
    for _ in range(times):
        signatures = len(scratch.input_rates)  # first column of them
        propagate_columns(n, followers, d, dt, system, signatures, input_cross_cov, scratch.spare)
        propagate(n, followers, d, m, dt, system, cov, scratch.spare, scratch.transposed)
        if published:
            _published_noise(plan, m, after, dt, cov)
            continue
        for i in range(n):
            for j in range(i + 1):
                cov[i, j] += system[i, j]
                cov[j, i] = cov[i, j]
        for i in range(len(model.biases)):
            cov[n + i, n + i] = drifted(model.biases[i], span, cov[n + i, n + i])
        if sides > 0:
            _allow_for_inputs(plan, m, d, span, cov, input_cross_cov, scratch)
    if not published and steps * dt >= LONG_STEP_FROM:
        for i in range(free, n):
            cov[i, i] += UNDAMPED * span * after[i, m] * after[i, m]
    limit_spread(n, m, model.most, cov, input_cross_cov)


@inner
def _published_noise(plan: Plan, m: int, after: Array, dt: float, cov: Array) -> None:
    """Σ^P as published: acceleration noise acts on positions and velocities, pressure noise grows with dt."""
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
    plan: Plan, m: int, d: int, span: float, cov: Array, input_cross_cov: Array, scratch: FilterScratch
) -> None:
    """Add the effect of unknown inputs over `span` s: e' = φ e + noise, x' = F x + g e with var e = 1.

    P ← P + g (F c)ᵀ + (F c) gᵀ + g gᵀ and c ← φ (F c + g), where c = E[x e] is a column of `input_cross_cov`,
    one per side of a valve. g grows with the age of the input.
    """
    system, spare = scratch.system, scratch.spare
    n, free = plan.head[0].states, plan.head[0].free
    keep = exp(-span / plan.head[0].input_memory)
    for v in range(len(scratch.input_rates)):
        at = n + d + n - free + v
        for i in range(m):
            total = input_cross_cov[i, v] if i >= n else 0.0
            for k in range(d if i < n else 0):
                total += system[i, n + k] * input_cross_cov[k, v]
            spare[0, i] = total
            spare[1, i] = system[i, at] if i < n else 0.0
        for i in range(m):
            g, carried = spare[1, i], spare[0, i]
            for j in range(i + 1):
                cov[i, j] += g * spare[0, j] + carried * spare[1, j] + g * spare[1, j]
                cov[j, i] = cov[i, j]
        for i in range(m):
            input_cross_cov[i, v] = keep * (spare[0, i] + spare[1, i])


@inner
def limit_spread(n: int, m: int, most: Array, cov: Array, input_cross_cov: Array) -> None:
    """Limit the standard deviation of every state to what is physically possible; keep the correlations."""
    for i in range(n):
        if cov[i, i] > most[i] * most[i]:
            ratio = most[i] / cov[i, i] ** 0.5
            for j in range(m):
                cov[i, j] *= ratio
                cov[j, i] = cov[i, j]
            cov[i, i] = most[i] * most[i]
            for v in range(input_cross_cov.shape[1]):
                input_cross_cov[i, v] *= ratio
