"""Largest standard deviation that each state of the filter can have, from what is physically possible.

A quantity between two limits has at most half their distance as standard deviation. Linearised, an unknown
command moves a joint without end: after some seconds of silence its angle was known to 4000 rad, and one
correction from there gave it 100 rad/s (docs/methods/error-state-filter.md).
"""

from __future__ import annotations

from math import pi

import numpy as np

from simcore.errors import Diverged
from simcore.estimate.linearise.engine_jacobian import KNM
from simcore.estimate.linearise.jacobian import MPA, place_of
from simcore.model.compiler import start_state
from simcore.model.plan import PILOTED, PRISMATIC
from simcore.model.workspace import Array
from simcore.run.engine import Engine

_SEARCH = 0.05  # rad or m, step of the search for the end of a joint's travel
_TURN = pi  # rad to either side: a hinge that no cylinder limits may stand anywhere
_SLIDE = 10.0  # m to either side, of a slide without a cylinder (assumed)
_CROSSING = 1.0  # s: no joint crosses its whole travel faster (assumed)
_ENGINE_SPEED = 0.5  # share of an engine's governed speed by which it may be off: from stalled to racing


def possible_spread(engine: Engine) -> Array:
    """Largest standard deviation of every filter state, filter units."""
    head = engine.plan.head[0]
    free = int(head["free"])
    travels = np.array([_travel(engine, f) for f in range(free)])
    rates = travels / _CROSSING
    for diesel in engine.plan.diesels:
        at = int(head["at_z"]) + int(diesel["coord"])
        for f in range(free):
            if place_of(engine.plan, f) == at:
                rates[f] = 2.0 * _ENGINE_SPEED * float(diesel["speed"])
    pressures = np.full(int(head["volumes"]), highest_pressure(engine) / MPA)
    torques = engine.plan.diesels["full"].max(axis=1, initial=0.0) / KNM
    return 0.5 * np.concatenate([travels, rates, pressures, torques])


def highest_pressure(engine: Engine) -> float:
    """Of the strongest source or relief valve, Pa; infinite if there is neither."""
    sources = engine.condition.nodes["pressure"][int(engine.plan.head[0]["volumes"]) :]
    reliefs = engine.plan.edges["setting"][engine.plan.edges["kind"] == PILOTED]
    highest = max(np.max(sources, initial=0.0), np.max(reliefs, initial=0.0))
    return float(highest) if highest > 0.0 else np.inf


def _travel(engine: Engine, f: int) -> float:
    """From one end of an independent joint's travel to the other, rad or m, the other joints at their start.

    A joint of a linkage ends where the loops cannot be closed.
    """
    plan = engine.plan
    place = place_of(plan, f)
    slides = plan.bodies[place - int(plan.head[0]["at_z"]) + 1]["kind"] == PRISMATIC
    most = _SLIDE if slides else _TURN
    reached = 0.0
    for way in (-1.0, 1.0):
        state, moved = start_state(engine.machine, plan), 0.0
        while moved < most:
            state[place] += way * _SEARCH
            if not is_possible(engine, state):
                break
            moved += _SEARCH
        reached += moved
    return max(reached, _SEARCH)


def is_possible(engine: Engine, state: Array, margin: float = 0.0) -> bool:
    """Whether the loops close and every piston is inside its tube, by a margin, m."""
    try:
        engine.settle(state)
    except Diverged:
        return False
    return clearance(engine) > 0.0 and clearance(engine) >= margin


def clearance(engine: Engine) -> float:
    """Distance of the pistons from the ends of their tubes, the least, m; negative: outside.

    The state must have been evaluated.
    """
    ends = [float(c[name]) for c in engine.workspace.cylinders for name in ("chamber_a", "chamber_b")]
    return min(ends, default=np.inf)
