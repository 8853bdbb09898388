"""Determines the start state of a twin from its first sample, and how uncertain each state is.

The state is the possible one that is nearest to the readings: loops closed, pistons inside their tubes, oil
above vapour pressure. Every independent coordinate has its own sensor, so the nearest state in the sense of
weighted least squares has each of them at the possible value nearest to its reading. A reading that is a
little off counts with its distance as standard deviation. One that is far off is left out: the twin starts
without it, and its monitor judges that sensor from the next samples on. Where several positions are far off,
their unit, sign or zero is wrong, and the twin does not start.
"""

from __future__ import annotations

import numpy as np

from simcore.errors import Diverged
from simcore.estimate.filter.correction import keep_above_vapour
from simcore.estimate.initialise.possible_spread import clearance, highest_pressure, is_possible
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
_MOST_ANGLE = 200.0 * np.pi  # rad; a joint that seems to have turned further has a wrong sensor (assumed)
_GAUGE_ERROR = 0.1  # share of the highest pressure; a gauge that is further off is broken (assumed)
_OVER = 1.5  # shocks reach this share of the highest pressure of reliefs and sources (assumed)
_FASTEST = 10.0  # rad/s or m/s; no joint of a working machine is faster (assumed)
_RACING = 2.0  # share of an engine's governed speed that it never reaches (assumed)
_SWEEPS = 4  # over all joints: one may block another until that has moved
_ENGINE_START = (
    0.3  # standard deviation of an engine's torque when nothing was measured, share of its largest
)


def start_sigmas(engine: Engine) -> Array:
    """Standard deviations of the nominal state without any measurement, filter units."""
    error, free = engine.machine.model_error, int(engine.plan.head[0]["free"])
    sizes = float(error.start_position), float(error.start_rate), float(error.start_pressure) / MPA
    torques = engine.plan.diesels["full"].max(axis=1, initial=0.0) * _ENGINE_START / KNM
    return np.append(np.repeat(sizes, [free, free, int(engine.plan.head[0]["volumes"])]), torques)


def stand_still(engine: Engine) -> None:
    """Prepare a lost state for `set_from`: at rest, at nominal pressures, joints where they were expected.

    Fills of buckets stay. Joints are moved from the described pose, so that loops keep their assembly; one
    whose expected position is impossible stays as near as it can.
    """
    head, last = engine.plan.head[0], engine.state.copy()
    kept = np.zeros(len(last), dtype=bool)
    kept[int(head["at_c"]) : int(head["at_c"] + head["valves"])] = True
    kept[int(head["at_p"] + head["scalars"] - head["soils"]) : int(head["at_p"] + head["scalars"])] = True
    engine.state[:] = np.where(kept, last, start_state(engine.machine, engine.plan))
    engine.settle(engine.state)
    places = [place_of(engine.plan, f) for f in range(int(head["free"]))]
    _approach(engine, {f: (place, float(last[place])) for f, place in enumerate(places)})


def set_from(engine: Engine, readings: Array, sigmas: Array) -> Array:
    """Set the state from readings (NaN: none); returns the standard deviation of each filter state.

    sigmas: standard deviations where there is no reading. Known errors of the sensors are taken off. Readings
    that are far from every possible state become NaN. Raises Diverged if these are several positions, or the
    only one.
    """
    sigmas, corrected = sigmas.copy(), readings - engine.condition.channels["offset"]
    _set_pressures(engine, corrected, sigmas)
    _set_motion(engine, corrected, sigmas)
    readings[np.isnan(corrected)] = np.nan
    engine.settle(engine.state)
    return sigmas


def _set_motion(engine: Engine, readings: Array, sigmas: Array) -> None:
    """Set independent positions and velocities from their sensors, in small moves that keep loops closed."""
    engine.settle(engine.state)
    _set_positions(engine, readings, sigmas)
    free, at = int(engine.plan.head[0]["free"]), int(engine.plan.head[0]["at_v"])
    for s in range(free, 2 * free):
        place = place_of(engine.plan, s)
        channel = _sensor(engine, readings, RATE, place - at)
        if channel is None:
            continue
        low, high = _possible_rates(engine, place - at)
        if low <= readings[channel] <= high:
            engine.state[place] = readings[channel]
            sigmas[s] = _SPREAD * float(engine.plan.channels[channel]["sigma"])
        else:
            readings[channel] = np.nan
    engine.settle(engine.state)


