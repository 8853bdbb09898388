"""Computes the values of a machine's channels from its state."""

from __future__ import annotations

from math import atan2

from simcore.algebra.vector3 import Triple, carried, cross, dot, point_velocity, rotated, triple
from simcore.formulation.reactions import across, find_reactions, loop_force
from simcore.hydraulics.flow import node_pressure
from simcore.kernels.jit import inner, kernel, outlined
from simcore.model.plan import (
    ANGLE,
    CARRIED,
    COMMAND,
    DIGGING,
    ENGINE_TORQUE,
    FILL,
    FLOW,
    FORCE,
    FUEL,
    HEIGHT,
    INCLINATION,
    LENGTH,
    LOOP_REACTION,
    OUTFLOW,
    POINT_SPEED,
    PRESSURE,
    PUMP_POWER,
    RATE,
    REACTION,
    ROD_POWER,
    ROD_REACTION,
    SOURCE_POWER,
    SPIN,
    SPOOL,
    Plan,
)
from simcore.model.workspace import Array, Workspace
from simcore.powertrain.diesel import fuel_rate


@inner
def _inclination(along: Triple, gravity: Triple) -> float:
    """Angle of a direction above the horizontal, -π/2 to π/2; asin would lose digits near ±π/2."""
    side = cross(along, gravity)
    return atan2(-dot(along, gravity), dot(side, side) ** 0.5)


@inner
def net_flow(plan: Plan, ws: Workspace, k: int) -> float:
    """Weighted flow of the edges that a channel reads, m³/s."""
    channel, total = plan.channels[k], 0.0
    for i in range(4):
        if channel.weight[i] != 0.0:
            total += channel.weight[i] * ws.edges[channel.index + i].flow
    return total


@inner
def rise(plan: Plan, state: Array, ws: Workspace, edge: int) -> float:
    """Pressure rise across an edge, Pa: outlet minus inlet."""
    p = state[plan.head[0].at_p :]
    return node_pressure(plan, ws, p, plan.edges[edge].b) - node_pressure(plan, ws, p, plan.edges[edge].a)


@inner
def oil_push(plan: Plan, state: Array, ws: Workspace, k: int) -> float:
    """Hydraulic force on a rod, before friction: p_A A_A - p_B A_B, N."""
    p, c = state[plan.head[0].at_p :], plan.cylinders[k]
    return float(
        node_pressure(plan, ws, p, c.node_a) * c.area_a - node_pressure(plan, ws, p, c.node_b) * c.area_b
    )


@inner
def height(point: Triple, gravity: Triple) -> float:
    """Height of a point above the origin of the compiled machine, against gravity, m."""
    return float(-dot(point, gravity) / dot(gravity, gravity) ** 0.5)


@inner
def payload(plan: Plan, state: Array, ws: Workspace, k: int) -> float:
    """Mass that a body carries beyond its own, plus the soil in the buckets, kg."""
    head, channel = plan.head[0], plan.channels[k]
    mass = ws.condition.bodies[channel.index].mass - channel.axis[0]
    for i in range(head.soils):
        mass += plan.soils[i].density * state[head.at_p + head.scalars - head.soils + i]
    return float(mass)


@inner
def engine_torque(plan: Plan, state: Array, k: int) -> float:
    """Torque of an engine on its shaft, N m."""
    head = plan.head[0]
    return float(state[head.at_p + head.volumes + head.inner + k])


@inner
def read_channel(plan: Plan, state: Array, ws: Workspace, k: int) -> float:
    """Value of a channel in SI units; the state must have been placed and moved in `ws`.

    Zero for reactions, which need the forces of all bodies: `read_channels` reads them together.
    """
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
        value = ws.cylinders[index].length
    elif kind == FORCE:
        value = ws.cylinders[index].push
    elif kind == COMMAND:
        value = state[head.at_c + index]
    elif kind == SPOOL:
        value = state[head.at_u + index]
    elif kind == INCLINATION:
        along = rotated(ws.bodies[index].rotation, plan.channels[k].axis)
        value = _inclination(along, triple(head.gravity))
    elif kind == SPIN:
        along = rotated(ws.bodies[index].rotation, plan.channels[k].axis)
        value = dot(along, triple(ws.bodies[index].twist[3:]))
    elif kind == FLOW:
        value = net_flow(plan, ws, k)
    elif kind == OUTFLOW:
        value = -ws.nodes[index].inflow
    elif kind == ROD_POWER:
        value = oil_push(plan, state, ws, index) * ws.cylinders[index].speed
    elif kind == SOURCE_POWER:
        value = -ws.condition.nodes[index].pressure * ws.nodes[index].inflow
    elif kind == PUMP_POWER:
        value = rise(plan, state, ws, index) * net_flow(plan, ws, k)
    elif kind == ENGINE_TORQUE:
        value = engine_torque(plan, state, index)
    elif kind == FUEL:
        speed = state[head.at_v + plan.diesels[index].coord]
        value = fuel_rate(plan.diesels[index], speed, engine_torque(plan, state, index))[0]
    elif kind == FILL:
        value = state[head.at_p + head.scalars - head.soils + index]
    elif kind == DIGGING:
        value = ws.soils[index].force
    elif kind == HEIGHT:
        value = height(carried(ws.bodies[index], plan.channels[k].axis), triple(head.gravity))
        value += plan.channels[k].weight[0]
    elif kind == CARRIED:
        value = payload(plan, state, ws, k)
    elif kind == POINT_SPEED:
        body = ws.bodies[index]
        moving = point_velocity(body, carried(body, plan.channels[k].axis))
        value = dot(moving, moving) ** 0.5
    return value


@outlined
def _read_reactions(plan: Plan, state: Array, ws: Workspace, out: Array) -> None:
    """Fill in the forces in joints, N."""
    find_reactions(plan, state, ws)
    for k in range(len(plan.channels)):
        channel = plan.channels[k]
        index = channel.index
        if channel.kind == REACTION:
            axis = rotated(ws.bodies[index].rotation, channel.axis)
            out[k] = across(triple(ws.bodies[index].wrench[:3]), axis)
        elif channel.kind == LOOP_REACTION:
            axis = rotated(ws.bodies[int(channel.weight[1])].rotation, channel.axis)
            out[k] = across(loop_force(ws, index, int(channel.weight[0]))[0], axis)
        elif channel.kind == ROD_REACTION:
            out[k] = abs(ws.cylinders[index].push)


@kernel
def read_channels(plan: Plan, state: Array, ws: Workspace, out: Array) -> None:
    """Values of all channels in SI units; the state must have been placed and moved in `ws`."""
    for k in range(len(plan.channels)):
        out[k] = read_channel(plan, state, ws, k)
    if plan.head[0].reactions > 0:
        _read_reactions(plan, state, ws, out)
