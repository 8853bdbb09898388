"""Reduces the flow gradient of one-way valves when the pressure is uncertain.

A check, relief or load-holding valve that is just open acts on a pressure change in one direction only. The
gradient at the estimate ignores this: the covariance of the pressure would collapse within a millisecond. But
the real pressure may not have reached the valve's opening pressure yet, so that no oil flows in the real
machine. The reach of a volume is the distance that the real pressure may still have to move, in standard
deviations (docs/methods/error-state-filter.md).
"""

from __future__ import annotations

from math import sqrt

from simcore.estimate.biases import RELIEF
from simcore.kernels.jit import inner, kernel, outlined
from simcore.model.plan import PILOTED, Plan, Records
from simcore.model.workspace import Array, Workspace

# E[x²]/E[x] over the root of E[x²]: x is exponential for a pressure held by a valve through which oil flows
_LEAST_REACH = sqrt(2.0)
# the same of a normal distribution that falls onto the valve is 1.25 σ at first, 0.69 σ after 2 σ
_TAIL = 0.28


@kernel
def reach_after(reach: float, fallen: float) -> float:
    """Reach after a flow of oil that would have changed the pressure by `fallen` standard deviations.

    The standard deviation shrinks by a factor 1 + fallen/reach, and the pressure range within reach by
    _TAIL times `fallen`.
    """
    return max((reach - _TAIL * fallen) * (1.0 + fallen / reach), _LEAST_REACH)


@kernel
def reach_after_readings(reach: float, share: float) -> float:
    """Reach after readings have reduced the variance to this share; they shorten the reach as well."""
    return 1.0 / sqrt(0.5 - (0.5 - 1.0 / (reach * reach)) * min(share, 1.0))


@inner
def keep_variances(plan: Plan, cov: Array, room: Array) -> None:
    """Store the variances of the pressures before readings are fused."""
    first = 2 * plan.head[0].free
    for i in range(plan.head[0].volumes):
        room[i] = cov[first + i, first + i]


@inner
def update_reach(plan: Plan, cov: Array, room: Array, reaches: Array) -> None:
    """Update the reaches after readings were fused. room: variances before."""
    first = 2 * plan.head[0].free
    for i in range(plan.head[0].volumes):
        if room[i] > 0.0:
            reach = max(reaches[first + i], _LEAST_REACH)
            reaches[first + i] = reach_after_readings(reach, cov[first + i, first + i] / room[i])


@inner
def _weight(edge: Records, here: Records, node: int) -> float:
    """Derivative of the flow through a valve with respect to the pressure of a volume, m³/(s Pa)."""
    total = 0.0
    if node == edge.a:
        total += here.slope
    if node == edge.b:
        total -= here.slope
    for i in range(3):
        if edge.pilot[i] == node:
            total += edge.weight[i] * here.lifted
    return total


@inner
def _setting_of(biases: Records, k: int) -> int:
    """Index of the bias that is the setting of an edge, or -1."""
    found = -1
    for i in range(len(biases)):
        if biases[i].kind == RELIEF and biases[i].index == k:
            found = i
    return found


@inner
def _deviation(
    plan: Plan, edge: Records, here: Records, cov: Array, setting: int, per_setting: float
) -> float:
    """Standard deviation of the flow: that of the covariance times the derivative.

    A pressure that a relief valve holds is as uncertain as its setting, but the flow is not. setting: column
    of the covariance, or 0. per_setting: derivative of the flow in its unit.
    """
    first, volumes = 2 * plan.head[0].free, plan.head[0].volumes
    total = per_setting * per_setting * cov[setting, setting]
    for i in range(volumes):
        left = _weight(edge, here, i)
        if left != 0.0:
            total += 2.0 * left * per_setting * cov[first + i, setting]
            for j in range(volumes):
                right = _weight(edge, here, j)
                if right != 0.0:
                    total += left * right * cov[first + i, first + j]
    return sqrt(max(total, 0.0))


@inner
def _age(plan: Plan, cov: Array, span: float, reach: Array, before: Array, noise: Array) -> None:
    """Update the reaches after noise has increased the pressure uncertainty for a while."""
    first = 2 * plan.head[0].free
    for i in range(plan.head[0].volumes):
        variance, q = cov[first + i, first + i], noise[first + i]
        reach[first + i] = max(before[first + i], _LEAST_REACH)
        if variance > 0.0:
            reach[first + i] *= sqrt(variance / (variance + q * q * span))


@outlined
def derate_check_valves(
    plan: Plan,
    biases: Records,
    cov: Array,
    mpa: float,
    span: float,
    before: Array,
    jacobian: Array,
    ws: Workspace,
) -> None:
    """Reduce the gradient of valves that may close within the reach of a pressure.

    before: the Jacobian `span` s earlier. The last but one column of a Jacobian has the reaches.
    """
    first, volumes, last = 2 * plan.head[0].free, plan.head[0].volumes, jacobian.shape[1] - 2
    reaches = jacobian[:, last]
    _age(plan, cov, span, reaches, before[:, last], jacobian[:, last - 1])
    for k in range(len(plan.edges)):
        edge, here = plan.edges[k], ws.edges[k]
        if edge.kind != PILOTED or here.flow == 0.0:
            continue
        held = edge.b if edge.b < volumes else edge.a
        reach = max(before[first + held, last], _LEAST_REACH)
        bias = _setting_of(biases, k)
        setting = plan.head[0].states + bias if bias >= 0 else 0
        per_setting = -here.lifted * biases[bias].unit / mpa if bias >= 0 else 0.0
        taken = _deviation(plan, edge, here, cov, setting, per_setting) * mpa * reach
        if taken <= abs(here.flow):
            continue
        less = abs(here.flow) / taken - 1.0
        sigma = sqrt(cov[first + held, first + held]) * mpa
        fallen = abs(here.flow) / ws.nodes[held].compliance * span / sigma
        reaches[first + held] = reach_after(reaches[first + held], fallen)
        if bias >= 0:
            if edge.a < volumes:
                jacobian[first + edge.a, setting] -= per_setting * less / ws.nodes[edge.a].compliance
            if edge.b < volumes:
                jacobian[first + edge.b, setting] += per_setting * less / ws.nodes[edge.b].compliance
        for j in range(volumes):
            gradient = _weight(edge, here, j) * less
            if gradient != 0.0:
                if edge.a < volumes:
                    jacobian[first + edge.a, first + j] -= gradient / ws.nodes[edge.a].compliance
                if edge.b < volumes:
                    jacobian[first + edge.b, first + j] += gradient / ws.nodes[edge.b].compliance
