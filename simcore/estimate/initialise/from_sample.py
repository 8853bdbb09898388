"""Determines the start state of a twin from its first sample, and how uncertain each state is."""

from __future__ import annotations

import numpy as np

from simcore.errors import Diverged
from simcore.estimate.linearise.engine_jacobian import KNM
from simcore.estimate.linearise.jacobian import MPA, place_of
from simcore.messages import Message
from simcore.model.plan import ANGLE, DIRECT, PRESSURE, RATE
from simcore.model.workspace import Array
from simcore.run.engine import Engine

_SPREAD = 2.0  # the first reading counts with twice its sensor's noise
_APPROACH = 0.1  # rad; far positions are approached in parts so that loops keep their assembly
_MOST_PARTS = 1000
_ENGINE_START = (
    0.3  # standard deviation of an engine's torque when nothing was measured, share of its largest
)


def start_sigmas(engine: Engine) -> Array:
    """Standard deviations of the nominal state without any measurement, filter units."""
    error, free = engine.machine.model_error, int(engine.plan.head[0]["free"])
    sizes = float(error.start_position), float(error.start_rate), float(error.start_pressure) / MPA
    torques = engine.plan.diesels["full"].max(axis=1, initial=0.0) * _ENGINE_START / KNM
    return np.append(np.repeat(sizes, [free, free, int(engine.plan.head[0]["volumes"])]), torques)


def set_from(engine: Engine, readings: Array) -> Array:
    """Set the state from readings (NaN: none); returns the standard deviation of each filter state.

    Known errors of the sensors are taken off. Raises Diverged if a piston is then outside its tube.
    """
    sigmas, readings = start_sigmas(engine), readings - engine.condition.channels["offset"]
    _set_pressures(engine, readings, sigmas)
    _set_motion(engine, readings, sigmas)
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
        start, target = float(engine.state[place]), float(readings[channel])
        parts = 1 + int(abs(target - start) / _APPROACH) if kind == ANGLE else 1
        for part in range(1, min(parts, _MOST_PARTS) + 1):
            engine.state[place] = start + (target - start) * part / parts
            engine.settle(engine.state)
    if any(c["chamber_a"] <= 0 or c["chamber_b"] <= 0 for c in engine.workspace.cylinders):
        raise Diverged(0.0, Message("start.stroke"))


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
