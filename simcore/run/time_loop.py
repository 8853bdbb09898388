"""A whole run in one kernel call, of one machine or of many: commands, steps, books and samples."""

from __future__ import annotations

from simcore.algebra.linear import copy
from simcore.energy.ledger import NOW, SUM, Books, enter
from simcore.integrate.advance import REFERENCE, RK4, take_implicit, take_rk4
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import Plan
from simcore.model.workspace import Array, Workspace
from simcore.run.outputs import read_channels

RULES = ("trapezoidal", "damped", "rk4", "trapezoidal-reference")  # in the order of their numbers
ENERGIES = ("kinetic", "potential", "elastic", "work", "links", "shafts", "drift")  # of a sample, J


@kernel
def drive(
    plan: Plan,
    states: Array,
    ws: Workspace,
    rule: int,
    double: bool,
    dt: float,
    steps: int,
    schedule: Array,
    counters: Array,
    booked: bool,
    books: Books,
    every: int,
    samples: Array,
) -> int:
    """Take steps with each of the machines whose states are given, equal but for these.

    Returns the number of machines that did; after it, the last good state of the one that did not.
    schedule: per row the step from which on its commands hold, then all commands, for every machine.
    booked, with one machine: enter every step into the books, and sample at the start, every so many steps
    and at the end.
    """
    right = rule == REFERENCE
    for i in range(len(states)):
        state, upcoming, row = states[i], 0, 0
        for done in range(steps + 1):  # one turn more than steps: books and a sample before the first
            if done > 0:
                while upcoming < len(schedule) and schedule[upcoming, 0] < done:
                    copy(schedule[upcoming, 1:], state[plan.head[0].at_c :])
                    upcoming += 1
                if rule == RK4:
                    good = take_rk4(plan, state, ws, dt, not double, counters[i])
                else:
                    good = take_implicit(plan, state, ws, dt, rule, double, counters[i], booked)
                if not good:
                    return i
            if booked:
                enter(plan, state, ws, dt if done > 0 else 0.0, right, done == 0, books)
                if done % every == 0 or done == steps:
                    _sample(plan, state, ws, books, samples[row])
                    row += 1
    return len(states)


@inner
def _sample(plan: Plan, state: Array, ws: Workspace, books: Books, out: Array) -> None:
    """Channels, state, length and push of each cylinder, energies of the whole machine."""
    read_channels(plan, state, ws, out)
    at = len(plan.channels)
    copy(state, out[at:])
    at += len(state)
    for k in range(len(plan.cylinders)):
        out[at], out[at + 1] = ws.cylinders[k].length, ws.cylinders[k].push
        at += 2
    whole = books.whole[0]
    out[at], out[at + 1], out[at + 2] = whole.kinetic[NOW], whole.potential[NOW], whole.elastic[NOW]
    out[at + 3], out[at + 4], out[at + 5] = whole.work[NOW], whole.links[SUM], whole.shafts[SUM]
    out[at + 6] = whole.drift[NOW]
