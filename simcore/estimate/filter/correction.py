"""Corrects the error-state Kalman filter: fuses readings one by one in Joseph form and updates the state.

The method follows Jaiswal 2021, section 3 (docs/methods/error-state-filter.md).
"""

from __future__ import annotations

from math import isfinite

from simcore.algebra.linear import copy, mirror
from simcore.estimate.biases import driven, shift_biases
from simcore.estimate.linearise.aerated_oil import correct_pressures, rescale
from simcore.estimate.linearise.jacobian import place_of, unit_of
from simcore.estimate.monitor.load_signature import weigh_evidence
from simcore.formulation.partition import settle
from simcore.integrate.advance import astray
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import Plan, Records
from simcore.model.workspace import STEP_BACKUP, Array, Workspace
from simcore.multibody.rotations import keep_attitudes

_APPROACH = 0.1  # rad; far positions are approached in parts so that loops keep their assembly
_MOST_PARTS = 1000
_BEYOND_END = 0.2  # rad or m, by which a correction may point beyond a piston's end (assumed: encoder, noise)
_LEAST_PRESSURE = 2e4  # Pa above vapour pressure: below it air makes oil a hundred times softer


@inner
def fuse_one(
    h: Array,
    innovation: float,
    s: float,
    learned: Array,
    cov: Array,
    input_cross_cov: Array,
    dx: Array,
    spare: Array,
) -> None:
    """Fuse one reading: dx ← dx + K y, P ← (I - K h) P (I - K h)ᵀ + K r Kᵀ, c ← (I - K h) c.

    s: variance of the innovation; spare[0] contains P hᵀ. Entries are corrected where `learned` is one; the
    uncertainty of the others, and of unknown inputs, is considered but not reduced (Schmidt's consider
    states). P is updated on and below its diagonal. spare[3] contains h c.
    """
    m = dx.shape[0]
    cov_h, gain = spare[0], spare[1]
    share = 1.0 / s
    for i in range(m):
        gain[i] = cov_h[i] * share * learned[i]
        dx[i] += gain[i] * innovation
    for i in range(m if input_cross_cov.shape[1] > 0 else 0):
        if gain[i] != 0.0:
            for v in range(input_cross_cov.shape[1]):
                input_cross_cov[i, v] -= gain[i] * spare[3, v]
    for i in range(m):
        # row i of (I - K h) P times hᵀ, less what the noise of the reading adds
        own, back, j = gain[i], cov_h[i] - gain[i] * s, 0
        while j + 4 <= i + 1:  # four columns side by side
            x0 = cov[i, j] - (own * cov_h[j] + back * gain[j])
            x1 = cov[i, j + 1] - (own * cov_h[j + 1] + back * gain[j + 1])
            x2 = cov[i, j + 2] - (own * cov_h[j + 2] + back * gain[j + 2])
            x3 = cov[i, j + 3] - (own * cov_h[j + 3] + back * gain[j + 3])
            cov[i, j], cov[i, j + 1], cov[i, j + 2], cov[i, j + 3] = x0, x1, x2, x3
            j += 4
        while j <= i:
            cov[i, j] -= own * cov_h[j] + back * gain[j]
            j += 1


