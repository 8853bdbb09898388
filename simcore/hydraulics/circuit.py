"""Evaluates the netlist: net inflow of every node, compliance of every volume, torque of every pump."""

from __future__ import annotations

from simcore.hydraulics.flow import (
    demanded,
    lift,
    limited_stroke,
    node_pressure,
    opened,
    pump_torque,
    through,
)
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import LEAK, PILOTED, PUMP, Plan, Records
from simcore.model.workspace import CONDUCTANCE, Array, Workspace


@inner
def flows(plan: Plan, v: Array, p: Array, u: Array, ws: Workspace) -> None:
    """Net inflow of every node and its derivatives with respect to pressures. v: rates of the coordinates."""
    slopes, dead_band = ws.matrix[CONDUCTANCE], ws.condition.whole[0].dead_band
    for k in range(len(plan.nodes)):
        ws.nodes[k].inflow = 0.0
        for j in range(len(plan.nodes)):
            slopes[k, j] = 0.0
    for k in range(len(plan.edges)):
        edge = plan.edges[k]
        coefficient = opened(plan, edge, u, dead_band)
        if edge.valve >= 0:
            coefficient *= ws.condition.valves[edge.valve].gain
        elif edge.kind == LEAK:
            coefficient += ws.condition.edges[k].leakage
        ws.edges[k].flow, ws.edges[k].slope, ws.edges[k].lifted = 0.0, 0.0, 0.0
        if coefficient <= 0.0 and edge.kind != PUMP:
            continue
        a, b = edge.a, edge.b
        drop = node_pressure(plan, ws, p, a) - node_pressure(plan, ws, p, b)
        if edge.kind == PUMP:
            if edge.follows == 1:
                coefficient *= demanded(plan, u)
            flow, slope = _pump(edge, ws.edges[k], v, coefficient, ws.condition.edges[k].delivery, -drop)
        else:
            share, share_p = 1.0, 0.0
            if edge.kind == PILOTED:
                share, share_p = lift(plan, ws, k, p)
                if share <= 0.0:
                    continue
            flow, slope = through(edge, drop, coefficient)
            if share_p > 0.0:
                ws.edges[k].lifted = share_p * flow
                _pilot(edge, share_p * flow, slopes)
            flow, slope = share * flow, share * slope
        ws.edges[k].flow, ws.edges[k].slope = flow, slope
        ws.nodes[a].inflow -= flow
        ws.nodes[b].inflow += flow
        slopes[a, a] -= slope
        slopes[a, b] += slope
        slopes[b, a] += slope
        slopes[b, b] -= slope


@inner
def _pump(
    edge: Records, here: Records, v: Array, stroke: float, delivery: float, rise: float
) -> tuple[float, float]:
    """Ideal flow of a pump and its derivative for the pressure drop; stores the torque in `here`.

    delivery: share of the displacement that its regulator has set which the pump really displaces.
    """
    speed = v[edge.shaft] if edge.shaft >= 0 else edge.speed
    stroke_p = 0.0
    if edge.setting > 0.0:
        stroke, stroke_p = limited_stroke(stroke, rise, edge.setting)
    stroke *= delivery
    stroke_p *= delivery
    here.stroke = stroke
    here.torque, here.torque_p, here.torque_v = pump_torque(stroke, rise, edge.drag, speed)
    if stroke_p != 0.0:
        here.torque_p *= 1.0 + stroke_p * rise / stroke
    return float(stroke * speed), float(-stroke_p * speed)


@inner
def _pilot(edge: Records, flow_per_lift: float, slopes: Array) -> None:
    """Add the effect of pilot pressures on the flow of the edge that they open."""
    for i in range(3):
        node = edge.pilot[i]
        if node >= 0:
            slopes[edge.a, node] -= edge.weight[i] * flow_per_lift
            slopes[edge.b, node] += edge.weight[i] * flow_per_lift


