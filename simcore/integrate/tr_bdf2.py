"""Prepares the second stage of TR-BDF2, the damped alternative to the trapezoidal rule.

TR-BDF2 takes a trapezoidal stage over γ dt, γ = 2 - √2, then applies the second-order backward formula. It is
L-stable and of second order (Bank 1985; Hosea and Shampine 1996; docs/methods/integration.md). With this γ
both stages have the same tangent, and the second stage is a trapezoidal step of γ dt from a state that this
module constructs.
"""

from __future__ import annotations

from simcore.kernels.jit import inner
from simcore.model.plan import Plan
from simcore.model.workspace import Array

GAMMA = 0.5857864376269049  # 2 - √2
_NEAR = 1.0 / (GAMMA * (2.0 - GAMMA))  # weights of the stage and of the start in the backward formula
_FAR = _NEAR - 1.0


@inner
def start_second_stage(plan: Plan, start: Array, state: Array, dt: float) -> None:
    """Turn the stage into a state from which a trapezoidal step of γ dt equals the backward formula.

    y₊ = ŷ + (γ dt/2) f₊ with ŷ = near y_γ - far y. The remaining freedom is used to make the prediction of
    that step the Taylor step from the stage.
    """
    head = plan.head[0]
    h, rest = GAMMA * dt, (1.0 - GAMMA) * dt
    for j in range(head.coords):
        z, v, a = head.at_z + j, head.at_v + j, head.at_a + j
        back_z = _NEAR * state[z] - _FAR * start[z]
        back_v = _NEAR * state[v] - _FAR * start[v]
        state[z] += rest * (state[v] + 0.5 * rest * state[a]) - h * back_v
        state[v] = 2.0 / h * (back_z - state[z])
        state[a] = 2.0 / h * (back_v - state[v])
    for k in range(head.scalars):
        p, dp = head.at_p + k, head.at_dp + k
        back = _NEAR * state[p] - _FAR * start[p]
        state[p] = 2.0 * back - (state[p] + rest * state[dp])
        state[dp] = 2.0 / h * (back - state[p])
