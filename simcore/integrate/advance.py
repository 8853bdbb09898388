"""Takes one step of a simulation and handles failure: divides a step that does not converge.

If the step still fails, the last good state is restored and a trouble code says which quantity failed.
"""

from __future__ import annotations

from math import isfinite

from simcore.algebra.linear import copy
from simcore.formulation.evaluate import place
from simcore.formulation.partition import DEGRADED, choose_partition, largest_gain, restore_partition
from simcore.integrate.implicit import implicit_step
from simcore.integrate.rk4 import rk4_step
from simcore.kernels.jit import inner, kernel, once
from simcore.model.plan import Plan
from simcore.model.workspace import STEP_BACKUP, Array, Workspace
from simcore.multibody.rotations import keep_attitudes

STEPS, ITERATIONS, MOST, HALVED, TROUBLE, PARTITIONED = range(6)  # entries of the counters
COUNTERS = 6
TRAPEZOIDAL, DAMPED, RK4, REFERENCE = range(4)  # rules
_HALVINGS = 5
# singular positions of the linkage: iterations of a penalty step from which one is looked for, smallest pivot
# over the largest that counts as near, and steps that are then taken in chosen coordinates
_SLOW, _NEAR, _STAYS = 4, 0.2, 20.0


@kernel
def astray(plan: Plan, ws: Workspace) -> int:
    """Trouble code of the first cylinder whose piston left its tube, or 0."""
    head = plan.head[0]
    for k in range(head.cylinders):
        here = ws.cylinders[k]
        if not (here.chamber_a > 0.0 and here.chamber_b > 0.0 and isfinite(here.push)):
            return 1 + int(head.coords + head.scalars + k)
    return 0


@inner
def _has_loops(plan: Plan) -> bool:
    """Whether coordinate partitioning applies: there are loops, and none is redundant."""
    return bool(plan.head[0].rows > 0 and plan.head[0].redundant == 0)


@inner
def _is_near_singular(plan: Plan, ws: Workspace) -> bool:
    """Whether the linkage is near a singular position."""
    distance = choose_partition(plan, ws)
    restore_partition(plan, ws)
    return bool(distance < _NEAR)


@kernel
def partitioned_step(
    plan: Plan, state: Array, dt: float, ws: Workspace, damped: bool
) -> tuple[int, int, float]:
    """Take a step in the independent coordinates that suit the position best.

    Towards a singular position, where the linkage could go on in several ways, a penalty no longer closes the
    loops, but a motion in well-chosen coordinates passes through. Returns iterations, trouble code and the
    distance from the singular position, 0 to 1. The description's choice is restored afterwards.
    """
    place(plan, state[plan.head[0].at_z : plan.head[0].at_v], ws)
    distance = choose_partition(plan, ws)
    rounds, trouble = 0, 1
    if distance > 0.0:
        rounds, trouble = implicit_step(plan, state, dt, ws, False, damped, True, True)
        if trouble == 0:
            trouble = astray(plan, ws)
    restore_partition(plan, ws)
    return rounds, trouble, distance


@once
def take_rk4(plan: Plan, state: Array, ws: Workspace, dt: float, index1: bool, counters: Array) -> bool:
    """Take one explicit step. If False, the state is the last good one and counters[TROUBLE] says why."""
    kept = ws.vector[STEP_BACKUP]
    copy(state, kept)
    trouble = 0 if rk4_step(plan, state, dt, ws, index1) else 1
    if trouble == 0:
        trouble = astray(plan, ws)
    for j in range(plan.head[0].coords):
        if not isfinite(state[plan.head[0].at_a + j]):
            trouble = 1 + j
    if not index1 and plan.head[0].rows > 0 and largest_gain(plan, ws) > DEGRADED:
        choose_partition(plan, ws)
    if trouble != 0:
        copy(kept, state)
        counters[TROUBLE] = trouble
        return False
    counters[STEPS] += 1
    return True


@once
def take_implicit(
    plan: Plan,
    state: Array,
    ws: Workspace,
    dt: float,
    rule: int,
    double: bool,
    counters: Array,
    moved: bool,
) -> bool:
    """Take one implicit step; if Newton's method does not converge, in 2, 4, ... 32 parts.

    Near a singular position of the linkage, steps are taken in chosen coordinates instead of with a penalty.
    REFERENCE: tangent from finite differences, without division; in the publications such a run has failed.
    DAMPED: TR-BDF2 instead of the trapezoidal rule. double: solve for the independent coordinates.
    moved: the result will be read, so everything that follows from the new state is left in `ws`.
    If False, the state is the last good one and counters[TROUBLE] says why.
    """
    reference, damped = rule == REFERENCE, rule == DAMPED
    kept = ws.vector[STEP_BACKUP]
    copy(state, kept)
    parts, part, halvings, rounds, trouble = 1, 0, 0, 0, 0
    switches = _has_loops(plan) and not (double or reference)
    if switches and counters[PARTITIONED] > 0.0:
        rounds, trouble, distance = partitioned_step(plan, state, dt, ws, damped)
        counters[ITERATIONS] += rounds
        counters[PARTITIONED] = _STAYS if distance < _NEAR else counters[PARTITIONED] - 1.0
        if trouble == 0:
            keep_attitudes(plan, state)
            counters[STEPS] += 1
            return True
        copy(kept, state)
    while part < parts:
        rounds, trouble = implicit_step(plan, state, dt / parts, ws, reference, damped, double, moved)
        counters[ITERATIONS] += rounds
        counters[MOST] = max(counters[MOST], float(rounds))
        if trouble == 0:
            trouble = astray(plan, ws)
        part += 1
        if switches and parts == 1 and rounds > _SLOW and _is_near_singular(plan, ws):
            counters[PARTITIONED] = _STAYS
            if trouble != 0:
                copy(kept, state)
                rounds, trouble, _ = partitioned_step(plan, state, dt, ws, damped)
                counters[ITERATIONS] += rounds
        if trouble != 0:
            copy(kept, state)
            if reference or halvings == _HALVINGS:
                counters[TROUBLE] = trouble
                return False
            counters[HALVED] += 1.0 if halvings == 0 else 0.0
            halvings += 1
            parts, part = 2 * parts, 0
        else:
            keep_attitudes(plan, state)
    counters[STEPS] += 1
    return True
