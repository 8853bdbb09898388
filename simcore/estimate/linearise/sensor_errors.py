"""Errors of the sensors themselves, as the filter allows for them: constant errors and a common delay.

A pressure sensor reads its channel with a constant error, the bias SENSOR. All pressures may also be stamped
later than they were taken, by the bias DELAY (docs/methods/error-state-filter.md):

    y = h(x) + b - d (p - p̄)/τ,   τ p̄' = p - p̄

(p - p̄)/τ is the rate of the pressure, averaged over the last τ; the rate itself changes within milliseconds.
For d = τ the reading is p̄, as from a sensor with a filter of that time constant.
"""

from __future__ import annotations

from math import exp

import numpy as np

from simcore.estimate.biases import DELAY, SENSOR, sensor_classes
from simcore.estimate.linearise.jacobian import place_of, unit_of
from simcore.kernels.jit import inner
from simcore.model.condition import Condition
from simcore.model.elements import Machine
from simcore.model.plan import ANGLE, PRESSURE, RATE, Plan, Records
from simcore.model.workspace import Array, Workspace

SMOOTHING = 0.03  # τ, s; assumed: as long as the delays that are met in practice


def delayed_pressures(plan: Plan, biases: Records) -> Array:
    """Room for the averaged pressures p̄ of all volumes, Pa; empty for a machine without a delay."""
    return np.zeros(int(plan.head[0]["volumes"]) if np.any(biases["kind"] == DELAY) else 0)


@inner
def follow_pressures(p: Array, dt: float, averaged: Array) -> None:
    """Let averaged pressures follow for one step."""
    if len(averaged) > 0:
        share = 1.0 - exp(-dt / SMOOTHING)
        for k in range(len(averaged)):
            averaged[k] += share * (p[k] - averaged[k])


@inner
def correct_averages(p: Array, before: Array, averaged: Array) -> None:
    """Shift averaged pressures with a correction: it concerns the past as well and is no rate."""
    for k in range(len(averaged)):
        averaged[k] += p[k] - before[k]


@inner
def add_sensor_errors(
    plan: Plan, biases: Records, condition: Condition, p: Array, averaged: Array, jacobian: Array
) -> None:
    """Turn the rows of channels into those of readings: add errors to the values, and columns for them."""
    n, last = plan.head[0].states, plan.head[0].states + len(biases)
    for i in range(len(biases)):
        bias = biases[i]
        if bias.kind == SENSOR:
            jacobian[n + bias.index, n + i] = bias.unit
            jacobian[n + bias.index, last] += condition.channels[bias.index].offset
        elif bias.kind == DELAY:
            delay = condition.channels[bias.index].delay
            for k in range(len(plan.channels)):
                channel = plan.channels[k]
                if channel.kind == PRESSURE and channel.sigma > 0.0 and channel.index < len(averaged):
                    rate = (p[channel.index] - averaged[channel.index]) / SMOOTHING
                    jacobian[n + k, n + i] = -rate * bias.unit
                    jacobian[n + k, last] -= delay * rate


@inner
def freeze_sensors(plan: Plan, biases: Records, ws: Workspace, learned: Array) -> None:
    """Learn no errors of sensors with the edge in the ground, where an unknown force acts."""
    digs = False
    for k in range(plan.head[0].soils):
        digs = digs or ws.soils[k].grip > 0.0
    for i in range(len(biases) if digs else 0):
        if biases[i].kind == SENSOR:
            learned[plan.head[0].states + i] = 0.0


def zero_errors(machine: Machine, plan: Plan) -> Array:
    """Standard deviation of the zero point of each measured position, filter states; 0: not measured.

    The filter estimates positions as their sensors count them. Nothing else shows where a sensor's zero is,
    so its error is added to the uncertainty of what people read (`channel_sigmas`).
    """
    found = np.zeros(int(plan.head[0]["free"]))
    for channel, size in sensor_classes(machine).items():
        state = _state_of(plan, channel)
        if state is not None and state < len(found):
            found[state] = float(size)
    return found


def start_covariance(plan: Plan, biases: Records, readings: Array, sigmas: Array, slow: Array) -> Array:
    """Covariance of states and biases whose measured states were set to their readings.

    sigmas: of all states, of measured ones through their noise alone. slow: covariance of the biases, filter
    units. A state set from a sensor has that sensor's error with the opposite sign.
    """
    n = len(sigmas)
    shift = np.zeros((n, len(biases)))  # of states by biases
    for i in np.flatnonzero(biases["kind"] == SENSOR):
        state = _state_of(plan, int(biases[i]["index"]))
        if state is not None and np.isfinite(readings[biases[i]["index"]]):
            shift[state, i] = -float(biases[i]["unit"]) / unit_of(plan, state)
    covariance = np.zeros((n + len(biases), n + len(biases)))
    covariance[:n, :n] = np.diag(sigmas**2) + shift @ slow @ shift.T
    covariance[:n, n:], covariance[n:, n:] = shift @ slow, slow
    covariance[n:, :n] = covariance[:n, n:].T
    return covariance


def _state_of(plan: Plan, channel: int) -> int | None:
    """Filter state that a channel reads directly, or None."""
    kind, index = plan.channels[channel]["kind"], int(plan.channels[channel]["index"])
    starts = {ANGLE: "at_z", RATE: "at_v", PRESSURE: "at_p"}
    if int(kind) not in starts:
        return None
    place = int(plan.head[0][starts[int(kind)]]) + index
    return next((s for s in range(int(plan.head[0]["states"])) if place_of(plan, s) == place), None)
