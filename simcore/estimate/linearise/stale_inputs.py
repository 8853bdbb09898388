"""Decides when a command is too old to be known, and then allows for every possible spool position.

docs/methods/error-state-filter.md explains the method in its section on inputs.
"""

from __future__ import annotations

from simcore.algebra.linear import copy
from simcore.estimate.linearise.jacobian import MPA
from simcore.hydraulics.circuit import flows
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import Plan
from simcore.model.workspace import CONDUCTANCE, NUDGED, Array, Workspace


@inner
def age_inputs(plan: Plan, input_ages: Array, dt: float) -> bool:
    """Increase the age of each input by one step; returns whether any is too old to be known."""
    old = False
    for v in range(len(input_ages)):
        input_ages[v] += 1.0
        old = old or is_old(plan, input_ages[v], dt)
    return old


@inner
def is_old(plan: Plan, age: float, dt: float) -> bool:
    """Whether an input given `age` steps ago is no longer known; half a step is allowed for rounding."""
    return bool((age - 0.5) * dt > plan.head[0].input_fresh)


@inner
def soon_old(plan: Plan, input_ages: Array, dt: float) -> bool:
    """Whether any input will be too old after the next step."""
    soon = False
    for v in range(len(input_ages)):
        soon = soon or is_old(plan, input_ages[v] + 1.0, dt)
    return soon


@outlined
def average_over_spool(
    plan: Plan, state: Array, ws: Workspace, valve: int, jacobian: Array, push: Array
) -> None:
    """Average the Jacobian over all spool positions; push[side] = rates per spool deviation to that side.

    Flow is linear in the spool on either side of zero. Averaged over all positions, each side is open half of
    the time, by half the limit: K = K(0)/2 + (K(limit) + K(-limit))/4. Without averaging, the uncertainty of
    pressures behind a closed valve would grow without limit. Call it after fill_jacobian, which leaves the
    compliance in `ws`.
    """
    head = plan.head[0]
    first = 2 * head.free
    limit = plan.valves[valve].limit
    held = min(max(state[head.at_c + valve], -limit), limit)
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
                jacobian[first + i, first + j] += weight * ws.matrix[CONDUCTANCE, i, j] / soft
            rate = ws.nodes[i].inflow / soft / MPA / limit / 3.0**0.5
            for side in range(2):
                # opening this side further or closing it, and closing the other for it
                here, there = max((1.0 - 2.0 * side) * held, 0.0), max((2.0 * side - 1.0) * held, 0.0)
                moved = max(here, limit - here)
                if case == 1:
                    push[side, first + i] = (there - moved) * rate
                elif case > 1:
                    push[side, first + i] += (moved if case == 2 + side else -there) * rate
