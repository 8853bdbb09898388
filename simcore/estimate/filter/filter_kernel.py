"""A twin beside its machine for many steps in one kernel call: model, covariance and corrections."""

from __future__ import annotations

from math import isfinite

import numpy as np

from simcore.algebra.linear import copy
from simcore.estimate.biases import fade_biases, put_biases, read_biases
from simcore.estimate.filter.correction import feed_back, fuse
from simcore.estimate.filter.prediction import predict
from simcore.estimate.filter.sdirk_transition import LEAP_FROM
from simcore.estimate.linearise.aerated_oil import rescale, stiffen
from simcore.estimate.linearise.check_valves import keep_variances, loosen, shorten
from simcore.estimate.linearise.digging_noise import dig_and_pour
from simcore.estimate.linearise.jacobian import MPA, place_of, rate_slopes, unit_of
from simcore.estimate.linearise.joint_friction_chord import flatten
from simcore.estimate.linearise.load_step import leave_hanging, roughen
from simcore.estimate.linearise.stale_inputs import age_inputs, blur_slopes, is_old, soon_old
from simcore.estimate.monitor.innovation_monitor import BEHIND, SETTLED, Vigil, conclude, hold_steady, weigh
from simcore.formulation.evaluate import evaluate
from simcore.integrate.advance import STEPS, TRAPEZOIDAL, take_implicit
from simcore.kernels.jit import inner, kernel
from simcore.model.condition import Condition
from simcore.model.plan import Plan, Records
from simcore.model.workspace import Array, Workspace
from simcore.multibody.dynamics import mass_matrix

# what follow returns instead of a number of steps
REFUSED = -1  # a correction leads to a position that cannot be
BROKEN = -2  # state or covariance is no longer finite
LOST = -3  # corrected, but most sensors have contradicted the twin for long
SLOPE_COLUMNS = 3  # behind those of states and biases: noise or channel, reach, pressure


def make_scratch(n: int, m: int, sides: int) -> Array:
    """Room for `follow`: n states, m with biases, two sides of every valve."""
    return np.zeros((n + m + 2 + m + sides, 2 * n + m + sides))


