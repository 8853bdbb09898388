"""Channels of a machine from its state."""

from __future__ import annotations

from simcore.jit import inner, kernel
from simcore.model.plan import ANGLE, COMMAND, FORCE, LENGTH, PRESSURE, RATE, SPOOL, Plan
from simcore.work import Array, Work


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
    return value


@kernel
def read_channels(plan: Plan, state: Array, work: Work, out: Array) -> None:
    """Every channel in SI units; needs the state placed and moved in `work`."""
    for k in range(len(plan.channels)):
        out[k] = read_channel(plan, state, work, k)
