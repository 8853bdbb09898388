"""Runs the filter over many steps in one kernel call: model, covariance and corrections."""

from __future__ import annotations

from math import isfinite

from simcore.algebra.linear import copy
from simcore.estimate.biases import fade_biases, put_biases, read_biases
from simcore.estimate.filter.correction import feed_back, fuse
from simcore.estimate.filter.prediction import predict
from simcore.estimate.filter_arrays import FilterModel, FilterScratch, FilterState, Readings
from simcore.estimate.linearise.aerated_oil import rescale, secant_compliance
from simcore.estimate.linearise.check_valves import derate_check_valves, keep_variances, update_reach
from simcore.estimate.linearise.digging_noise import dig_and_pour
from simcore.estimate.linearise.jacobian import MPA, fill_jacobian, place_of, unit_of
from simcore.estimate.linearise.joint_friction_chord import chord_friction
from simcore.estimate.linearise.load_step import drop_pendulum_coupling, inflate_velocity_noise
from simcore.estimate.linearise.sdirk_transition import LONG_STEP_FROM
from simcore.estimate.linearise.sensor_errors import (
    add_sensor_errors,
    correct_averages,
    follow_pressures,
    freeze_sensors,
)
from simcore.estimate.linearise.stale_inputs import age_inputs, any_stale, average_over_spool, unknown_share
from simcore.estimate.monitor.innovation_monitor import (
    LAG,
    SETTLED,
    USUAL,
    Monitor,
    allow_for_rounding,
    freeze_biases,
    gate_and_inflate,
    hold_hanging,
    update_monitor,
    watch_load,
)
from simcore.formulation.evaluate import evaluate
from simcore.integrate.advance import STEPS, TRAPEZOIDAL, take_implicit
from simcore.kernels.jit import inner, kernel
from simcore.model.condition import Condition
from simcore.model.plan import Plan, Records
from simcore.model.workspace import Array
from simcore.multibody.dynamics import mass_matrix

# what run_filter returns instead of a number of steps
REFUSED = -1  # a correction leads to an impossible position
BROKEN = -2  # state or covariance is no longer finite
LOST = -3  # corrected, but most sensors have contradicted the filter for a while


