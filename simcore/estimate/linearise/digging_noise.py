"""Adds the uncertainty of digging to the filter: resistance and fill have relative errors.

The filter does not correct the simulated fill; the payload bias represents the error of the fill. This error
grows while soil enters the bucket and shrinks while soil is poured out (docs/methods/error-state-filter.md).
"""

from __future__ import annotations

from math import exp

from simcore.algebra.vector3 import dot6
from simcore.estimate.biases import PAYLOAD, driven
from simcore.estimate.linearise.sdirk_transition import LONG_STEP_FROM, UNDAMPED
from simcore.kernels.jit import inner, outlined
from simcore.model.condition import Condition
from simcore.model.plan import Plan, Records
from simcore.model.workspace import LONG_STEP_NOISE, MOBILITY, RESISTANCE, Array, Workspace
from simcore.run.load import load_mass, set_payload

_RESISTANCE = 0.2  # error of a law with constant factors, share of the resistance
_LASTS = 0.2  # s over which that error keeps its sign: stones, and the path of the teeth
_TAKEN = 0.15  # error of the fill, share of it


@outlined
def dig_and_pour(
    plan: Plan,
    biases: Records,
    state: Array,
    steps: int,
    dt: float,
    cov: Array,
    input_cross_cov: Array,
    system: Array,
    ws: Workspace,
) -> None:
    """Add the effect of `steps` of digging or pouring to a predicted covariance."""
    head, span = plan.head[0], steps * dt
    for k in range(head.soils):
        here = ws.soils[k]
        fill = state[head.at_p + head.scalars - head.soils + k]
        if here.grip > 0.0:
            _resist(plan, k, driven(head.states, biases), span, system, cov, ws)
        for i in range(len(biases)):
            if biases[i].kind == PAYLOAD and biases[i].index == plan.soils[k].body:
                nothing = -plan.soils[k].density * fill
                if load_mass(ws.condition, biases[i]) < nothing:
                    set_payload(ws.condition, biases[i], nothing)
                if here.rate > 0.0:
                    unit = _TAKEN * plan.soils[k].density / biases[i].unit
                    cov[head.states + i, head.states + i] += 2.0 * unit * unit * fill * here.rate * span
                if here.poured > 0.0:
                    _pour(
                        ws.condition,
                        biases[i],
                        head.states + i,
                        exp(-here.poured * span),
                        cov,
                        input_cross_cov,
                    )


@inner
def _resist(plan: Plan, k: int, d: int, span: float, system: Array, cov: Array, ws: Workspace) -> None:
    """Add velocity noise: a share of the resistance, in its direction, white over times beyond _LASTS.

    After a long step it is damped like the noise on the other rates, whose columns follow the d columns of F
    in `system`.
    """
    n, free, long = plan.head[0].states, plan.head[0].free, span >= LONG_STEP_FROM
    push, moved = ws.vector[RESISTANCE], ws.vector[LONG_STEP_NOISE]
    for f in range(free):
        push[f] = 0.0
    j = plan.soils[k].body
    while j > 0:
        torque = dot6(ws.bodies[j].b, ws.soils[k].wrench)
        for f in range(free):
            push[f] += ws.matrix[MOBILITY, f, free + j - 1] * torque
        j = plan.bodies[j].parent
    power = 2.0 * _LASTS * _RESISTANCE * _RESISTANCE
    late = UNDAMPED if long else 1.0
    for f in range(free):
        for g in range(free):
            cov[free + f, free + g] += late * span * power * push[f] * push[g]
    for i in range(n if long else 0):
        moved[i] = 0.0
        for f in range(free):
            moved[i] += system[i, n + d + f] * push[f] / plan.head[0].noise_a
    for i in range(n if long else 0):
        for g in range(n):
            cov[i, g] += power * moved[i] * moved[g]


@inner
def _pour(
    condition: Condition, bias: Records, i: int, keep: float, cov: Array, input_cross_cov: Array
) -> None:
    """Reduce the fill's error by the share that is poured out; an empty bucket's uncertainty remains."""
    set_payload(condition, bias, bias.described + keep * (load_mass(condition, bias) - bias.described))
    for j in range(len(cov)):
        cov[i, j] *= keep
        cov[j, i] *= keep
    cov[i, i] += 1.0 - keep * keep
    for v in range(input_cross_cov.shape[1]):
        input_cross_cov[i, v] *= keep
