"""A twin beside its machine for many steps in one kernel call: model, covariance and corrections."""

from __future__ import annotations

from math import isfinite

from simcore.estimate.error_state_ekf import feed_back, fuse, predict
from simcore.estimate.slopes import place_of, rate_slopes, unit_of
from simcore.estimate.unknown_inputs import age_inputs, blur_slopes, is_old
from simcore.integrate.advance import TRAPEZOIDAL, take_implicit
from simcore.integrate.linear import copy
from simcore.jit import inner, kernel
from simcore.model.plan import Plan, Records
from simcore.work import Array, Work


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
    work: Work,
    dt: float,
    steps: int,
    schedule: Array,
    readings: Array,
    sigmas: Array,
    gate: float,
    seen: Array,
    log: Array,
    counters: Array,
) -> int:
    """Take steps and fuse the readings at the end of each; returns how many succeeded.

    slope: at the state before and after a step, in turns; the one that is due to begin with comes first.
    schedule: as of drive. readings: a row per step, NaN where there is none; no rows: nothing is measured.
    log: a row per step of states and their covariance, innovations and their variances, corrections of the
    biases and their variances; no rows: nothing is kept. tie, ages: of the inputs.
    """
    n, m, upcoming = plan.head[0].states, len(dx), 0
    system, spare, push = scratch[:n], scratch[n : n + m + 2], scratch[n + m + 2 :]
    for done in range(steps):
        while upcoming < len(schedule) and schedule[upcoming, 0] <= done:
            copy(schedule[upcoming, 1:], state[plan.head[0].at_c :])
            upcoming += 1
        before, after = slope[done % 2], slope[1 - done % 2]
        if not take_implicit(plan, state, work, dt, TRAPEZOIDAL, False, counters):
            return done
        measured = done < len(readings) and _any(readings[done])
        rate_slopes(plan, biases, state, work, measured or done == steps - 1, after)
        sides = 0
        if age_inputs(plan, ages, dt):
            sides = 2 * len(ages)
            for i in range(sides):
                for j in range(n):
                    push[i, j] = 0.0
            for v in range(len(ages)):
                if is_old(plan, ages[v], dt):
                    blur_slopes(plan, state, work, v, after, push[2 * v : 2 * v + 2])
        predict(plan, biases, model, before, after, push[:sides], dt, cov, tie, system, spare)
        if measured:
            fuse(plan, m, readings[done], sigmas, gate, sides == 0, after, cov, tie, dx, spare, seen)
            if not feed_back(plan, biases, state, dx, work):
                return done
        elif len(log) > 0:
            for k in range(len(seen)):
                seen[k, 0] = float("nan")
            for i in range(n, m):
                dx[i] = 0.0
        if done < len(log):
            _keep(plan, state, cov, dx, seen, log[done])
    return steps


@inner
def _any(readings: Array) -> bool:
    """Whether anything was measured."""
    found = False
    for k in range(len(readings)):
        found = found or isfinite(readings[k])
    return found


@inner
def _keep(plan: Plan, state: Array, cov: Array, dx: Array, seen: Array, row: Array) -> None:
    n, channels, learned = plan.head[0].states, len(seen), len(dx) - plan.head[0].states
    for i in range(n):
        row[i] = state[place_of(plan, i)] / unit_of(plan, i)
        for j in range(n):
            row[n + i * n + j] = cov[i, j]
    at = n + n * n
    for k in range(channels):
        row[at + k], row[at + channels + k] = seen[k, 0], seen[k, 1]
    at += 2 * channels
    for i in range(learned):
        row[at + i], row[at + learned + i] = dx[n + i], cov[n + i, n + i]
