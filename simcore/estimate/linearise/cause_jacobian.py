"""Computes analytically how wear and drift of pumps, oil, valves, pistons and engines change the rates.

docs/methods/model-causes.md has the equations.
"""

from __future__ import annotations

from simcore.estimate.biases import DEAD_BAND, DELIVERY, GAIN, GOVERNOR, LAG, LEAKAGE, RELIEF, STIFFNESS
from simcore.hydraulics.flow import coefficient_at, demanded, node_pressure, opening_slope, travelled
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import CORRECTED, PUMP, SERIES, Plan, Records
from simcore.model.workspace import MOBILITY, Array, Workspace
from simcore.powertrain.diesel import demand

_MPA, _KNM = 1e6, 1e3  # filter units of pressures and engine torques
_CLOSED = 1e-6  # share of the travel; a spool that settles to zero becomes too small to divide by


@outlined
def cause_columns(plan: Plan, biases: Records, state: Array, ws: Workspace, jacobian: Array) -> None:
    """Fill the columns of these biases in the rows of the rates."""
    head = plan.head[0]
    for i in range(len(biases)):
        bias, column = biases[i], head.states + i
        if bias.kind == STIFFNESS:
            _stiffness_column(plan, bias, state, column, ws, jacobian)
        elif bias.kind == GOVERNOR:
            _governor_column(plan, bias, state, column, ws, jacobian)
        elif bias.kind in (DELIVERY, DEAD_BAND, LEAKAGE, LAG, RELIEF):
            for k in range(len(plan.edges)):
                more = flow_per_bias(plan, bias, k, state, ws) * bias.unit
                if more != 0.0:
                    _add_flow(plan, k, more, column, ws, jacobian)


@inner
def _add_flow(plan: Plan, k: int, more: float, column: int, ws: Workspace, jacobian: Array) -> None:
    """Add the effect of more flow through an edge, m³/s; a pump takes its torque in proportion to it."""
    head, edge, here = plan.head[0], plan.edges[k], ws.edges[k]
    first = 2 * head.free
    if edge.a < head.volumes:
        jacobian[first + edge.a, column] -= more / ws.nodes[edge.a].compliance / _MPA
    if edge.b < head.volumes:
        jacobian[first + edge.b, column] += more / ws.nodes[edge.b].compliance / _MPA
    if edge.kind == PUMP and edge.shaft >= 0 and here.flow != 0.0:
        for f in range(head.free):
            turned = ws.matrix[MOBILITY, f, head.free + edge.shaft]
            jacobian[head.free + f, column] -= turned * here.torque * more / here.flow


@inner
def flow_per_bias(plan: Plan, bias: Records, k: int, state: Array, ws: Workspace) -> float:
    """Change of the flow through an edge, m³/s, per unit of a bias, SI units."""
    edge, here = plan.edges[k], ws.edges[k]
    if bias.kind == GAIN:
        return float(here.flow / ws.condition.valves[edge.valve].gain) if edge.valve == bias.index else 0.0
    if bias.kind == DELIVERY:
        return float(here.flow / ws.condition.edges[k].delivery) if k == bias.index else 0.0
    if bias.kind == LEAKAGE:
        return _drop(plan, edge, state, ws) if k == bias.index else 0.0
    if bias.kind == RELIEF:
        return float(-here.lifted) if k == bias.index else 0.0
    if bias.kind == DEAD_BAND or bias.kind == LAG:
        if edge.kind == PUMP:
            return _stroke_per_lag(plan, k, state, ws) if bias.kind == LAG else 0.0
        if edge.valve >= 0 and here.flow != 0.0:
            return _flow_per_travel(plan, bias, k, state, ws)
    return 0.0


@inner
def _drop(plan: Plan, edge: Records, state: Array, ws: Workspace) -> float:
    """Pressure drop across an edge, Pa."""
    p = state[plan.head[0].at_p : plan.head[0].at_p + plan.head[0].volumes]
    return node_pressure(plan, ws, p, edge.a) - node_pressure(plan, ws, p, edge.b)