@inner
def fill_volumes(plan: Plan, p: Array, ws: Workspace) -> None:
    """Compliance V/B_e of every volume and the flow that pistons displace into it.

    V/B_e = V_hose (1/B_oil + 1/B_hose) + A l (1/B_oil + 1/B_wall): linear in the stroke.
    """
    for k in range(len(plan.nodes)):
        ws.nodes[k].compliance, ws.nodes[k].volume = plan.nodes[k].compliance, plan.nodes[k].volume
        ws.nodes[k].softening = 0.0
    for k in range(len(plan.cylinders)):
        c, here = plan.cylinders[k], ws.cylinders[k]
        a, b = ws.nodes[c.node_a], ws.nodes[c.node_b]
        a.volume += c.area_a * here.chamber_a
        b.volume += c.area_b * here.chamber_b
        a.compliance += c.area_a * here.chamber_a * c.softness
        b.compliance += c.area_b * here.chamber_b * c.softness
        a.inflow -= c.area_a * here.speed
        b.inflow += c.area_b * here.speed
    if plan.head[0].thin == 1 or ws.condition.whole[0].stiffness != 1.0:
        _thin_oil(plan, p, ws)


@inner
def refill(plan: Plan, p: Array, ws: Workspace) -> None:
    """Update inflow and compliance after only pistons have moved; flows through edges do not change."""
    for k in range(len(plan.nodes)):
        ws.nodes[k].inflow = 0.0
    for k in range(len(plan.edges)):
        flow = ws.edges[k].flow
        ws.nodes[plan.edges[k].a].inflow -= flow
        ws.nodes[plan.edges[k].b].inflow += flow
    fill_volumes(plan, p, ws)


@kernel
def oil_softness(plan: Plan, stiffness: float, p: float) -> tuple[float, float]:
    """The oil's compressibility less the described one at zero pressure, 1/Pa, and its derivative.

    stiffness: B_0 over the described one. B = B_0 + B' p reduces the compressibility at high pressure. Free
    air, polytropic between its reference pressure and vapour pressure, raises it without limit as the
    pressure falls to vapour pressure.
    """
    head = plan.head[0]
    softness = head.softness if stiffness == 1.0 else head.softness / stiffness
    inverse = softness / (1.0 + softness * head.stiffening * p)  # 1/B; divisions take longest here
    soft = inverse - head.softness
    slope = -head.stiffening * inverse * inverse
    if head.air > 0.0:
        per_above = 1.0 / (p - head.vapour)
        power = 1.0 / head.air_exponent
        ratio = head.air_pressure * per_above
        # isothermal air needs no power, which takes longer than all the rest
        air = head.air * power * (ratio if power == 1.0 else ratio**power) * per_above
        soft += air
        slope -= (1.0 + power) * air * per_above
    return soft, slope


@inner
def _thin_oil(plan: Plan, p: Array, ws: Workspace) -> None:
    """Correct the compliance of every volume for the effect of pressure."""
    for k in range(plan.head[0].volumes):
        soft, slope = oil_softness(plan, ws.condition.whole[0].stiffness, p[k])
        ws.nodes[k].compliance += ws.nodes[k].volume * soft
        ws.nodes[k].softening = ws.nodes[k].volume * slope


@inner
def pressure_rate(ws: Workspace, node: int) -> float:
    """dp/dt = (B_e/V)(ΣQ - dV/dt), Pa/s."""
    return float(ws.nodes[node].inflow / ws.nodes[node].compliance)


@inner
def load_shafts(plan: Plan, ws: Workspace, force: Array, weight: float) -> None:
    """force += weight × (torques that pumps take from their shafts minus torques of engines), N m."""
    for k in range(len(plan.diesels)):
        force[plan.diesels[k].coord] -= weight * ws.diesels[k].torque
    if plan.head[0].shafts > 0:
        for k in range(len(plan.edges)):
            if plan.edges[k].kind == PUMP and plan.edges[k].shaft >= 0:
                force[plan.edges[k].shaft] += weight * ws.edges[k].torque