@kernel
def run_filter(
    model: FilterModel,
    estimate: FilterState,
    scratch: FilterScratch,
    readings: Readings,
    monitor: Monitor,
    steps: int,
    schedule: Array,
    log: Array,
) -> int:
    """Take steps and fuse readings; returns the number of steps that succeeded.

    The covariance may lag behind the state by up to `model.stride` steps; it is then propagated through all
    of them with the Jacobians at both ends. The result does not depend on how calls divide the steps.
    schedule: as in simcore/run/time_loop.py. log: a row per step of states and their covariance, innovations
    and their variances, biases in SI units and their variances in filter units; without rows there is no log.

    Offline, without a monitor, readings.values has a row per step, fused at the end of the step. Live, with a
    monitor, it has no row, one row to fuse after the last step, or a row of NaN to linearise at a state that
    was set from outside. REFUSED and BROKEN leave everything unchanged.
    """
    plan, ws, biases, dt = model.plan, model.ws, model.biases, model.dt
    state, cov, jacobian = estimate.state, estimate.covariance, estimate.jacobian
    input_cross_cov, input_ages = estimate.input_cross_cov, estimate.input_ages
    innovations, counters, values = estimate.innovations, estimate.counters, readings.values
    averaged = estimate.averaged
    dx, spare, input_rates = scratch.dx, scratch.spare, scratch.input_rates
    n, m, upcoming, live = plan.head[0].states, len(dx), 0, len(monitor.memory) > 0
    now, result, lag = 0, steps, 0
    first_p = 2 * plan.head[0].free
    p = state[plan.head[0].at_p : plan.head[0].at_p + plan.head[0].volumes]
    if live:
        copy(monitor.memory, monitor.backup)
        lag = int(monitor.status[LAG])
    # a live correction takes two rounds: one fuses at the present, the other linearises at the result
    for k in range(steps + (2 if live and len(values) > 0 else 0)):
        sides = 0
        # the model step, or what follows the last one
        if k < steps:
            while upcoming < len(schedule) and schedule[upcoming, 0] <= k:
                copy(schedule[upcoming, 1:], state[plan.head[0].at_c :])
                upcoming += 1
            lag += 1
            measured = not live and k < len(values) and _any(values[k])
            planned = measured or lag >= model.stride
            if not take_implicit(plan, state, ws, dt, TRAPEZOIDAL, False, counters, planned):
                lag, result = lag - 1, k
                break
            follow_pressures(p, dt, averaged)
            age_inputs(plan, state, input_ages, dt)
            due = planned
        else:
            measured = k == steps and _any(values[0])
            # a long step needs the Jacobian at its end only: the one before a correction will do
            due = (k > steps and (model.stride * dt < LONG_STEP_FROM or not _any(values[0]))) or lag > 0
            if due:
                evaluate(plan, state, ws)
                mass_matrix(plan, ws)
        # linearisation, and prediction of the covariance up to here
        if due:
            before, after = jacobian[now], jacobian[1 - now]
            with_channels = live or measured or k == steps - 1
            fill_jacobian(plan, biases, state, ws, with_channels, after)
            if with_channels:
                add_sensor_errors(plan, biases, ws.condition, p, averaged, after)
            if lag > 0:
                rescale(plan, m, p, before[first_p:, m + 2], ws, cov, input_cross_cov)
            chord_friction(plan, state[plan.head[0].at_v :], cov, after, ws)
            derate_check_valves(plan, biases, cov, MPA, dt * lag, before, after, ws)
            unsettled = live and counters[STEPS] * dt < monitor.status[SETTLED]
            if unsettled:
                drop_pendulum_coupling(plan, monitor.spread[n:], monitor.hanging, after)
            if any_stale(plan, input_ages, dt):
                sides = 2 * len(input_ages)
                for i in range(sides):
                    for j in range(n):
                        input_rates[i, j] = 0.0
                for v in range(len(input_ages)):
                    share = unknown_share(plan, input_ages[v], dt)
                    if share > 0.0:
                        rows = input_rates[2 * v : 2 * v + 2]
                        average_over_spool(plan, state, ws, v, share, after, rows)
            secant_compliance(plan, p, cov, after, input_rates[:sides], ws)
            if lag > 0:
                predict(model, before, after, sides, lag, cov, input_cross_cov, scratch)
                fade_biases(plan, ws.condition, biases, lag * dt, cov, input_cross_cov)
                if unsettled:
                    inflate_velocity_noise(plan, lag * dt, cov)
                if live:
                    hold_hanging(plan, monitor, input_cross_cov)
                if plan.head[0].soils > 0:
                    dig_and_pour(plan, biases, state, lag, dt, cov, input_cross_cov, scratch.system, ws)
            lag, now = 0, 1 - now
        # correction
        if measured:
            row, limit, learn = values[0 if live else k], readings.gate, sides == 0
            if live:
                time = counters[STEPS] * dt
                allow_for_rounding(row, monitor, readings.sigmas)
                limit = gate_and_inflate(plan, row, readings, jacobian[now], cov, monitor)
                learn = readings.inputs_known
            learned = spare[2]
            for i in range(m):
                learned[i] = 1.0 if i < n or learn else 0.0
            if live:
                freeze_biases(plan, counters[STEPS] * dt, monitor, learned)
            freeze_sensors(plan, biases, ws, learned)
            variances = scratch.system[0]
            keep_variances(plan, cov, variances)
            fuse(
                plan, row, readings.sigmas, limit, learned, jacobian[now], cov, input_cross_cov, dx, spare,
                innovations, monitor.prefit[:, USUAL], monitor.evidence,
            )  # fmt: skip
            if live:
                time = counters[STEPS] * dt
                watch_load(plan, biases, state, ws, time, readings, monitor, input_cross_cov, dx, cov)
            update_reach(plan, cov, variances, jacobian[now, :, m + 1])
            if not feed_back(plan, biases, state, dx, ws, cov, input_cross_cov, spare[0]):
                result = REFUSED if live else k
                break
            correct_averages(p, spare[0], averaged)
            copy(p, jacobian[now, first_p:, m + 2])
            if live and update_monitor(counters[STEPS] * dt, readings.gate, innovations, monitor):
                result = LOST
        elif len(log) > 0:
            for c in range(len(innovations)):
                innovations[c, 0] = float("nan")
        if k < len(log):
            _write_log(plan, ws.condition, biases, state, cov, innovations, log[k])
    if now == 1:
        for i in range(len(jacobian[0])):
            copy(jacobian[1, i], jacobian[0, i])
    if live:
        monitor.status[LAG] = lag
        read_biases(ws.condition, biases, monitor.biases)
        if not _finite(state, cov):
            result = BROKEN
        if result in (REFUSED, BROKEN):
            copy(monitor.backup, monitor.memory)
            put_biases(ws.condition, biases, monitor.biases)
    return result


@inner
def _any(values: Array) -> bool:
    """Whether there is any reading."""
    found = False
    for k in range(len(values)):
        found = found or isfinite(values[k])
    return found


@inner
def _finite(state: Array, cov: Array) -> bool:
    """Whether every number is finite; checks the sum, which is not finite if any term is not."""
    total = 0.0
    for i in range(len(state)):
        total += state[i] * 0.0
    for i in range(len(cov)):
        for j in range(len(cov)):
            total += cov[i, j] * 0.0
    return total == 0.0


@inner
def _write_log(
    plan: Plan,
    condition: Condition,
    biases: Records,
    state: Array,
    cov: Array,
    innovations: Array,
    row: Array,
) -> None:
    n, channels, learned = plan.head[0].states, len(innovations), len(biases)
    for i in range(n):
        row[i] = state[place_of(plan, i)] / unit_of(plan, i)
        for j in range(n):
            row[n + i * n + j] = cov[i, j]
    at = n + n * n
    for k in range(channels):
        row[at + k], row[at + channels + k] = innovations[k, 0], innovations[k, 1]
    at += 2 * channels
    read_biases(condition, biases, row[at:])
    for i in range(learned):
        row[at + learned + i] = cov[n + i, n + i]
