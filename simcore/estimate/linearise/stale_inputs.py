"""Handles stale inputs: how much of its range a command that has not been repeated may have covered since.

An operator moves a lever within a fraction of a second and holds it for a stroke. The command u(t) after the
last one, u₀, is therefore taken to return to neutral with the memory τ_u of a stroke, E[u] = u₀ exp(-a/τ_u),
and its spread to grow with its age a from nothing towards the whole range, within the time τ_l of a lever
(docs/methods/error-state-filter.md, section on inputs).
"""

from __future__ import annotations

from math import exp

from simcore.algebra.linear import copy
from simcore.estimate.linearise.jacobian import MPA
from simcore.hydraulics.circuit import flows
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import Plan
from simcore.model.workspace import CONDUCTANCE, NUDGED, Array, Workspace

LEVER_TIME = 0.2  # s within which an operator moves a lever through most of its range (assumed)
UNKNOWN_FROM = 0.4  # share of its range from which a command counts as unknown: nothing slow is learned then


@inner
def age_inputs(plan: Plan, state: Array, input_ages: Array, dt: float) -> None:
    """Increase the age of each input by one step; an expected command that is stale returns to neutral."""
    for v in range(len(input_ages)):
        input_ages[v] += 1.0
        if _beyond(plan, input_ages[v], dt) > 0.0:
            state[plan.head[0].at_c + v] *= exp(-dt / plan.head[0].input_memory)


@inner
def _beyond(plan: Plan, age: float, dt: float) -> float:
    """Time since an input given `age` steps ago became stale, s; half a step is allowed for rounding."""
    return float((age - 0.5) * dt - plan.head[0].input_fresh)


@inner
def unknown_share(plan: Plan, age: float, dt: float) -> float:
    """Share of its range within which a command given `age` steps ago may have moved: 0 fresh, 1 anywhere."""
    beyond = _beyond(plan, age, dt)
    return 1.0 - exp(-beyond / LEVER_TIME) if beyond > 0.0 else 0.0


@inner
def any_stale(plan: Plan, input_ages: Array, dt: float) -> bool:
    """Whether any command is no longer known exactly."""
    stale = False
    for v in range(len(input_ages)):
        stale = stale or _beyond(plan, input_ages[v], dt) > 0.0
    return stale


@outlined
def average_over_spool(
    plan: Plan, state: Array, ws: Workspace, valve: int, share: float, jacobian: Array, push: Array
) -> None:
    """Average the Jacobian over possible spool positions; push[side] = rates that the unknown opening adds.

    Flow is linear in the spool on either side of zero. Averaged over all positions, each side is open half of
    the time, by half the limit: K = K(0)/2 + (K(limit) + K(-limit))/4; it counts with the share of the range
    that is possible. Without averaging, the uncertainty of pressures behind a closed valve would grow without
    limit. Call it after fill_jacobian, which leaves the compliance in `ws`.
    """
    head = plan.head[0]
    first = 2 * head.free
    limit = plan.valves[valve].limit
    held = min(max(state[head.at_c + valve], -limit), limit)
    reach = share * limit
    nudged = ws.vector[NUDGED]
    copy(state, nudged)
    for case in range(4):
        # take out the present spool, then add closed, open one way, open the other way
        weight = -1.0 if case == 0 else (0.5 if case == 1 else 0.25)
        sign = 1.0 if case == 2 else (-1.0 if case == 3 else 0.0)
        if case > 0:
            nudged[head.at_u + valve] = sign * limit
        p = nudged[head.at_p : head.at_p + head.volumes]
        v = nudged[head.at_v : head.at_v + head.coords]
        flows(plan, v, p, nudged[head.at_u : head.at_u + head.valves], ws)
        for i in range(head.volumes):
            soft = ws.nodes[i].compliance
            for j in range(head.volumes):
                jacobian[first + i, first + j] += share * weight * ws.matrix[CONDUCTANCE, i, j] / soft
            rate = ws.nodes[i].inflow / soft / MPA / limit / 3.0**0.5
            for side in range(2):
                # opening this side further or closing it; the other must close before this one can open
                here, there = max((1.0 - 2.0 * side) * held, 0.0), max((2.0 * side - 1.0) * held, 0.0)
                past = share if there > 0.0 else 1.0
                moved, closed = min(max(here, limit - here), reach) * past, there * past
                if case == 1:
                    push[side, first + i] = (closed - moved) * rate
                elif case > 1:
                    push[side, first + i] += (moved if case == 2 + side else -closed) * rate
