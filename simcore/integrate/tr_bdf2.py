"""One implicit step by either rule and formulation; TR-BDF2, the damped partner of the trapezoidal rule.

A trapezoidal stage over γ dt, γ = 2 - √2, then the second-order backward formula: L-stable, second order
(Bank 1985; Hosea and Shampine 1996; docs/methods/integration.md). With this γ both stages have the same
tangent, and the second one is a trapezoidal step of γ dt from a state made up for it.
"""

from __future__ import annotations

from simcore.algebra.linear import copy
from simcore.integrate.double_step import double_step
from simcore.integrate.trapezoidal import trapezoidal_step
from simcore.kernels.jit import inner, once
from simcore.model.plan import Plan
from simcore.model.workspace import BASE, Array, Workspace

GAMMA = 0.5857864376269049  # 2 - √2
_NEAR = 1.0 / (GAMMA * (2.0 - GAMMA))  # weights of the stage and of the start in the backward formula
_FAR = _NEAR - 1.0


@inner
def _make_up(plan: Plan, start: Array, state: Array, dt: float) -> None:
    """Turn the stage into a state from which a trapezoidal step of γ dt is the backward formula.

    y₊ = ŷ + (γ dt/2) f₊ with ŷ = near y_γ - far y. What remains free is chosen so that the prediction of that
    step is the Taylor step from the stage.
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


@once
def implicit_step(
    plan: Plan,
    state: Array,
    dt: float,
    ws: Workspace,
    reference: bool,
    damped: bool,
    double: bool,
    moved: bool,
) -> tuple[int, int]:
    """One step in one stage or two; as the others, but with the state spoiled when the second stage fails."""
    start = ws.vector[BASE]
    if damped:
        copy(state, start)
    rounds, trouble = 0, 0
    size = GAMMA * dt if damped else dt
    for stage in range(2 if damped else 1):
        if stage == 1:
            _make_up(plan, start, state, dt)
        spool = size if stage == 0 else dt - size
        if double:
            more, trouble = double_step(plan, state, size, spool, ws)
        else:
            more, trouble = trapezoidal_step(plan, state, size, spool, ws, reference, moved)
        rounds += more
        if trouble != 0:
            break
    return rounds, trouble
