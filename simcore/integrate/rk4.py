"""Classical Runge-Kutta method of order four, in two forms.

With independent coordinates, loops are closed exactly at every stage. With all coordinates (index 1), a
penalty on accelerations closes them.
"""

from __future__ import annotations

from simcore.algebra.linear import copy
from simcore.algebra.vector3 import dot, triple
from simcore.formulation.index1 import OMEGA, rates_index1
from simcore.formulation.partition import settle
from simcore.formulation.tree import tree_rates
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import Plan
from simcore.model.workspace import NEW, RATE_SUM, RATES, Array, Workspace
from simcore.multibody.rotations import increment, increment_rate, keep_attitudes


@inner
def _spool_rate(plan: Plan, state: Array, lag: float, k: int) -> float:
    head = plan.head[0]
    valve = plan.valves[k]
    command = min(max(state[head.at_c + k], valve.low), valve.limit)
    rate: float = (command - state[head.at_u + k]) / (valve.tau + lag)
    return rate


@inner
def _ball_rates(plan: Plan, stage: Array, rates: Array) -> None:
    """Rate of a rotation vector beyond the angular velocity (Munthe-Kaas 1998)."""
    head = plan.head[0]
    for i in range(1, len(plan.bodies)):
        rates[head.at_z + i - 1] = 0.0
    for i in range(1, len(plan.bodies)):
        if plan.bodies[i].ball >= 0:
            theta = increment(plan.bodies, stage[head.at_z : head.at_v], i)
            more = increment_rate(theta, increment(plan.bodies, stage[head.at_v : head.at_a], i))
            for k in range(i - 2, i + 1):
                rates[head.at_z + k - 1] = dot(triple(plan.bodies[k].axis), more)


@inner
def _shift(
    vectors: Array, start: Array, at: int, rate: float, weight: float, reach: float, last: bool
) -> None:
    """Add a weighted rate to its total; move the stage along the rate, finally along the total."""
    stage, total = vectors[NEW], vectors[RATE_SUM]
    total[at] += weight * rate
    stage[at] = start[at] + reach * (total[at] if last else rate)


@inner
def _next_stage(
    plan: Plan, start: Array, vectors: Array, lag: float, weight: float, reach: float, last: bool
) -> None:
    """Move from the rates of one stage to the positions of the next. vectors: those of the workspace."""
    head = plan.head[0]
    stage = vectors[NEW]
    balls = head.balls > 0
    if balls:
        _ball_rates(plan, stage, vectors[RATES])
    for j in range(head.coords):
        v, a = stage[head.at_v + j], stage[head.at_a + j]
        if balls:
            v += vectors[RATES, head.at_z + j]
        _shift(vectors, start, head.at_z + j, v, weight, reach, last)
        _shift(vectors, start, head.at_v + j, a, weight, reach, last)
    for k in range(head.scalars):
        _shift(vectors, start, head.at_p + k, stage[head.at_dp + k], weight, reach, last)
    for k in range(head.valves):
        _shift(vectors, start, head.at_u + k, _spool_rate(plan, stage, lag, k), weight, reach, last)


@outlined
def rk4_step(plan: Plan, state: Array, dt: float, ws: Workspace, index1: bool) -> bool:
    """Take one step between settled states; returns False, with the state unchanged, if a loop stays open.

    The dependent coordinates of a stage are only a first guess: `settle` replaces them.
    """
    stage, total, lag = ws.vector[NEW], ws.vector[RATE_SUM], ws.condition.whole[0].lag
    copy(state, stage)
    for i in range(len(total)):
        total[i] = 0.0
    for k in range(4):
        weight = 1.0 / 6.0 if k == 0 or k == 3 else 1.0 / 3.0
        _next_stage(plan, state, ws.vector, lag, weight, dt if k >= 2 else 0.5 * dt, k == 3)
        if index1:
            rates_index1(plan, stage, ws, OMEGA)
        elif plan.head[0].rows == 0:
            tree_rates(plan, stage, ws)
        elif not settle(plan, stage, ws):
            return False
    keep_attitudes(plan, stage)
    copy(stage, state)
    return True