def _possible_rates(engine: Engine, coordinate: int) -> tuple[float, float]:
    for diesel in engine.plan.diesels:
        if int(diesel["coord"]) == coordinate:
            return 0.0, _RACING * float(diesel["speed"])
    return -_FASTEST, _FASTEST


def _set_positions(engine: Engine, readings: Array, sigmas: Array) -> None:
    """Move every measured joint to the possible position that is nearest to its reading."""
    at = int(engine.plan.head[0]["at_z"])
    places = [place_of(engine.plan, f) for f in range(int(engine.plan.head[0]["free"]))]
    found = ((f, _sensor(engine, readings, ANGLE, place - at)) for f, place in enumerate(places))
    measured = {f: channel for f, channel in found if channel is not None}
    if not measured:
        return
    before = engine.state.copy()
    missed = _approach(engine, {f: (places[f], float(readings[k])) for f, k in measured.items()})
    far = [f for f, distance in missed.items() if distance > _ENCODER_ERROR]
    if far and (len(far) > 1 or len(measured) == 1):
        worst = max(far, key=lambda f: missed[f])
        sensor = engine.channels[measured[worst]].name
        raise Diverged(engine.time, Message("start.stroke", {"sensor": sensor}))
    if far:  # a single broken sensor: the others alone say where the machine is
        readings[measured.pop(far[0])] = np.nan
        engine.state[:] = before
        engine.settle(engine.state)
        missed = _approach(engine, {f: (places[f], float(readings[k])) for f, k in measured.items()})
    for f, channel in measured.items():
        sigmas[f] = max(_SPREAD * float(engine.plan.channels[channel]["sigma"]), missed[f])


def _approach(engine: Engine, targets: dict[int, tuple[int, float]]) -> dict[int, float]:
    """Move joints towards their targets (place in the state, position); returns how far each is from it."""
    missed: dict[int, float] = {}
    for _ in range(_SWEEPS):
        last = missed
        missed = {f: abs(target - _move_to(engine, place, target)) for f, (place, target) in targets.items()}
        if missed == last or not any(missed.values()):
            break
    return missed


def _move_to(engine: Engine, place: int, target: float) -> float:
    """Move a joint towards a position, as far as the pistons stay in their tubes; returns where it ends."""
    here = float(engine.state[place])
    if not np.isfinite(target) or abs(target) > _MOST_ANGLE:
        return here
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
    """Set measured pressures to their readings, and others to the mean of the nodes across their orifices.

    A gauge that is a little off reads below vapour pressure at an idling pump: oil is put just above it.
    """
    head = engine.plan.head[0]
    first, count = int(head["at_p"]), int(head["volumes"])
    pressures, full = engine.state[first : first + count], highest_pressure(engine)
    sensors = [_sensor(engine, readings, PRESSURE, k) for k in range(count)]
    for k, channel in enumerate(sensors):
        if channel is None:
            continue
        if not -_GAUGE_ERROR * full <= readings[channel] <= _OVER * full:
            readings[channel], sensors[k] = np.nan, None
            continue
        pressures[k] = readings[channel]
        sigmas[2 * int(head["free"]) + k] = _SPREAD * float(engine.plan.channels[channel]["sigma"]) / MPA
    for k, channel in enumerate(sensors):
        known = [n for n in _neighbours(engine, k) if n < len(sensors) and sensors[n] is not None]
        if channel is None and known:
            pressures[k] = np.mean(pressures[known])
    wanted = pressures.copy()
    keep_above_vapour(engine.plan, engine.state)
    at = 2 * int(head["free"])
    sigmas[at : at + count] = np.maximum(sigmas[at : at + count], np.abs(pressures - wanted) / MPA)


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
