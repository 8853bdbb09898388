"""Computes analytical derivatives of channels with respect to pressures, velocities and biases.

Derivatives with respect to positions are in jacobian.py.
"""

from __future__ import annotations

from simcore.estimate.biases import PAYLOAD, SUPPLY
from simcore.estimate.linearise.cause_jacobian import flow_per_bias
from simcore.estimate.linearise.engine_jacobian import engine_row
from simcore.kernels.jit import inner
from simcore.model.plan import (
    CARRIED,
    ENGINE_TORQUE,
    FLOW,
    FUEL,
    OUTFLOW,
    PRESSURE,
    PUMP,
    PUMP_POWER,
    ROD_POWER,
    SOURCE_POWER,
    Plan,
    Records,
)
from simcore.model.plan import FORCE as PUSHES
from simcore.model.workspace import LEVERS, MOBILITY, REDUCTION, Array, Workspace
from simcore.run.outputs import net_flow, oil_push, rise

MPA = 1e6


@inner
def levers(plan: Plan, ws: Workspace, gradient: Array, lever: Array) -> None:
    """Accelerations caused by a unit force along a gradient, and the speed of its point per free velocity."""
    free = plan.head[0].free
    for f in range(free):
        lever[0, f], lever[1, f] = 0.0, 0.0
        for j in range(plan.head[0].coords):
            lever[0, f] += ws.matrix[MOBILITY, f, free + j] * gradient[j]
            lever[1, f] += ws.matrix[REDUCTION, j, f] * gradient[j]


@inner
def channel_columns(plan: Plan, biases: Records, state: Array, ws: Workspace, jacobian: Array) -> None:
    """Fill the rows of the channels, except for positions and what needs a velocity nudge."""
    n = plan.head[0].states
    for k in range(len(plan.channels)):
        kind, index = plan.channels[k].kind, plan.channels[k].index
        if kind == PRESSURE:
            _per_pressure(plan, biases, index, 1.0, jacobian[n + k])
        elif kind in (PUSHES, ROD_POWER):
            _rod_row(plan, biases, state, k, ws, jacobian[n + k])
        elif kind in (FLOW, PUMP_POWER):
            _edge_row(plan, biases, state, k, ws, jacobian[n + k])
        elif kind in (OUTFLOW, SOURCE_POWER):
            _source_row(plan, biases, state, k, ws, jacobian[n + k])
        elif kind in (ENGINE_TORQUE, FUEL):
            engine_row(plan, state, k, jacobian[n + k])
        elif kind == CARRIED:
            _payload_row(plan, biases, jacobian[n + k])


@inner
def _per_pressure(plan: Plan, biases: Records, node: int, per_pascal: float, row: Array) -> None:
    """Add the dependence of a channel on the pressure of a volume, or of a source that may be biased."""
    head = plan.head[0]
    if node < head.volumes:
        row[2 * head.free + node] += per_pascal * MPA
    else:
        for i in range(len(biases)):
            if biases[i].kind == SUPPLY and biases[i].index == node:
                row[head.states + i] += per_pascal * biases[i].unit


@inner
def _rod_row(plan: Plan, biases: Records, state: Array, k: int, ws: Workspace, row: Array) -> None:
    """Row of a rod's force F = F_oil - friction, or of the power F_oil ṡ that oil gives to it."""
    head, index, power = plan.head[0], plan.channels[k].index, plan.channels[k].kind == ROD_POWER
    c, here, lever = plan.cylinders[index], ws.cylinders[index], ws.matrix[LEVERS]
    levers(plan, ws, ws.jac[head.rows + index], lever)
    per_speed = oil_push(plan, state, ws, index) if power else -here.damping
    per_force = here.speed if power else here.gain
    for f in range(head.free):
        row[head.free + f] = per_speed * lever[1, f]
    _per_pressure(plan, biases, c.node_a, per_force * c.area_a, row)
    _per_pressure(plan, biases, c.node_b, -per_force * c.area_b, row)


@inner
def _per_flow(
    plan: Plan, biases: Records, state: Array, edge: int, weight: float, ws: Workspace, row: Array
) -> None:
    """Add the dependence of a channel on the flow of an edge: on its pressures, pilots, shaft and biases."""
    head, e, here = plan.head[0], plan.edges[edge], ws.edges[edge]
    _per_pressure(plan, biases, e.a, weight * here.slope, row)
    _per_pressure(plan, biases, e.b, -weight * here.slope, row)
    if here.lifted != 0.0:
        for i in range(3):
            if e.pilot[i] >= 0:
                _per_pressure(plan, biases, e.pilot[i], weight * e.weight[i] * here.lifted, row)
    if e.kind == PUMP and e.shaft >= 0:
        for f in range(head.free):
            row[head.free + f] += weight * here.stroke * ws.matrix[REDUCTION, e.shaft, f]
    for i in range(len(biases)):
        row[head.states + i] += weight * flow_per_bias(plan, biases[i], edge, state, ws) * biases[i].unit


@inner
def _edge_row(plan: Plan, biases: Records, state: Array, k: int, ws: Workspace, row: Array) -> None:
    """Row of the net flow of an element, or of the power (p_b - p_a) Q that a pump gives to the oil."""
    channel, factor = plan.channels[k], 1.0
    if channel.kind == PUMP_POWER:
        flow, factor = net_flow(plan, ws, k), rise(plan, state, ws, channel.index)
        _per_pressure(plan, biases, plan.edges[channel.index].b, flow, row)
        _per_pressure(plan, biases, plan.edges[channel.index].a, -flow, row)
    for i in range(4):
        if channel.weight[i] != 0.0:
            _per_flow(plan, biases, state, channel.index + i, factor * channel.weight[i], ws, row)


@inner
def _source_row(plan: Plan, biases: Records, state: Array, k: int, ws: Workspace, row: Array) -> None:
    """Row of the flow out of a source, or of its power p Q."""
    node, factor = plan.channels[k].index, 1.0
    if plan.channels[k].kind == SOURCE_POWER:
        factor = ws.condition.nodes[node].pressure
        _per_pressure(plan, biases, node, -ws.nodes[node].inflow, row)
    for i in range(len(plan.edges)):
        if plan.edges[i].a == node:
            _per_flow(plan, biases, state, i, factor, ws, row)
        elif plan.edges[i].b == node:
            _per_flow(plan, biases, state, i, -factor, ws, row)


@inner
def _payload_row(plan: Plan, biases: Records, row: Array) -> None:
    """Row of the payload, which is a bias."""
    for i in range(len(biases)):
        if biases[i].kind == PAYLOAD:
            row[plan.head[0].states + i] = biases[i].unit
