"""Many steps in one call: step control, trouble codes and counters."""

from __future__ import annotations

from math import isfinite

from simcore.integrate.rk4 import rk4_step
from simcore.integrate.trapezoidal import trapezoidal_step
from simcore.jit import kernel
from simcore.model.plan import Plan
from simcore.work import Array, Work

TRAPEZOIDAL, REFERENCE, RK4 = 0, 1, 2  # methods; REFERENCE is the trapezoidal rule as the papers ran it
STEPS, ITERATIONS, MOST, HALVED, TROUBLE = range(5)  # entries of the counters
COUNTERS = 5
_HALVINGS = 5


@kernel
def _empty_chamber(plan: Plan, state: Array, work: Work) -> int:
    """0, or the trouble code of the first cylinder whose piston left its tube or went astray."""
    head = plan.head[0]
    for k in range(head.cylinders):
        here = work.cylinders[k]
        if not (here.chamber_a > 0.0 and here.chamber_b > 0.0 and isfinite(here.push)):
            return 1 + int(head.coords + head.volumes + k)
    return 0


@kernel
def _one_step(plan: Plan, state: Array, dt: float, work: Work, method: int) -> tuple[int, int]:
    if method != RK4:
        return trapezoidal_step(plan, state, dt, work, method == REFERENCE)
    return 0, (0 if rk4_step(plan, state, dt, work) else 1)


@kernel
def careful_step(plan: Plan, state: Array, dt: float, work: Work, method: int, counters: Array) -> bool:
    """One step; where Newton does not settle, the same interval in 2, 4, ... 32 parts.

    False leaves the state as it was and the trouble code in the counters.
    """
    kept = work.saved[7]
    kept[:] = state
    trouble = 0
    for halving in range(_HALVINGS + 1):
        parts = 1 << halving
        trouble = 0
        for _ in range(parts):
            rounds, trouble = _one_step(plan, state, dt / parts, work, method)
            counters[ITERATIONS] += rounds
            counters[MOST] = max(counters[MOST], float(rounds))
            if trouble == 0:
                trouble = _empty_chamber(plan, state, work)
            if trouble != 0:
                break
        if trouble == 0:
            counters[STEPS] += 1
            return True
        if halving == 0:
            counters[HALVED] += 1
        state[:] = kept
    counters[TROUBLE] = trouble
    return False


@kernel
def advance(plan: Plan, state: Array, work: Work, steps: int, dt: float, method: int, counters: Array) -> int:
    """Take steps; returns how many succeeded."""
    for done in range(steps):
        if not careful_step(plan, state, dt, work, method, counters):
            return done
    return steps
