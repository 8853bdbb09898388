"""Error-state extended Kalman filter: prediction through the implicit step, correction in Joseph form.

Jaiswal 2021, section 3, with the pressure block derived instead of taken as the identity
(docs/methods/error-state-filter.md).
"""

from __future__ import annotations

from math import exp, isfinite

from simcore.estimate.slopes import blur_slopes, rate_slopes
from simcore.integrate.advance import take_implicit
from simcore.integrate.linear import eliminate
from simcore.jit import inner, kernel
from simcore.model.plan import Plan
from simcore.work import Array, Work

MPA = 1e6


@kernel
def propagate(
    plan: Plan, before: Array, after: Array, dt: float, cov: Array, system: Array, spare: Array
) -> None:
    """P ← Φ P Φᵀ + G Q Gᵀ dt over one step of the trapezoidal rule.

    The rule makes Φ = (I - dt/2 A₊)⁻¹(I + dt/2 A₋) and lets noise enter through G = (I - dt/2 A₊)⁻¹, which
    gives fast pressures the variance q/(2|λ|) of continuous time instead of q dt.
    """
    head = plan.head[0]
    n, free = head.states, head.free
    for i in range(n):
        for j in range(n):
            one = 1.0 if i == j else 0.0
            system[i, j] = one - 0.5 * dt * after[i, j]
            system[i, n + j] = one + 0.5 * dt * before[i, j]
            system[i, 2 * n + j] = 0.0
        density = 0.0 if i < free else (head.noise_a if i < 2 * free else head.noise_dp / MPA)
        system[i, 2 * n + i] = density * dt**0.5
    eliminate(system, n, 2 * n)
    for i in range(n):
        for j in range(n):
            spare[i, j] = 0.0
            for k in range(n):
                spare[i, j] += system[i, n + k] * cov[k, j]
    for i in range(n):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += spare[i, k] * system[j, n + k]
                total += system[i, 2 * n + k] * system[j, 2 * n + k]
            cov[i, j] = total
            cov[j, i] = total


@kernel
def age_inputs(plan: Plan, ages: Array, dt: float) -> bool:
    """Count a step since each input was given; tells whether any is too old to be known."""
    old = False
    for v in range(len(ages)):
        ages[v] += 1.0
        old = old or is_old(plan, ages[v], dt)
    return old


@kernel
def is_old(plan: Plan, age: float, dt: float) -> bool:
    """Whether an input given so many steps ago is no longer known (half a step against rounding)."""
    return bool((age - 0.5) * dt > plan.head[0].input_fresh)


@kernel
def propagate_inputs(
    plan: Plan,
    after: Array,
    push: Array,
    dt: float,
    cov: Array,
    tie: Array,
    system: Array,
    spare: Array,
) -> None:
    """What unknown inputs add to a step: e' = φ e + noise, x' = Φ x + g e with g = G n dt and var e = 1.

    P ← P + g (Φ c)ᵀ + (Φ c) gᵀ + g gᵀ and c ← φ (Φ c + g), c = E[x e]: a column of `tie` per side of a valve.
    To be called after `propagate`, which leaves Φ in the middle of `system`.
    """
    n = plan.head[0].states
    sides = len(push)
    keep = exp(-dt / plan.head[0].input_memory)
    for v in range(sides):
        for i in range(n):
            spare[i, v] = 0.0
            for k in range(n):
                spare[i, v] += system[i, n + k] * tie[k, v]
    for i in range(n):
        for j in range(n):
            system[i, j] = (1.0 if i == j else 0.0) - 0.5 * dt * after[i, j]
        for v in range(sides):
            system[i, n + v] = dt * push[v, i]
    eliminate(system, n, sides)
    for v in range(sides):
        for i in range(n):
            g = system[i, n + v]
            for j in range(i + 1):
                other = system[j, n + v]
                cov[i, j] += g * spare[j, v] + spare[i, v] * other + g * other
                cov[j, i] = cov[i, j]
        for i in range(n):
            tie[i, v] = keep * (spare[i, v] + system[i, n + v])
    _cap_pressures(plan, cov, tie)


@kernel
def _cap_pressures(plan: Plan, cov: Array, tie: Array) -> None:
    """No pressure is less known than between nothing and the strongest source; correlations are kept."""
    head = plan.head[0]
    most = 0.0
    for k in range(head.volumes, len(plan.nodes)):
        most = max(most, 0.5 * plan.nodes[k].pressure / MPA)
    for i in range(2 * head.free, head.states):
        if cov[i, i] > most * most:
            ratio = most / cov[i, i] ** 0.5
            for j in range(head.states):
                cov[i, j] *= ratio
                cov[j, i] = cov[i, j]
            cov[i, i] = most * most
            for v in range(tie.shape[1]):
                tie[i, v] *= ratio


