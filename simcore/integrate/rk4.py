"""Classical Runge-Kutta: on the independent coordinates with loops closed exactly at every stage, or on all

coordinates with accelerations that draw the loops together (index 1).
"""

from __future__ import annotations

from simcore.formulation.index1 import OMEGA, rates_index1
from simcore.formulation.partition import settle
from simcore.integrate.linear import copy
from simcore.jit import inner
from simcore.model.plan import Plan
from simcore.multibody.rotations import increment, increment_rate, keep_attitudes
from simcore.multibody.triples import dot, triple
from simcore.work import NEW, RATES, TOTAL, Array, Work


@inner
def _spool_rate(plan: Plan, state: Array, k: int) -> float:
    head = plan.head[0]
    valve = plan.valves[k]
    command = min(max(state[head.at_c + k], valve.low), valve.limit)
    rate: float = (command - state[head.at_u + k]) / valve.tau
    return rate


@inner
def _gather_balls(plan: Plan, stage: Array, weight: float, total: Array) -> None:
    """A rotation vector does not grow with the angular velocity alone (Munthe-Kaas 1998)."""
    head = plan.head[0]
    for i in range(1, len(plan.bodies)):
        if plan.bodies[i].ball >= 0:
            turn = increment(plan, stage[head.at_z : head.at_v], i)
            more = increment_rate(turn, increment(plan, stage[head.at_v : head.at_a], i))
            for k in range(i - 2, i + 1):
                total[head.at_z + k - 1] += weight * dot(triple(plan.bodies[k].axis), more)


@inner
def _gather(plan: Plan, stage: Array, weight: float, total: Array) -> None:
    """total += weight * rates of the stage, laid out like a state."""
    head = plan.head[0]
    for j in range(head.coords):
        total[head.at_z + j] += weight * stage[head.at_v + j]
        total[head.at_v + j] += weight * stage[head.at_a + j]
    if head.balls > 0:
        _gather_balls(plan, stage, weight, total)
    for k in range(head.scalars):
        total[head.at_p + k] += weight * stage[head.at_dp + k]
    for k in range(head.valves):
        total[head.at_u + k] += weight * _spool_rate(plan, stage, k)


@inner
def _shift(plan: Plan, start: Array, rates: Array, dt: float, out: Array) -> None:
    """out = start + dt * rates on everything that is integrated."""
    head = plan.head[0]
    for j in range(head.coords):
        out[head.at_z + j] = start[head.at_z + j] + dt * rates[head.at_z + j]
        out[head.at_v + j] = start[head.at_v + j] + dt * rates[head.at_v + j]
    for k in range(head.scalars):
        out[head.at_p + k] = start[head.at_p + k] + dt * rates[head.at_p + k]
    for k in range(head.valves):
        out[head.at_u + k] = start[head.at_u + k] + dt * rates[head.at_u + k]


@inner
def rk4_step(plan: Plan, state: Array, dt: float, work: Work, index1: bool) -> bool:
    """One step from a settled state to a settled state; False, and state untouched, when a loop stays open.

    The dependent coordinates of a stage are only a first guess: `settle` replaces them.
    """
    stage, rates, total = work.vector[NEW], work.vector[RATES], work.vector[TOTAL]
    copy(state, stage)
    total[:] = 0.0
    for k in range(4):
        _gather(plan, stage, (1.0 if k == 0 or k == 3 else 2.0) / 6.0, total)
        rates[:] = 0.0
        _gather(plan, stage, 1.0, rates)
        if k < 3:
            _shift(plan, state, rates, dt if k == 2 else 0.5 * dt, stage)
        else:
            _shift(plan, state, total, dt, stage)
        if index1:
            rates_index1(plan, stage, work, OMEGA)
        elif not settle(plan, stage, work):
            return False
    keep_attitudes(plan, stage)
    copy(stage, state)
    return True