@inner
def fuse(
    plan: Plan,
    values: Array,
    sigmas: Array,
    gate: float,
    learned: Array,
    jacobian: Array,
    cov: Array,
    input_cross_cov: Array,
    dx: Array,
    spare: Array,
    innovations: Array,
    usual: Array,
    evidence: Array,
) -> None:
    """Fuse readings (NaN: no reading) one after the other; dx is the resulting correction.

    innovations: per channel the innovation, NaN without a reading, and its variance. A reading whose
    innovation exceeds `gate` standard deviations is recorded but not fused. learned: one for states that are
    corrected, zero for the others. evidence: of load changes, whose signatures are the last columns of c.
    usual: mean square of normalised innovations by channel, for this evidence.
    """
    n, m = plan.head[0].states, len(dx)
    columns = input_cross_cov.shape[1]
    for i in range(m):
        dx[i] = 0.0
    for k in range(len(plan.channels)):
        innovations[k, 0], innovations[k, 1] = values[k], 0.0
        if not isfinite(values[k]):
            continue
        h = jacobian[n + k]
        innovation = values[k] - h[m]
        variance = sigmas[k] * sigmas[k]
        s = variance
        for i in range(m):
            spare[0, i] = 0.0
        for v in range(columns):
            spare[3, v] = 0.0
        for j in range(m):
            if h[j] != 0.0:
                innovation -= h[j] * dx[j]
                for v in range(columns):
                    spare[3, v] += h[j] * input_cross_cov[j, v]
                for i in range(j):
                    spare[0, i] += h[j] * cov[j, i]
                for i in range(j, m):
                    spare[0, i] += h[j] * cov[i, j]
        for i in range(m):
            s += h[i] * spare[0, i]
        innovations[k, 0], innovations[k, 1] = innovation, s
        if len(evidence) > 0:
            weigh_evidence(innovation, s, usual[k], spare[3], columns - len(evidence), evidence)
        if innovation * innovation <= gate * gate * s:
            fuse_one(h, innovation, s, learned, cov, input_cross_cov, dx, spare)
    mirror(cov, m)


@kernel
def keep_above_vapour(plan: Plan, state: Array) -> None:
    """Raise estimates to just above vapour pressure, because aerated oil has no state below it."""
    head = plan.head[0]
    if head.air > 0.0:
        for k in range(head.at_p, head.at_p + head.volumes):
            state[k] = max(state[k], head.vapour + _LEAST_PRESSURE)


@inner
def feed_back(
    plan: Plan,
    biases: Records,
    state: Array,
    dx: Array,
    ws: Workspace,
    cov: Array,
    input_cross_cov: Array,
    before: Array,
) -> bool:
    """Add a correction to states and biases; False if the loops cannot be closed there. before: scratch.

    Dependent coordinates follow the tangent of the loops and are then closed exactly. Accelerations, pressure
    rates and loop forces are recomputed, because the next step starts from them. A large correction is
    applied in parts. Positions stay where the next part would move a piston a little out of its tube: an
    encoder that is off by a degree reads such positions whenever a cylinder is at its end.
    """
    head = plan.head[0]
    n, free, first_p = head.states, head.free, 2 * head.free
    p = state[head.at_p : head.at_p + head.volumes]
    copy(p, before)
    longest = 0.0
    for f in range(free):
        longest = max(longest, abs(dx[f]))
    parts = 1 + min(int(longest / _APPROACH), _MOST_PARTS)
    shift_biases(ws.condition, biases, dx[n:])
    first, part, kept = 0, 0, ws.vector[STEP_BACKUP]
    while part < parts:
        copy(state, kept)
        for i in range(first, n):
            if not first_p <= i < first_p + head.volumes:
                state[place_of(plan, i)] += dx[i] / parts * unit_of(plan, i)
        correct_pressures(plan, p, dx, 1.0 / parts, cov, ws)
        keep_above_vapour(plan, state)
        if settle(plan, state, ws) and astray(plan, ws) == 0:
            part += 1
        elif first == 0 and longest * (parts - part) < _BEYOND_END * parts:
            copy(kept, state)
            first = free
            settle(plan, state, ws)
        else:
            return False
    keep_attitudes(plan, state)
    rescale(plan, len(dx), p, before, ws, cov, input_cross_cov)
    return True


@kernel
def channel_sigmas(
    plan: Plan, biases: Records, cov: Array, jacobian: Array, zero_errors: Array, out: Array
) -> None:
    """Standard deviation of every channel, linearised: √(h P hᵀ).

    It is that of the value, not of a reading: errors of pressure sensors count only through the states. Those
    of position sensors are added, because positions are estimated as their sensors count them.
    """
    n = plan.head[0].states
    m = driven(n, biases)
    for k in range(len(plan.channels)):
        variance = 0.0
        for i in range(len(zero_errors)):
            off = jacobian[n + k, i] * zero_errors[i]
            variance += off * off
        for i in range(m):
            if jacobian[n + k, i] != 0.0:
                for j in range(m):
                    variance += jacobian[n + k, i] * cov[i, j] * jacobian[n + k, j]
        out[k] = max(variance, 0.0) ** 0.5
