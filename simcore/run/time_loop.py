"""Runs one or many machines in one kernel call, which applies commands, takes steps and records results."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simcore.algebra.linear import copy
from simcore.energy.ledger import NOW, SUM, EnergyLedger, add_entries, make_ledger
from simcore.integrate.advance import REFERENCE, RK4, take_implicit, take_rk4
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import Plan
from simcore.model.workspace import Array, Workspace
from simcore.run.outputs import read_channels

RULES = ("trapezoidal", "damped", "rk4", "trapezoidal-reference")  # in the order of their numbers
ENERGIES = ("kinetic", "potential", "elastic", "work", "links", "shafts", "drift")  # of a sample, J


class Stepping(NamedTuple):
    """How steps are taken."""

    rule: int  # index into RULES
    double: bool  # on the independent coordinates
    dt: float  # s


class Recorder(NamedTuple):
    """What is recorded while one machine runs."""

    on: bool
    ledger: EnergyLedger
    every: int  # steps from sample to sample
    samples: Array  # rows as `_sample` fills them


def no_recorder(plan: Plan) -> Recorder:
    """A recorder that records nothing."""
    return Recorder(False, make_ledger(plan), 1, np.zeros((0, 0)))


@kernel
def run_steps(
    plan: Plan,
    states: Array,
    ws: Workspace,
    stepping: Stepping,
    steps: int,
    schedule: Array,
    counters: Array,
    recorder: Recorder,
) -> int:
    """Take steps with each of the machines whose states are given; otherwise the machines are equal.

    Returns the number of machines that succeeded; the next one is left in its last good state.
    schedule: each row has the step from which its commands apply, then all commands, for every machine.
    recorder, for a single machine: every step is added to its ledger; samples are taken at the start, after
    every `every` steps and at the end.
    """
    rule, dt = stepping.rule, stepping.dt
    right = rule == REFERENCE
    for i in range(len(states)):
        state, upcoming, row = states[i], 0, 0
        for done in range(steps + 1):  # one more than steps: the ledger is opened before the first
            if done > 0:
                while upcoming < len(schedule) and schedule[upcoming, 0] < done:
                    copy(schedule[upcoming, 1:], state[plan.head[0].at_c :])
                    upcoming += 1
                if rule == RK4:
                    good = take_rk4(plan, state, ws, dt, not stepping.double, counters[i])
                else:
                    good = take_implicit(plan, state, ws, dt, rule, stepping.double, counters[i], recorder.on)
                if not good:
                    return i
            if recorder.on:
                add_entries(plan, state, ws, dt if done > 0 else 0.0, right, done == 0, recorder.ledger)
                if done % recorder.every == 0 or done == steps:
                    _sample(plan, state, ws, recorder.ledger, recorder.samples[row])
                    row += 1
    return len(states)


@inner
def _sample(plan: Plan, state: Array, ws: Workspace, ledger: EnergyLedger, out: Array) -> None:
    """Record channels, state, length and force of each cylinder, and energies of the whole machine."""
    read_channels(plan, state, ws, out)
    at = len(plan.channels)
    copy(state, out[at:])
    at += len(state)
    for k in range(len(plan.cylinders)):
        out[at], out[at + 1] = ws.cylinders[k].length, ws.cylinders[k].push
        at += 2
    whole = ledger.whole[0]
    out[at], out[at + 1], out[at + 2] = whole.kinetic[NOW], whole.potential[NOW], whole.elastic[NOW]
    out[at + 3], out[at + 4], out[at + 5] = whole.work[NOW], whole.links[SUM], whole.shafts[SUM]
    out[at + 6] = whole.drift[NOW]
