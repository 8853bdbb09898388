"""Error-state extended Kalman filter: prediction through the implicit step, correction in Joseph form.

Jaiswal 2021, section 3; with the derivative of the whole step instead of an identity for the pressures, and
with biases (docs/methods/error-state-filter.md). Covariances are over the states, then the biases.
"""

from __future__ import annotations

from math import exp, isfinite

from simcore.estimate.biases import shift_biases
from simcore.estimate.engine_slopes import KNM
from simcore.estimate.leap import LEAP_FROM, leap
from simcore.estimate.slopes import MPA, place_of, unit_of
from simcore.estimate.transition import lay_step, solve_step
from simcore.formulation.partition import settle
from simcore.integrate.advance import astray
from simcore.integrate.linear import mirror, multiply
from simcore.jit import inner, kernel
from simcore.model.plan import PILOTED, Plan, Records
from simcore.multibody.rotations import keep_attitudes
from simcore.work import Array, Work

PUBLISHED, FULL = range(2)  # transition models; the full one with biases or without
_APPROACH = 0.1  # rad; far positions are approached in parts so that loops keep their assembly
_MOST_PARTS = 1000
_LEAST_PRESSURE = 5e3  # Pa above vapour pressure


@inner
def _noise(plan: Plan, i: int) -> float:
    """Density of the white noise on the rate of a state, filter units per √s."""
    head = plan.head[0]
    if i < head.free:
        return 0.0
    if i < 2 * head.free:
        return float(head.noise_a)
    return float(head.noise_dp / MPA if i < 2 * head.free + head.volumes else head.noise_torque / KNM)


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
            system[i, kicks + k] = _noise(plan, i) * dt**0.5 if i == free + k else 0.0
        for v in range(len(push)):
            system[i, pushes + v] = dt * push[v, i]
    solve_step(n, free, m + n - free + len(push), dt, system)


@inner
def _turn(n: int, free: int, system: Array, at: int, count: int, turned: Array) -> None:
    """Rows of velocities and pressures as columns: so many entries from column `at` on."""
    for i in range(free, n):
        for k in range(count):
            turned[k, i - free] = system[i, at + k]


@inner
def _multiply_turned(n: int, free: int, a: Array, at: int, count: int, turned: Array, out: Array) -> None:
    """out = A Bᵀ on and below the diagonal, of velocities and pressures; Bᵀ is in `turned`."""
    for i in range(free, n, 2):
        last = min(i + 2, n)
        multiply(a, at, i, last, turned, count, last - free, out)
    for i in range(free, n):
        for j in range(i - free, -1, -1):
            out[i, free + j] = out[i, j]


@inner
def carry(
    n: int, free: int, m: int, dt: float, system: Array, cov: Array, spare: Array, turned: Array
) -> None:
    """P ← F P Fᵀ over one step, F = [Φ Γ; 0 I] with [Φ Γ] in `system` from column n on; biases stay.

    Only velocities and pressures are multiplied out, whose rows of F are in `turned` as columns: positions
    follow them, x₊ = x + dt/2 (v + v₊).
    """
    half = 0.5 * dt
    multiply(system, n, free, n, cov, m, m, spare)
    for f in range(free):
        for j in range(m):
            spare[f, j] = cov[f, j] + half * (cov[free + f, j] + spare[free + f, j])
    _multiply_turned(n, free, spare, 0, m, turned, cov)
    for i in range(free, n):
        for j in range(free, i):
            cov[j, i] = cov[i, j]
    for i in range(n - 1, -1, -1):
        for f in range(min(i + 1, free)):
            cov[i, f] = spare[i, f] + half * (spare[i, free + f] + cov[i, free + f])
            cov[f, i] = cov[i, f]
        for j in range(n, m):
            cov[i, j] = spare[i, j]
            cov[j, i] = spare[i, j]


