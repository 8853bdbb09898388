"""Starts a twin while its machine works: near static balance, with an unknown load.

One sample gives angles and some pressures. Free-hanging parts are assumed to hang straight down. Joint
accelerations are small, so unmeasured pressures, unexplained torques and the load follow from the balance of
forces: each joint adds one reading of zero acceleration. An iterated Kalman correction of states and biases
fuses these readings. Its covariance shows which unknowns one sample cannot distinguish
(docs/methods/error-state-filter.md).
"""

from __future__ import annotations

import numpy as np

from simcore.errors import Diverged
from simcore.estimate.biases import BIAS, PAYLOAD, bias_values, put_biases
from simcore.estimate.filter.correction import keep_above_vapour
from simcore.estimate.initialise.possible_spread import clearance
from simcore.estimate.linearise.jacobian import MPA, jacobian_at, place_of, unit_of
from simcore.estimate.linearise.sensor_errors import start_covariance
from simcore.model.plan import ANGLE, PRESSURE, PUMP, Records
from simcore.model.workspace import MASS, Array
from simcore.run.engine import Engine

_STILL = 0.05  # rad/s², accelerations of the joints of a working machine
_ROUNDS = 8  # of Newton; a pendulum 1 rad off needs five
_STEP = 0.5  # rad, most that an angle is moved in a round
_SAME = 2.0  # standard deviations within which a load is taken for the described one
_UNCLEAR = 3.0  # standard deviations of the description beyond which a load is known too poorly to decide
_NUDGE = 1e-5  # rad
_LOW = 0.1  # MPa; oil below it pulls at nothing
_MOVES = 0.3  # rad/s, of the joints of a machine whose levers are not in neutral
_SWINGS = 0.1  # rad, of a load that hangs from a working machine


class _NoBalance(Exception):
    """The forces balance only with a piston outside its tube, if at all."""


def solve_static_balance(
    engine: Engine,
    biases: Records,
    readings: Array,
    sigmas: Array,
    slow: Array,
    considered: Array | None = None,
) -> Array:
    """Set state and biases so that the forces balance; returns their covariance, filter units.

    Without a possible balance, as with a sensor that is stuck, everything stays as it was.
    """
    state, values = engine.state.copy(), bias_values(engine.condition, biases)
    try:
        return _balanced(engine, biases, readings, sigmas, slow, considered)
    except (_NoBalance, Diverged):
        engine.state[:] = state
        put_biases(engine.condition, biases, values)
        engine.settle(engine.state)
    return start_covariance(engine.plan, biases, readings, sigmas, slow)


def _balanced(
    engine: Engine,
    biases: Records,
    readings: Array,
    sigmas: Array,
    slow: Array,
    considered: Array | None,
) -> Array:
    """The same if there is a balance.

    sigmas: standard deviations of the states before balancing. slow: covariance of the biases before.
    considered: biases that are allowed for, but keep their values and variances (Schmidt); None: the twin is
    new, and its load may be the described one.
    """
    plan, spread, n, free = engine.plan, sigmas.copy(), len(sigmas), int(engine.plan.head[0]["free"])
    if np.any(_commands(engine)):
        spread[free : 2 * free] = np.maximum(spread[free : 2 * free], _MOVES)
    if not _is_measured(engine, readings) or _digs(engine):
        return start_covariance(plan, biases, readings, spread, slow)
    hanging = hanging_joints(engine, readings)
    _hang(engine, hanging)
    spread[hanging] = _SWINGS
    prior, nominal = start_covariance(plan, biases, readings, spread, slow), _read(engine, biases)
    oil = 2 * free + np.arange(int(plan.head[0]["volumes"]))
    rows, noise, gain = np.zeros((0, len(prior))), np.zeros((0, 0)), np.zeros((len(prior), 0))
    for _ in range(_ROUNDS):
        rows, off, noise = _balance(engine, biases, len(prior))
        gain = prior @ rows.T @ np.linalg.inv(rows @ prior @ rows.T + noise)
        if considered is not None:
            gain[n:][considered] = 0.0
        here = _read(engine, biases)
        change = nominal + gain @ (rows @ (here - nominal) - off) - here
        change[:free] = np.clip(change[:free], -_STEP, _STEP)
        # a chamber that would have to pull stays low, and the other one pushes
        low = oil[(here + change)[oil] < _LOW]
        spread[low] = _LOW
        prior = start_covariance(plan, biases, readings, spread, slow)
        _put(engine, biases, here + change)
    if considered is not None:
        left = np.eye(len(prior)) - gain @ rows
        covariance = left @ prior @ left.T + gain @ noise @ gain.T
        return np.asarray(0.5 * (covariance + covariance.T))
    covariance = prior - gain @ rows @ prior
    return _as_described(engine, biases, nominal, 0.5 * (covariance + covariance.T))


def _commands(engine: Engine) -> Array:
    at, valves = int(engine.plan.head[0]["at_c"]), int(engine.plan.head[0]["valves"])
    return np.asarray(engine.state[at : at + valves])