@inner
def _flow_per_travel(plan: Plan, bias: Records, k: int, state: Array, ws: Workspace) -> float:
    """Change of the flow through an open valve edge with the dead band or the lag of its spool.

    Opening o = (|u| - b L)/(1 - b): ∂o/∂b = -(L - |u|)/(1 - b)², and ∂o/∂τ = ∂|u|/∂τ /(1 - b).
    The flow is in proportion to the coefficient; with a throttle behind it, by 1/(1 + a) (flow.py).
    """
    head, edge = plan.head[0], plan.edges[k]
    u, dead_band = state[head.at_u : head.at_u + head.valves], ws.condition.whole[0].dead_band
    opening = travelled(plan, edge, u, dead_band)
    slope = opening_slope(edge, opening)
    if slope == 0.0 or opening < _CLOSED * plan.valves[edge.valve].limit:
        return 0.0
    stretch = 1.0 / (1.0 - dead_band)
    moved = edge.sign * state[head.at_s + edge.valve] * stretch if bias.kind == LAG else 0.0
    if bias.kind == DEAD_BAND:
        moved = (edge.sign * u[edge.valve] - plan.valves[edge.valve].limit) * stretch * stretch
    relative = slope * moved / coefficient_at(edge, opening)
    if edge.kind == SERIES or edge.kind == CORRECTED:
        coefficient = coefficient_at(edge, opening) * ws.condition.valves[edge.valve].gain
        relative /= 1.0 + (coefficient / edge.second) * (coefficient / edge.second)
    return float(ws.edges[k].flow * relative)


@inner
def _stroke_per_lag(plan: Plan, k: int, state: Array, ws: Workspace) -> float:
    """Change of a pump's flow per lag of the spools that set its displacement, m³/s².

    With V set and x = V Δp/T_limit the pump displaces V (1 + x⁸)^(-1/8), so ∂ ln V_left/∂ ln V = 1/(1 + x⁸).
    """
    head, edge, here = plan.head[0], plan.edges[k], ws.edges[k]
    u = state[head.at_u : head.at_u + head.valves]
    if edge.follows == 0:
        if edge.valve < 0 or u[edge.valve] <= 0.0:
            return 0.0
        asked, more = u[edge.valve], state[head.at_s + edge.valve]
    else:
        asked, more = demanded(plan, u), 0.0
        if asked >= 1.0:
            return 0.0
        for v in range(head.valves):
            more += plan.valves[v].demand * state[head.at_s + v] * (1.0 if u[v] > 0.0 else -1.0)
    if asked <= 0.0:
        return 0.0
    relative = more / asked
    if edge.setting > 0.0:
        x = edge.coefficient * asked * _drop(plan, edge, state, ws) / edge.setting
        x2 = x * x
        relative /= 1.0 + x2 * x2 * x2 * x2
    return float(here.flow * relative)


@inner
def _stiffness_column(
    plan: Plan, bias: Records, state: Array, column: int, ws: Workspace, jacobian: Array
) -> None:
    """Add the effect of the oil's stiffness s on dp/dt = Q/C: ∂C/∂s = -V β²/β₀.

    β = 1/(s B₀ + B' p): compressibility without air; β₀ = 1/B₀ as described.
    """
    head, stiffness = plan.head[0], ws.condition.whole[0].stiffness
    for k in range(head.volumes):
        node = ws.nodes[k]
        here = 1.0 / (stiffness + head.softness * head.stiffening * state[head.at_p + k])
        softer = node.volume * head.softness * here * here
        rate = node.inflow / (node.compliance * node.compliance) * softer
        jacobian[2 * head.free + k, column] = rate * bias.unit / _MPA


@inner
def _governor_column(
    plan: Plan, bias: Records, state: Array, column: int, ws: Workspace, jacobian: Array
) -> None:
    """Add the effect of the governor's setting on the torque that it requests."""
    head = plan.head[0]
    for k in range(head.diesels):
        diesel = plan.diesels[k]
        speed = state[head.at_v + diesel.coord]
        stiff = demand(diesel, ws.condition.whole[0].governor, speed)[2]
        jacobian[2 * head.free + head.volumes + k, column] = stiff / diesel.tau * bias.unit / _KNM
