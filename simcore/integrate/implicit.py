"""Takes one implicit step, with the trapezoidal rule or TR-BDF2, in penalty or double-step formulation."""

from __future__ import annotations

from simcore.algebra.linear import copy
from simcore.integrate.double_step import double_step
from simcore.integrate.tr_bdf2 import GAMMA, start_second_stage
from simcore.integrate.trapezoidal import trapezoidal_step
from simcore.kernels.jit import once
from simcore.model.plan import Plan
from simcore.model.workspace import STEP_START, Array, Workspace


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
    """Returns (iterations, 0), or (iterations, 1 + unknown that did not converge) and an invalid state.

    damped: two-stage TR-BDF2 instead of the trapezoidal rule. double: solve for the independent coordinates.
    """
    start = ws.vector[STEP_START]
    if damped:
        copy(state, start)
    rounds, trouble = 0, 0
    size = GAMMA * dt if damped else dt
    for stage in range(2 if damped else 1):
        if stage == 1:
            start_second_stage(plan, start, state, dt)
        spool = size if stage == 0 else dt - size
        if double:
            more, trouble = double_step(plan, state, size, spool, ws)
        else:
            more, trouble = trapezoidal_step(plan, state, size, spool, ws, reference, moved)
        rounds += more
        if trouble != 0:
            break
    return rounds, trouble
