"""Classical Runge-Kutta on the independent coordinates, loops closed exactly at every stage."""

from __future__ import annotations

from simcore.formulation.partition import settle
from simcore.integrate.linear import copy
from simcore.jit import kernel
from simcore.model.plan import Plan
from simcore.work import NEW, RATES, TOTAL, Array, Work


@kernel
def _spool_rate(plan: Plan, state: Array, k: int) -> float:
    head = plan.head[0]
    valve = plan.valves[k]
    command = min(max(state[head.at_c + k], valve.low), valve.limit)
    rate: float = (command - state[head.at_u + k]) / valve.tau
    return rate


@kernel
def _gather(plan: Plan, stage: Array, weight: float, total: Array) -> None:
    """total += weight * rates of the stage, laid out like a state."""
    head = plan.head[0]
    for j in range(head.coords):
        total[head.at_z + j] += weight * stage[head.at_v + j]
        total[head.at_v + j] += weight * stage[head.at_a + j]
    for k in range(head.scalars):
        total[head.at_p + k] += weight * stage[head.at_dp + k]
    for k in range(head.valves):
        total[head.at_u + k] += weight * _spool_rate(plan, stage, k)


@kernel
def _shift(plan: Plan, start: Array, rates: Array, dt: float, out: Array) -> None:
    """out = start + dt * rates on everything that is integrated."""
    head = plan.head[0]
    for j in range(2 * head.coords):
        out[head.at_z + j] = start[head.at_z + j] + dt * rates[head.at_z + j]
    for k in range(head.scalars):
        out[head.at_p + k] = start[head.at_p + k] + dt * rates[head.at_p + k]
    for k in range(head.valves):
        out[head.at_u + k] = start[head.at_u + k] + dt * rates[head.at_u + k]


@kernel
def rk4_step(plan: Plan, state: Array, dt: float, work: Work) -> bool:
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
        if not settle(plan, stage, work):
            return False
    copy(stage, state)
    return True
