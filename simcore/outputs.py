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


@inner
def read_channel(plan: Plan, state: Array, work: Work, k: int) -> float:
    """A channel in SI units; needs the state placed and moved in `work`."""
    head = plan.head[0]
    kind, index = plan.channels[k].kind, plan.channels[k].index
    value = 0.0
    if kind == ANGLE:
        value = state[head.at_z + index]
    elif kind == RATE:
        value = state[head.at_v + index]
    elif kind == PRESSURE:
        value = state[head.at_p + index]
    elif kind == LENGTH:
        value = work.cylinders[index].length
    elif kind == FORCE:
        value = work.cylinders[index].push
    elif kind == COMMAND:
        value = state[head.at_c + index]
    elif kind == SPOOL:
        value = state[head.at_u + index]
    elif kind == INCLINATION:
        along = rotated(work.bodies[index].turn, plan.channels[k].axis)
        value = _inclination(along, triple(head.gravity))
    elif kind == SPIN:
        along = rotated(work.bodies[index].turn, plan.channels[k].axis)
        value = dot(along, triple(work.bodies[index].twist[3:]))
    return value


@kernel
def read_channels(plan: Plan, state: Array, work: Work, out: Array) -> None:
    """Every channel in SI units; needs the state placed and moved in `work`."""
    for k in range(len(plan.channels)):
        out[k] = read_channel(plan, state, work, k)