def _hang(engine: Engine, hanging: list[int]) -> None:
    """Move free-hanging joints to where gravity causes no torque, for the given pose of the others."""
    places = [place_of(engine.plan, f) for f in hanging]
    for _ in range(_ROUNDS if hanging else 0):
        pulls = _pulls(engine, hanging)
        steps = np.zeros(len(hanging))
        for i, place in enumerate(places):
            engine.state[place] += _NUDGE
            stiffness = (_pulls(engine, hanging)[i] - pulls[i]) / _NUDGE
            engine.state[place] -= _NUDGE
            steps[i] = pulls[i] / max(abs(stiffness), 1e-9)  # downhill, from above the pivot as well
        engine.state[places] += np.clip(steps, -_STEP, _STEP)
    engine.settle(engine.state)


def _pulls(engine: Engine, joints: list[int]) -> Array:
    """Total torque on joints at rest, N m: M z̈ with the accelerations that it causes."""
    plan, head = engine.plan, engine.plan.head[0]
    engine.settle(engine.state)
    n, coords = int(head["states"]), int(head["coords"])
    accelerations = engine.state[int(head["at_a"]) :][:coords].copy()
    jacobian_at(plan, np.zeros(0, dtype=BIAS), engine.state, engine.workspace, np.zeros((n, n + 1)))
    mass = engine.workspace.matrix[MASS][:coords, :coords]
    return np.array([mass[_coordinate(engine, f)] @ accelerations for f in joints])


def _is_measured(engine: Engine, readings: Array) -> bool:
    """Whether any pressure was measured; without one, only the described start is known."""
    return bool(np.any(np.isfinite(readings) & (engine.plan.channels["kind"] == PRESSURE)))


def _digs(engine: Engine) -> bool:
    """Whether the ground carries an unknown part of the weight."""
    return bool(np.any(engine.workspace.soils["grip"] > 0.0)) if len(engine.workspace.soils) else False


def _coordinate(engine: Engine, f: int) -> int:
    return place_of(engine.plan, f) - int(engine.plan.head[0]["at_z"])


def hanging_joints(engine: Engine, readings: Array) -> list[int]:
    """Independent joints that hang freely; the state must have been evaluated."""
    return [f for f in range(int(engine.plan.head[0]["free"])) if _hangs(engine, readings, f)]


def _hangs(engine: Engine, readings: Array, f: int) -> bool:
    """Whether an independent joint has no sensor, cylinder, pump or engine."""
    plan, at = engine.plan, _coordinate(engine, f)
    own = (plan.channels["kind"] == ANGLE) & (plan.channels["index"] == at)
    levers = engine.workspace.jac[int(plan.head[0]["rows"]) :][: len(plan.cylinders), at]
    shafts = {*plan.edges["shaft"][plan.edges["kind"] == PUMP], *plan.diesels["coord"]}
    return not np.any(np.isfinite(readings[own])) and not np.any(levers) and at not in shafts


def _read(engine: Engine, biases: Records) -> Array:
    """States and biases, filter units."""
    plan = engine.plan
    states = [engine.state[place_of(plan, i)] / unit_of(plan, i) for i in range(int(plan.head[0]["states"]))]
    return np.append(states, bias_values(engine.condition, biases) / biases["unit"])


def _put(engine: Engine, biases: Records, values: Array) -> None:
    plan, n = engine.plan, int(engine.plan.head[0]["states"])
    put_biases(engine.condition, biases, values[n:] * biases["unit"])
    for i in range(n):
        engine.state[place_of(plan, i)] = values[i] * unit_of(plan, i)
    keep_above_vapour(plan, engine.state)
    engine.settle(engine.state)
    if clearance(engine) <= 0.0:
        raise _NoBalance


def _balance(engine: Engine, biases: Records, m: int) -> tuple[Array, Array, Array]:
    """Joint accelerations except those of engines, their Jacobian for states and biases, their covariance.

    The static friction of seals counts as noise, not as an effect of speed.
    """
    plan, head = engine.plan, engine.plan.head[0]
    free, n = int(head["free"]), int(head["states"])
    jacobian = np.zeros((n, m + 1))
    jacobian_at(plan, biases, engine.state, engine.workspace, jacobian)
    engine.settle(engine.state)  # the Jacobian leaves the machine nudged
    joints = [f for f in range(free) if _coordinate(engine, f) not in plan.diesels["coord"]]
    rows = jacobian[[free + f for f in joints], :m]
    noise = np.eye(len(joints)) * _STILL**2
    for c, seal in zip(plan.cylinders, plan.frictions, strict=False):
        held = rows[:, 2 * free + c["node_a"]] * seal["static"] / (c["area_a"] * MPA)
        noise += np.outer(held, held)
    rows[:, free : 2 * free] = 0.0
    off = np.array([engine.state[int(head["at_a"]) + _coordinate(engine, f)] for f in joints])
    return rows, off, noise


def _as_described(engine: Engine, biases: Records, nominal: Array, covariance: Array) -> Array:
    """If the load may be the described one, assume that it is, with the uncertainty of the description."""
    n = int(engine.plan.head[0]["states"])
    for at in n + np.flatnonzero(biases["kind"] == PAYLOAD):
        off, variance = nominal[at] - _read(engine, biases)[at], covariance[at, at]
        if variance < _UNCLEAR**2 and off * off < _SAME**2 * (variance + 1.0):
            gain = covariance[:, at] / (variance + 1.0)
            _put(engine, biases, _read(engine, biases) + gain * off)
            covariance = covariance - np.outer(gain, covariance[at])
    return covariance