@kernel
def follow(
    plan: Plan,
    biases: Records,
    model: int,
    state: Array,
    cov: Array,
    slope: Array,
    tie: Array,
    ages: Array,
    dx: Array,
    scratch: Array,
    ws: Workspace,
    dt: float,
    steps: int,
    schedule: Array,
    readings: Array,
    sigmas: Array,
    gate: float,
    seen: Array,
    log: Array,
    counters: Array,
    stride: int,
    known: bool,
    vigil: Vigil,
) -> int:
    """Take steps and fuse readings; returns how many steps succeeded.

    slope: at the state that the covariance is of, and room for the next one; behind the noise two columns of
    what volumes remember, their reach and their pressure.
    schedule: as of drive. log: a row per step of states and their covariance, innovations and their
    variances, biases in SI units and their variances in filter units; no rows: nothing is kept. tie, ages: of
    the inputs.
    stride: most steps that the covariance may be behind the state; it is then carried through all of them
    with the slopes at their ends. Where it stands after a call does not depend on how steps are divided
    between calls.

    Without a vigil readings has a row per step, NaN where there is none, to be fused at its end. With one it
    has no row, or one to be fused after the last step, or nothing but NaN to take up a state that was set
    from outside; known: whether the inputs were until now. REFUSED and BROKEN leave everything as it was.
    """
    n, m, upcoming, live = plan.head[0].states, len(dx), 0, len(vigil.memory) > 0
    system, spare, turned, push = (
        scratch[:n], scratch[n : n + m + 2], scratch[n + m + 2 : n + 2 * m + 2], scratch[n + 2 * m + 2 :],
    )  # fmt: skip
    now, result, behind = 0, steps, 0
    first_p = 2 * plan.head[0].free
    p = state[plan.head[0].at_p : plan.head[0].at_p + plan.head[0].volumes]
    if live:
        copy(vigil.memory, vigil.kept)
        behind = int(vigil.pace[BEHIND])
    # a correction takes two turns: one fuses at the present, the other takes up what came of it
    for turn in range(steps + (2 if live and len(readings) > 0 else 0)):
        old, sides = False, 0
        if turn < steps:
            while upcoming < len(schedule) and schedule[upcoming, 0] <= turn:
                copy(schedule[upcoming, 1:], state[plan.head[0].at_c :])
                upcoming += 1
            behind += 1
            measured = not live and turn < len(readings) and _any(readings[turn])
            planned = measured or behind >= stride
            if not take_implicit(plan, state, ws, dt, TRAPEZOIDAL, False, counters, planned):
                behind, result = behind - 1, turn
                break
            old = age_inputs(plan, ages, dt)
            due = planned or old or soon_old(plan, ages, dt)
            if due and not planned:
                evaluate(plan, state, ws)
        else:
            measured = turn == steps and _any(readings[0])
            # who leaps needs the slopes at the end of a leap only: those before a correction will do
            due = (turn > steps and (stride < LEAP_FROM or not _any(readings[0]))) or behind > 0
            if due:
                evaluate(plan, state, ws)
                mass_matrix(plan, ws)
        if due:
            before, after = slope[now], slope[1 - now]
            rate_slopes(plan, biases, state, ws, live or measured or turn == steps - 1, after)
            if behind > 0:
                rescale(plan, m, p, before[first_p:, m + 2], ws, cov, tie)
            flatten(plan, state[plan.head[0].at_v :], cov, after, ws)
            loosen(plan, cov, MPA, dt * behind, before, after, ws)
            unsettled = live and counters[STEPS] * dt < vigil.pace[SETTLED]
            if unsettled:
                leave_hanging(plan, vigil.spread[n:], vigil.hanging, after)
            if old:
                sides = 2 * len(ages)
                for i in range(sides):
                    for j in range(n):
                        push[i, j] = 0.0
                for v in range(len(ages)):
                    if is_old(plan, ages[v], dt):
                        blur_slopes(plan, state, ws, v, after, push[2 * v : 2 * v + 2])
            stiffen(plan, p, cov, after, push[:sides], ws)
            if behind > 0:
                predict(
                    plan, ws.condition, biases, model, before, after, push[:sides], dt, behind, cov, tie,
                    system, spare, turned,
                )  # fmt: skip
                fade_biases(plan, ws.condition, biases, behind * dt, cov, tie)
                if unsettled:
                    roughen(plan, behind * dt, cov)
                if plan.head[0].soils > 0:
                    dig_and_pour(plan, biases, state, behind, dt, cov, tie, system, ws)
            behind, now = 0, 1 - now
        if measured:
            heard, limit, learn = readings[0 if live else turn], gate, sides == 0
            if live:
                limit, learn = weigh(
                    plan, heard, sigmas, gate, known, slope[now], cov, m, vigil, counters[STEPS] * dt, system,
                    spare, turned,
                ), known  # fmt: skip
            learned = spare[2]
            for i in range(m):
                learned[i] = 1.0 if i < n or learn else 0.0
            if live:
                hold_steady(plan, counters[STEPS] * dt, vigil, learned)
            keep_variances(plan, cov, system[0])
            fuse(plan, m, heard, sigmas, limit, learned, slope[now], cov, tie, dx, spare, seen)
            shorten(plan, cov, system[0], slope[now, :, m + 1])
            if not feed_back(plan, biases, state, dx, ws, cov, tie, spare[0]):
                result = REFUSED if live else turn
                break
            copy(p, slope[now, first_p:, m + 2])
            if live and conclude(counters[STEPS] * dt, gate, seen, vigil):
                result = LOST
        elif len(log) > 0:
            for k in range(len(seen)):
                seen[k, 0] = float("nan")
        if turn < len(log):
            _keep(plan, ws.condition, biases, state, cov, seen, log[turn])
    if now == 1:
        for i in range(len(slope[0])):
            copy(slope[1, i], slope[0, i])
    if live:
        vigil.pace[BEHIND] = behind
        read_biases(ws.condition, biases, vigil.biases)
        if not _finite(state, cov):
            result = BROKEN
        if result in (REFUSED, BROKEN):
            copy(vigil.kept, vigil.memory)
            put_biases(ws.condition, biases, vigil.biases)
    return result


@inner
def _any(readings: Array) -> bool:
    """Whether anything was measured."""
    found = False
    for k in range(len(readings)):
        found = found or isfinite(readings[k])
    return found


@inner
def _finite(state: Array, cov: Array) -> bool:
    """Whether every number is one: a sum is not finite if a part of it is not."""
    total = 0.0
    for i in range(len(state)):
        total += state[i] * 0.0
    for i in range(len(cov)):
        for j in range(len(cov)):
            total += cov[i, j] * 0.0
    return total == 0.0


@inner
def _keep(
    plan: Plan, condition: Condition, biases: Records, state: Array, cov: Array, seen: Array, row: Array
) -> None:
    n, channels, learned = plan.head[0].states, len(seen), len(biases)
    for i in range(n):
        row[i] = state[place_of(plan, i)] / unit_of(plan, i)
        for j in range(n):
            row[n + i * n + j] = cov[i, j]
    at = n + n * n
    for k in range(channels):
        row[at + k], row[at + channels + k] = seen[k, 0], seen[k, 1]
    at += 2 * channels
    read_biases(condition, biases, row[at:])
    for i in range(learned):
        row[at + learned + i] = cov[n + i, n + i]
