"""Computes analytical derivatives of rates and channels with respect to engine torques."""

from __future__ import annotations

from simcore.kernels.jit import inner, outlined
from simcore.model.plan import ENGINE_TORQUE, FUEL, Plan
from simcore.model.workspace import MOBILITY, REDUCTION, Array, Workspace
from simcore.powertrain.diesel import fuel_rate
from simcore.run.outputs import engine_torque

KNM = 1e3  # N m in one filter unit


@outlined
def engine_columns(plan: Plan, jacobian: Array, ws: Workspace) -> None:
    """Fill the columns of engine torques: they accelerate shafts, and the governor reacts to their speed."""
    head = plan.head[0]
    free, first = head.free, 2 * head.free + head.volumes
    for k in range(head.diesels):
        shaft, at = plan.diesels[k].coord, first + k
        jacobian[at, at] = -1.0 / plan.diesels[k].tau
        for f in range(free):
            jacobian[free + f, at] = ws.matrix[MOBILITY, f, free + shaft] * KNM
            jacobian[at, free + f] = ws.diesels[k].rate_v / KNM * ws.matrix[REDUCTION, shaft, f]


@inner
def engine_row(plan: Plan, state: Array, k: int, row: Array) -> None:
    """Derivative of an engine's torque or fuel with respect to torque; that for speed comes from a nudge."""
    head, channel = plan.head[0], plan.channels[k]
    at = 2 * head.free + head.volumes + channel.index
    if channel.kind == ENGINE_TORQUE:
        row[at] = KNM
    elif channel.kind == FUEL:
        diesel = plan.diesels[channel.index]
        speed, torque = state[head.at_v + diesel.coord], engine_torque(plan, state, channel.index)
        row[at] = fuel_rate(diesel, speed, torque)[2] * KNM
