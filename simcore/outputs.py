"""Channels of a machine from its state."""

from __future__ import annotations

from math import atan2

from simcore.jit import inner, kernel
from simcore.model.plan import (
    ANGLE,
    COMMAND,
    FORCE,
    INCLINATION,
    LENGTH,
    PRESSURE,
    RATE,
    SPIN,
    SPOOL,
    Plan,
)
from simcore.multibody.triples import Triple, cross, dot, rotated, triple
from simcore.work import Array, Work


@inner
def _inclination(along: Triple, gravity: Triple) -> float:
    """Angle of a direction above the horizontal, -π/2 to π/2; asin would lose digits near them."""
    side = cross(along, gravity)
    return atan2(-dot(along, gravity), dot(side, side) ** 0.5)


@kernel
def read_channels(plan: Plan, state: Array, work: Work, out: Array) -> None:
    """Every channel in SI units; needs the state placed and moved in `work`."""
    head = plan.head[0]
    for k in range(len(plan.channels)):
        kind, index = plan.channels[k].kind, plan.channels[k].index
        if kind == ANGLE:
            out[k] = state[head.at_z + index]
        elif kind == RATE:
            out[k] = state[head.at_v + index]
        elif kind == PRESSURE:
            out[k] = state[head.at_p + index]
        elif kind == LENGTH:
            out[k] = work.cylinders[index].length
        elif kind == FORCE:
            out[k] = work.cylinders[index].push
        elif kind == COMMAND:
            out[k] = state[head.at_c + index]
        elif kind == SPOOL:
            out[k] = state[head.at_u + index]
        elif kind == INCLINATION:
            along = rotated(work.bodies[index].turn, plan.channels[k].axis)
            out[k] = _inclination(along, triple(head.gravity))
        elif kind == SPIN:
            along = rotated(work.bodies[index].turn, plan.channels[k].axis)
            out[k] = dot(along, triple(work.bodies[index].twist[3:]))
