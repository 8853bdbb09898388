"""Derivatives the filter needs: of the rates and of the channels over the filter's states.

Filter states: independent positions (rad), independent velocities (rad/s), pressures (MPa).
"""

from __future__ import annotations

from simcore.formulation.partition import settle_motion, settle_position, settle_rates, take_position
from simcore.hydraulics.circuit import flows
from simcore.integrate.linear import copy
from simcore.jit import inner, kernel
from simcore.model.plan import Plan
from simcore.outputs import read_channels
from simcore.work import CONDUCTANCE, FREE, GRADIENT, NUDGED, REDUCE, Array, Work

MPA = 1e6
_NUDGE = 1e-5  # rad, rad/s, MPa


@kernel
def place_of(plan: Plan, s: int) -> int:
    """Where a filter state lives in the state vector."""
    head = plan.head[0]
    if s >= 2 * head.free:
        return int(head.at_p + s - 2 * head.free)
    start = head.at_z if s < head.free else head.at_v
    for j in range(1, len(plan.bodies)):
        if plan.bodies[j].free == s % head.free:
            return int(start + j - 1)
    return -1


@kernel
def unit_of(plan: Plan, s: int) -> float:
    """SI units in one filter unit."""
    return MPA if s >= 2 * plan.head[0].free else 1.0


@inner
def _collect(plan: Plan, state: Array, weight: float, column: int, slope: Array) -> None:
    """Add weighted rates to a column."""
    head = plan.head[0]
    free = head.free
    for f in range(free):
        slope[f, column] += weight * state[place_of(plan, free + f)]
        slope[free + f, column] += weight * state[place_of(plan, free + f) + head.at_a - head.at_v]
    for k in range(head.volumes):
        slope[2 * free + k, column] += weight * state[head.at_dp + k] / MPA


@inner
def _oil_columns(plan: Plan, weight: float, slope: Array, work: Work) -> None:
    """Columns of the pressures: their push on the rods and the flow they drive, in closed form."""
    head = plan.head[0]
    first = 2 * head.free
    for i in range(head.volumes):
        for j in range(head.volumes):
            share = work.matrix[CONDUCTANCE, i, j] / work.nodes[i].compliance
            slope[first + i, first + j] += weight * share
        soft = work.nodes[i]
        stiff = soft.inflow * soft.softening / (soft.compliance * soft.compliance)
        slope[first + i, first + i] -= weight * stiff
    for k in range(head.cylinders):
        c = plan.cylinders[k]
        for f in range(head.free):
            answer = weight * work.matrix[FREE, f, head.free + 1 + k] * work.cylinders[k].gain * MPA
            if c.node_a < head.volumes:
                slope[head.free + f, first + c.node_a] += answer * c.area_a
            if c.node_b < head.volumes:
                slope[head.free + f, first + c.node_b] -= answer * c.area_b


@inner
def _nudge_along(z: Array, free: int, size: float, gradient: Array) -> None:
    """Move an independent joint and the others with it along the tangent of the loops."""
    for j in range(len(z)):
        z[j] += size * gradient[j, free]


@kernel
def rate_slopes(plan: Plan, state: Array, work: Work, slope: Array) -> None:
    """slope = ∂(dx/dt)/∂x of the reduced motion: central differences over positions and velocities.

    Nudged positions stay on the tangent of the loops: what opens them is even in the nudge and cancels, and
    so does the error of the closed-form pressure columns, averaged over both sides. Where pumps load a joint
    the pressure columns are differences too.
    """
    head = plan.head[0]
    n, free = head.coords, head.free
    slope[:] = 0.0
    nudged = work.vector[NUDGED]
    gradient = work.matrix[GRADIENT]
    take_position(plan, state, work)
    for j in range(n):
        for f in range(free):
            gradient[j, f] = work.matrix[REDUCE, j, f]
    # pressures and velocities first: they need the undisturbed position, which is placed now
    oil = head.volumes if head.shafts > 0 else 0
    for i in range(2 * oil + 4 * free):
        column, sign = 2 * free + i // 2, 1.0 - 2.0 * (i % 2)
        if i >= 2 * oil:
            column = (free + i // 2 - oil) % (2 * free)
        copy(state, nudged)
        if column < free:
            _nudge_along(nudged[head.at_z : head.at_z + n], column, sign * _NUDGE, gradient)
            take_position(plan, nudged, work)
        else:
            nudged[place_of(plan, column)] += sign * _NUDGE * unit_of(plan, column)
        settle_motion(plan, nudged, work)
        settle_rates(plan, nudged, work)
        _collect(plan, nudged, sign * 0.5 / _NUDGE, column, slope)
        if column < free and oil == 0:
            _oil_columns(plan, 0.5 / free, slope, work)


@kernel
def blur_slopes(plan: Plan, state: Array, work: Work, valve: int, slope: Array, push: Array) -> None:
    """Slopes when the spool of a valve may be anywhere; push[side] = rates per deviation to that side.

    Flow is linear in the spool on either side of zero. Averaged over all spools each side is open for half
    the time, by half the limit: K = K(0)/2 + (K(limit) + K(-limit))/4, without which pressures behind a
    closed valve would spread without end. To be called after rate_slopes, for the compliance.
    """
    head = plan.head[0]
    first = 2 * head.free
    limit = plan.valves[valve].limit
    held = min(max(state[head.at_c + valve], -limit), limit)
    nudged = work.vector[NUDGED]
    copy(state, nudged)
    for case in range(4):
        # the spool as it is is taken out; then closed, open one way, open the other way
        weight = -1.0 if case == 0 else (0.5 if case == 1 else 0.25)
        sign = 1.0 if case == 2 else (-1.0 if case == 3 else 0.0)
        if case > 0:
            nudged[head.at_u + valve] = sign * limit
        p = nudged[head.at_p : head.at_p + head.volumes]
        v = nudged[head.at_v : head.at_v + head.coords]
        flows(plan, v, p, nudged[head.at_u : head.at_u + head.valves], work)
        for i in range(head.volumes):
            soft = work.nodes[i].compliance
            for j in range(head.volumes):
                slope[first + i, first + j] += weight * work.matrix[CONDUCTANCE, i, j] / soft
            rate = work.nodes[i].inflow / soft / MPA / limit / 3.0**0.5
            for side in range(2):
                # opening this side further or closing it, and closing the other for it
                here, there = max((1.0 - 2.0 * side) * held, 0.0), max((2.0 * side - 1.0) * held, 0.0)
                moved = max(here, limit - here)
                if case == 1:
                    push[side, first + i] = (there - moved) * rate
                elif case > 1:
                    push[side, first + i] += (moved if case == 2 + side else -there) * rate


@kernel
def channel_slopes(plan: Plan, state: Array, work: Work, slope: Array, low: Array, high: Array) -> bool:
    """slope = ∂channel/∂x with the loops closed, by central differences; low and high are scratch."""
    nudged = work.vector[NUDGED]
    for s in range(plan.head[0].states):
        for side in range(2):
            copy(state, nudged)
            nudged[place_of(plan, s)] += (1.0 - 2.0 * side) * _NUDGE * unit_of(plan, s)
            if not settle_position(plan, nudged, work):
                return False
            settle_motion(plan, nudged, work)
            read_channels(plan, nudged, work, high if side == 0 else low)
        for k in range(len(plan.channels)):
            slope[k, s] = (high[k] - low[k]) / (2.0 * _NUDGE)
    return True