@kernel
def advance_twin(
    plan: Plan,
    state: Array,
    cov: Array,
    slope: Array,
    tie: Array,
    ages: Array,
    scratch: Array,
    work: Work,
    steps: int,
    dt: float,
    counters: Array,
) -> int:
    """Step the model and its covariance; returns how many steps succeeded.

    slope: ∂(dx/dt)/∂x at the state, kept from step to step. tie, ages: of the inputs, see propagate_inputs.
    scratch: at least 3 states wide, or states and sides of valves; 3 states and these sides high.
    """
    n = plan.head[0].states
    system, spare, after = scratch[:n], scratch[n : 2 * n], scratch[2 * n : 3 * n]
    push = scratch[3 * n :]
    for done in range(steps):
        if not take_implicit(plan, state, work, dt, False, False, False, counters):
            return done
        rate_slopes(plan, state, work, after)
        old = age_inputs(plan, ages, dt)
        if old:
            push[:] = 0.0
            for v in range(len(ages)):
                if is_old(plan, ages[v], dt):
                    blur_slopes(plan, state, work, v, after, push[2 * v : 2 * v + 2])
        propagate(plan, slope, after, dt, cov, system, spare)
        if old:
            propagate_inputs(plan, after, push, dt, cov, tie, system, spare)
        for i in range(n):
            for j in range(n):
                slope[i, j] = after[i, j]
    return steps


@inner
def _fuse_one(
    h: Array, innovation: float, variance: float, cov: Array, tie: Array, dx: Array, spare: Array
) -> float:
    """One scalar reading: dx ← dx + K y, P ← (I - K h) P (I - K h)ᵀ + K r Kᵀ, c ← (I - K h) c.

    Returns y²/S. Unknown inputs are allowed for, not estimated (Schmidt's consider states).
    """
    n = dx.shape[0]
    gain = spare[0]
    s = variance
    for i in range(n):
        gain[i] = 0.0
        for j in range(n):
            gain[i] += cov[i, j] * h[j]
        s += h[i] * gain[i]
    for i in range(n):
        gain[i] /= s
        dx[i] += gain[i] * innovation
    for v in range(tie.shape[1]):
        seen = 0.0
        for i in range(n):
            seen += h[i] * tie[i, v]
        for i in range(n):
            tie[i, v] -= gain[i] * seen
    rest = spare[1 : n + 1]
    for i in range(n):
        seen = 0.0
        for j in range(n):
            seen += h[j] * cov[j, i]
        for j in range(n):
            rest[j, i] = cov[j, i] - gain[j] * seen
    for i in range(n):
        seen = 0.0
        for j in range(n):
            seen += rest[i, j] * h[j]
        for j in range(i + 1):
            cov[i, j] = rest[i, j] - seen * gain[j] + gain[i] * variance * gain[j]
            cov[j, i] = cov[i, j]
    return innovation * innovation / s


@kernel
def fuse(
    plan: Plan,
    cov: Array,
    tie: Array,
    readings: Array,
    values: Array,
    channel_slope: Array,
    dx: Array,
    scratch: Array,
) -> float:
    """Readings (NaN where there is none) one after the other; dx is the correction they ask for.

    Returns the normalised innovation squared; sensors are independent, so it is the sum of their own.
    """
    n = len(dx)
    nis = 0.0
    for k in range(len(plan.channels)):
        if isfinite(readings[k]):
            innovation = readings[k] - values[k]
            for i in range(n):
                innovation -= channel_slope[k, i] * dx[i]
            sigma = plan.channels[k].sigma
            nis += _fuse_one(channel_slope[k], innovation, sigma * sigma, cov, tie, dx, scratch)
    return nis


@kernel
def channel_sigmas(plan: Plan, cov: Array, channel_slope: Array, out: Array) -> None:
    """Standard deviation of every channel, linearised: √(h P hᵀ)."""
    n = plan.head[0].states
    for k in range(len(plan.channels)):
        variance = 0.0
        for i in range(n):
            for j in range(n):
                variance += channel_slope[k, i] * cov[i, j] * channel_slope[k, j]
        out[k] = max(variance, 0.0) ** 0.5
