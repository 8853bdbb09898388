"""Determines the start state of a twin from its first sample, and how uncertain each state is."""

from __future__ import annotations

import numpy as np

from simcore.errors import Diverged
from simcore.estimate.filter.correction import keep_above_vapour
from simcore.estimate.initialise.possible_spread import clearance, is_possible
from simcore.estimate.linearise.engine_jacobian import KNM
from simcore.estimate.linearise.jacobian import MPA, place_of
from simcore.messages import Message
from simcore.model.compiler import start_state
from simcore.model.plan import ANGLE, DIRECT, PRESSURE, RATE
from simcore.model.workspace import Array
from simcore.run.engine import Engine

_SPREAD = 2.0  # the first reading counts with twice its sensor's noise
_APPROACH = 0.1  # rad; far positions are approached in parts so that loops keep their assembly
_MOST_PARTS = 1000
_HALVINGS = 6  # of a part, to find the end of a stroke
_END = 2e-3  # m from the end of its tube, where a piston is put that seems to be outside
_ENCODER_ERROR = 0.1  # rad or m; an encoder that is further off has a wrong unit, sign or zero (assumed)
_ENGINE_START = (
    0.3  # standard deviation of an engine's torque when nothing was measured, share of its largest
)


def start_sigmas(engine: Engine) -> Array:
    """Standard deviations of the nominal state without any measurement, filter units."""
    error, free = engine.machine.model_error, int(engine.plan.head[0]["free"])
    sizes = float(error.start_position), float(error.start_rate), float(error.start_pressure) / MPA
    torques = engine.plan.diesels["full"].max(axis=1, initial=0.0) * _ENGINE_START / KNM
    return np.append(np.repeat(sizes, [free, free, int(engine.plan.head[0]["volumes"])]), torques)


def stand_still(engine: Engine, readings: Array) -> None:
    """Prepare a lost state for `set_from`: the described pose, at rest, at nominal pressures.

    Fills of buckets stay, and joints without a reading stay where they were expected, if that is possible.
    """
    head, last = engine.plan.head[0], engine.state.copy()
    kept = np.zeros(len(last), dtype=bool)
    kept[int(head["at_c"]) : int(head["at_c"] + head["valves"])] = True
    kept[int(head["at_p"] + head["scalars"] - head["soils"]) : int(head["at_p"] + head["scalars"])] = True
    engine.state[:] = np.where(kept, last, start_state(engine.machine, engine.plan))
    for f in range(int(head["free"])):
        place = place_of(engine.plan, f)
        if _sensor(engine, readings, ANGLE, place - int(head["at_z"])) is None:
            _move_to(engine, place, float(last[place]))


def set_from(engine: Engine, readings: Array, sigmas: Array) -> Array:
    """Set the state from readings (NaN: none); returns the standard deviation of each filter state.

    sigmas: standard deviations where there is no reading. Known errors of the sensors are taken off. A piston
    that the readings place a little outside its tube is put at its end. Raises Diverged if they place it far
    outside.
    """
    sigmas, readings = sigmas.copy(), readings - engine.condition.channels["offset"]
    _set_pressures(engine, readings, sigmas)
    _set_motion(engine, readings, sigmas)
    keep_above_vapour(engine.plan, engine.state)
    engine.settle(engine.state)
    return sigmas


def _set_motion(engine: Engine, readings: Array, sigmas: Array) -> None:
    """Set independent positions and velocities from their sensors, in small moves that keep loops closed."""
    head, free = engine.plan.head[0], int(engine.plan.head[0]["free"])
    engine.settle(engine.state)
    for s in range(2 * free):
        kind, at = (ANGLE, "at_z") if s < free else (RATE, "at_v")
        place = place_of(engine.plan, s)
        channel = _sensor(engine, readings, kind, place - int(head[at]))
        if channel is None:
            continue
        sigmas[s] = _SPREAD * float(engine.plan.channels[channel]["sigma"])
        target = float(readings[channel])
        if kind == RATE:
            engine.state[place] = target
            engine.settle(engine.state)
        else:
            missed = abs(target - _move_to(engine, place, target))
            if missed > _ENCODER_ERROR:
                sensor = engine.channels[channel].name
                raise Diverged(engine.time, Message("start.stroke", {"sensor": sensor}))
            sigmas[s] = max(sigmas[s], missed)


def _move_to(engine: Engine, place: int, target: float) -> float:
    """Move a joint towards a position, as far as the pistons stay in their tubes; returns where it ends."""
    here = float(engine.state[place])
    step = (target - here) / (1 + min(int(abs(target - here) / _APPROACH), _MOST_PARTS))
    least, margin = abs(step) * 2.0**-_HALVINGS, min(_END, 0.5 * clearance(engine))
    while here != target and abs(step) >= least:
        kept = engine.state.copy()
        further = target if abs(target - here) <= 1.001 * abs(step) else here + step
        engine.state[place] = further
        if is_possible(engine, engine.state, margin):
            here = further
        else:
            engine.state[:] = kept
            step *= 0.5
    engine.settle(engine.state)
    return here


def _set_pressures(engine: Engine, readings: Array, sigmas: Array) -> None:
    """Set measured pressures to their readings, and others to the mean of the nodes across their orifices."""
    head = engine.plan.head[0]
    pressures = engine.state[head["at_p"] : head["at_p"] + head["volumes"]]
    sensors = [_sensor(engine, readings, PRESSURE, k) for k in range(len(pressures))]
    for k, channel in enumerate(sensors):
        if channel is not None:
            pressures[k] = readings[channel]
            noise = float(engine.plan.channels[channel]["sigma"])
            sigmas[2 * int(head["free"]) + k] = _SPREAD * noise / MPA
    for k, channel in enumerate(sensors):
        known = [n for n in _neighbours(engine, k) if n < len(sensors) and sensors[n] is not None]
        if channel is None and known:
            pressures[k] = np.mean(pressures[known])


def _sensor(engine: Engine, readings: Array, kind: int, index: int) -> int | None:
    """Channel with a reading of the given kind, or None."""
    for k, channel in enumerate(engine.plan.channels):
        if channel["kind"] == kind and channel["index"] == index and np.isfinite(readings[k]):
            return k
    return None


def _neighbours(engine: Engine, node: int) -> list[int]:
    """Nodes that fixed orifices connect to a node."""
    fixed = [e for e in engine.plan.edges if e["valve"] < 0 and e["kind"] == DIRECT]
    return [int(e["b"]) for e in fixed if e["a"] == node] + [int(e["a"]) for e in fixed if e["b"] == node]
