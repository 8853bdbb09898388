"""Channels of a machine from its state."""

from __future__ import annotations

from simcore.jit import kernel
from simcore.model.plan import ANGLE, COMMAND, FORCE, LENGTH, PRESSURE, RATE, SPOOL, Plan
from simcore.work import Array, Work


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
