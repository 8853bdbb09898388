"""Treats a pressure error as an error in the amount of oil, because free air makes oil very compressible.

The oil in a volume is C y - V a (p₀/y)^(1/n) with the pressure y above vapour pressure, the compliance C
without air and the share a of air at p₀. Near vapour pressure the compliance varies by orders of magnitude
within 1 bar. So a standard deviation σ is stored as the amount of oil that would raise the pressure by σ, and
corrections add oil (docs/methods/error-state-filter.md).
"""

from __future__ import annotations

from math import sqrt

from simcore.estimate.linearise.channel_jacobian import MPA
from simcore.kernels.jit import inner, kernel, outlined
from simcore.model.plan import Plan
from simcore.model.workspace import Array, Workspace

_ROUNDS, _ENOUGH = 20, 1e-7  # of Newton; share of a pressure
_SMALL = 1e-3  # rise over the pressure above vapour, below which the softness of air is constant


@inner
def _power(power: float, y: float) -> float:
    """y^-power; isothermal air (power 1) needs only a division, which is much faster."""
    return 1.0 / y if power == 1.0 else y**-power


@kernel
def air_in(plan: Plan) -> tuple[float, float]:
    """a p₀^(1/n) and 1/n for the machine's oil."""
    head = plan.head[0]
    power = 1.0 / head.air_exponent if head.air > 0.0 else 1.0
    return float(head.air * (head.air_pressure if power == 1.0 else head.air_pressure**power)), float(power)


@kernel
def softness(compliance: float, air: float, power: float, y: float, rise: float) -> float:
    """Secant compliance: oil that raises a pressure by `rise` from y above vapour pressure, per rise, m³/Pa.

    compliance: of the volume at y, m³/Pa. air: air constant times the volume, m³ Pa^power.
    """
    if air <= 0.0 or rise < _SMALL * y:
        return compliance
    gone = _power(power, y)
    return compliance + air * ((gone - _power(power, y + rise)) / rise - power * gone / y)


@kernel
def with_oil(compliance: float, air: float, power: float, y: float, oil: float) -> float:
    """Pressure, relative to vapour pressure, after adding oil, m³, at y; always positive."""
    if air <= 0.0:
        return y + oil / compliance
    volume = air * _power(power, y)
    stiff = compliance - volume * power / y
    whole = stiff * y - volume + oil
    if oil < 0.0:  # concave and rising: from below Newton never oversteps
        y *= (volume / (volume - oil)) ** (1.0 / power)
    for _ in range(_ROUNDS):
        volume = air * _power(power, y)
        change = (whole - stiff * y + volume) / (stiff + volume * power / y)
        y += change
        if abs(change) < _ENOUGH * y:
            break
    return y


@inner
def _sigma(plan: Plan, k: int, cov: Array) -> float:
    """Standard deviation of the pressure of a volume, Pa."""
    i = 2 * plan.head[0].free + k
    return sqrt(max(cov[i, i], 0.0)) * MPA


@inner
def correct_pressures(plan: Plan, p: Array, dx: Array, share: float, cov: Array, ws: Workspace) -> None:
    """Apply a share of a pressure correction as oil; a rise beyond one σ takes the oil that it needs.

    With the compliance averaged over one standard deviation, a much larger rise would come out far too large:
    hundreds of bar when a load falls off the hook.
    """
    head = plan.head[0]
    air, power = air_in(plan)
    for k in range(head.volumes):
        node, y = ws.nodes[k], p[k] - head.vapour
        rise = dx[2 * head.free + k] * share * MPA
        soft = softness(node.compliance, air * node.volume, power, y, max(_sigma(plan, k, cov), rise))
        oil = soft * rise
        p[k] = head.vapour + with_oil(node.compliance, air * node.volume, power, y, oil)


@inner
def rescale(
    plan: Plan, m: int, p: Array, before: Array, ws: Workspace, cov: Array, input_cross_cov: Array
) -> None:
    """Keep the uncertainty of the oil while pressures change from `before` (0: unknown) to those in `ws`."""
    head = plan.head[0]
    air, power = air_in(plan)
    for k in range(head.volumes if air > 0.0 else 0):
        i, node, sigma = 2 * head.free + k, ws.nodes[k], _sigma(plan, k, cov)
        if before[k] == p[k] or before[k] == 0.0 or sigma == 0.0:
            continue
        there, here, held = before[k] - head.vapour, p[k] - head.vapour, air * node.volume
        stiff = node.compliance - held * power * _power(power, here) / here
        unknown = stiff * sigma + held * (_power(power, there) - _power(power, there + sigma))
        more = (with_oil(node.compliance, held, power, here, unknown) - here) / sigma
        for j in range(m):
            cov[i, j] *= more
        for j in range(m):
            cov[j, i] = cov[i, j]
        cov[i, i] *= more
        for v in range(input_cross_cov.shape[1]):
            input_cross_cov[i, v] *= more


@outlined
def secant_compliance(plan: Plan, p: Array, cov: Array, jacobian: Array, push: Array, ws: Workspace) -> None:
    """Convert pressure rates, noise and unknown inputs to the compliance averaged over a standard deviation.

    `rescale` accounts for the change of that compliance with pressure, starting from the pressures in the
    last column of the Jacobian.
    """
    head = plan.head[0]
    last = jacobian.shape[1] - 1
    air, power = air_in(plan)
    for k in range(head.volumes):
        i, node, sigma = 2 * head.free + k, ws.nodes[k], _sigma(plan, k, cov)
        jacobian[i, last] = p[k]
        jacobian[i, i] += node.inflow * node.softening / (node.compliance * node.compliance)
        soft = softness(node.compliance, air * node.volume, power, p[k] - head.vapour, sigma)
        more = node.compliance / soft
        for j in range(last - 1 if more != 1.0 else 0):
            jacobian[i, j] *= more
        for v in range(len(push)):
            push[v, i] *= more
