"""Error-state extended Kalman filter: prediction through the implicit step, correction in Joseph form.

Jaiswal 2021, section 3, with the pressure block derived instead of taken as the identity
(docs/methods/error-state-filter.md).
"""

from __future__ import annotations

from math import isfinite

from simcore.estimate.slopes import rate_slopes
from simcore.integrate.advance import advance_implicit
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
def advance_twin(
    plan: Plan,
    state: Array,
    cov: Array,
    slope: Array,
    scratch: Array,
    work: Work,
    steps: int,
    dt: float,
    counters: Array,
) -> int:
    """Step the model and its covariance; returns how many steps succeeded.

    slope: ∂(dx/dt)/∂x at the state, kept from step to step. scratch: at least 3 states wide, 3 states high.
    """
    n = plan.head[0].states
    system, spare, after = scratch[:n], scratch[n : 2 * n], scratch[2 * n : 3 * n]
    for done in range(steps):
        if advance_implicit(plan, state, work, 1, dt, False, counters) < 1:
            return done
        rate_slopes(plan, state, work, after)
        propagate(plan, slope, after, dt, cov, system, spare)
        for i in range(n):
            for j in range(n):
                slope[i, j] = after[i, j]
    return steps


@inner
def _fuse_one(h: Array, innovation: float, variance: float, cov: Array, dx: Array, spare: Array) -> float:
    """One scalar reading: dx ← dx + K y, P ← (I - K h) P (I - K h)ᵀ + K r Kᵀ. Returns y²/S."""
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
    plan: Plan, cov: Array, readings: Array, values: Array, channel_slope: Array, dx: Array, scratch: Array
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
            nis += _fuse_one(channel_slope[k], innovation, sigma * sigma, cov, dx, scratch)
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