@inner
def _gather_noise(n: int, free: int, m: int, dt: float, system: Array, turned: Array) -> None:
    """Noise of a step, Q = G Gᵀ on and below the diagonal of the columns that the solved equations left.

    G is in `system` behind F; positions get half a step of what velocities get.
    """
    half = 0.5 * dt
    _turn(n, free, system, n + m, n - free, turned)
    _multiply_turned(n, free, system, n + m, n - free, turned, system)
    for f in range(free):
        for i in range(free, n):
            v = free + f
            system[i, f] = half * (system[i, v] if v <= i else system[v, i])
        for g in range(f + 1):
            system[f, g] = half * system[free + f, g]


@inner
def predict(
    plan: Plan,
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
    """P ← F P Fᵀ + noise over some steps; before, after: slopes at their start and end.

    Few steps are taken one by one, many in one leap. Noise enters through the step as the state does, which
    gives fast pressures the variance q/(2|λ|) of continuous time instead of q dt. push: what unknown inputs
    add to the rates in a single step, or nothing.
    """
    n, free = plan.head[0].states, plan.head[0].free
    m = n + len(biases)
    if model != PUBLISHED and steps >= LEAP_FROM:
        for i in range(free, n):
            system[i, n + m] = _noise(plan, i)
        leap(n, free, m, after, steps * dt, cov, system, spare, turned)
        for i in range(len(biases)):
            cov[n + i, n + i] += biases[i].walk * biases[i].walk * steps * dt
        return
    if model == PUBLISHED:
        _publish_transition(plan, after, dt, system)
    else:
        _derive_transition(plan, m, before, after, 0.5 if steps > 1 else 0.0, push, dt, system)
        _gather_noise(n, free, m, dt, system, turned)
    _turn(n, free, system, n, m, turned)
    for _ in range(steps):
        carry(n, free, m, dt, system, cov, spare, turned)
        if model == PUBLISHED:
            _publish_noise(plan, dt, cov)
            continue
        for i in range(n):
            for j in range(i + 1):
                cov[i, j] += system[i, j]
                cov[j, i] = cov[i, j]
        for i in range(len(biases)):
            cov[n + i, n + i] += biases[i].walk * biases[i].walk * dt
    if len(push) > 0:
        _allow_for_inputs(plan, m, dt, cov, tie, system, spare)


@inner
def _publish_noise(plan: Plan, dt: float, cov: Array) -> None:
    """Σ^P of the publication: acceleration noise through positions, pressure noise in proportion to dt."""
    head = plan.head[0]
    free, q = head.free, head.noise_a * head.noise_a
    for f in range(free):
        cov[f, f] += q * dt * dt * dt / 3.0
        cov[f, free + f] += q * dt * dt / 2.0
        cov[free + f, f] += q * dt * dt / 2.0
        cov[free + f, free + f] += q * dt
    for i in range(2 * free, head.states):
        cov[i, i] += _noise(plan, i) * _noise(plan, i) * dt


@inner
def _allow_for_inputs(
    plan: Plan, m: int, dt: float, cov: Array, tie: Array, system: Array, spare: Array
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
    _cap_pressures(plan, m, cov, tie)


@inner
def _cap_pressures(plan: Plan, m: int, cov: Array, tie: Array) -> None:
    """No pressure is less known than between nothing and the strongest source, or where a valve relieves it;

    correlations are kept.
    """
    head = plan.head[0]
    most = 0.0
    for k in range(head.volumes, len(plan.nodes)):
        most = max(most, 0.5 * plan.nodes[k].pressure / MPA)
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


@inner
def fuse_one(
    h: Array,
    innovation: float,
    s: float,
    learned: int,
    cov: Array,
    tie: Array,
    dx: Array,
    spare: Array,
) -> None:
    """One scalar reading: dx ← dx + K y, P ← (I - K h) P (I - K h)ᵀ + K r Kᵀ, c ← (I - K h) c.

    s: variance of the innovation; spare[0] holds P hᵀ. Only the first so many `learned` are corrected; the
    others, and unknown inputs, are allowed for but not estimated (Schmidt's consider states). P is renewed
    on and below its diagonal.
    """
    m = dx.shape[0]
    seen, gain = spare[0], spare[1]
    share = 1.0 / s
    for i in range(m):
        gain[i] = seen[i] * share if i < learned else 0.0
        dx[i] += gain[i] * innovation
    for v in range(tie.shape[1]):
        total = 0.0
        for i in range(m):
            total += h[i] * tie[i, v]
        for i in range(m):
            tie[i, v] -= gain[i] * total
    for i in range(m):
        # row i of (I - K h) P times hᵀ, less what the noise of the reading adds
        back = seen[i] - gain[i] * s
        for j in range(i + 1):
            cov[i, j] -= gain[i] * seen[j] + back * gain[j]


@inner
def fuse(
    plan: Plan,
    m: int,
    readings: Array,
    sigmas: Array,
    gate: float,
    learn: bool,
    slope: Array,
    cov: Array,
    tie: Array,
    dx: Array,
    spare: Array,
    seen: Array,
) -> None:
    """Readings (NaN where there is none) one after the other; dx is the correction they ask for.

    seen: per channel the innovation, NaN where there is none, and its variance. A reading whose innovation
    is more than `gate` standard deviations away is looked at and left out. learn: correct the biases too.
    """
    n = plan.head[0].states
    learned = m if learn else n
    for i in range(m):
        dx[i] = 0.0
    for k in range(len(plan.channels)):
        seen[k, 0], seen[k, 1] = readings[k], 0.0
        if not isfinite(readings[k]):
            continue
        h = slope[n + k]
        innovation = readings[k] - h[m]
        variance = sigmas[k] * sigmas[k]
        s = variance
        for i in range(m):
            spare[0, i] = 0.0
        for j in range(m):
            if h[j] != 0.0:
                innovation -= h[j] * dx[j]
                for i in range(j):
                    spare[0, i] += h[j] * cov[j, i]
                for i in range(j, m):
                    spare[0, i] += h[j] * cov[i, j]
        for i in range(m):
            s += h[i] * spare[0, i]
        seen[k, 0], seen[k, 1] = innovation, s
        if innovation * innovation <= gate * gate * s:
            fuse_one(h, innovation, s, learned, cov, tie, dx, spare)
    mirror(cov, m)


@kernel
def keep_above_vapour(plan: Plan, state: Array) -> None:
    """An estimate below vapour pressure is none: oil with air in it has no such state."""
    head = plan.head[0]
    if head.air > 0.0:
        for k in range(head.at_p, head.at_p + head.volumes):
            state[k] = max(state[k], head.vapour + _LEAST_PRESSURE)


@inner
def feed_back(plan: Plan, biases: Records, state: Array, dx: Array, work: Work) -> bool:
    """Add a correction to states and biases; False where no such position exists.

    Dependent coordinates follow along the tangent of the loops, then exactly; accelerations, pressure rates
    and loop forces are made anew: frozen, they would spoil the next step. A long way is taken in parts.
    """
    n, free = plan.head[0].states, plan.head[0].free
    longest = 0.0
    for f in range(free):
        longest = max(longest, abs(dx[f]))
    parts = 1 + min(int(longest / _APPROACH), _MOST_PARTS)
    shift_biases(plan, biases, dx[n:])
    for _ in range(parts):
        for i in range(n):
            state[place_of(plan, i)] += dx[i] / parts * unit_of(plan, i)
        keep_above_vapour(plan, state)
        if not settle(plan, state, work) or astray(plan, work) != 0:
            return False
    keep_attitudes(plan, state)
    return True


@kernel
def channel_sigmas(plan: Plan, m: int, cov: Array, slope: Array, out: Array) -> None:
    """Standard deviation of every channel, linearised: √(h P hᵀ)."""
    n = plan.head[0].states
    for k in range(len(plan.channels)):
        variance = 0.0
        for i in range(m):
            if slope[n + k, i] != 0.0:
                for j in range(m):
                    variance += slope[n + k, i] * cov[i, j] * slope[n + k, j]
        out[k] = max(variance, 0.0) ** 0.5
