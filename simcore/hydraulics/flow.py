"""Computes the flow through one element and the opening of its valve (docs/methods/hydraulics.md)."""

from __future__ import annotations

from math import sqrt, tanh

from simcore.kernels.jit import inner, kernel
from simcore.model.plan import CORRECTED, LEAK, PUMP, SERIES, Plan, Records
from simcore.model.workspace import Array, Workspace

_FADE_SPEED = 1.0  # rad/s; below it the dry torque of a pump fades


@kernel
def edge_flow(dp: float, coefficient: float, laminar: float) -> tuple[float, float]:
    """Flow, m³/s, for a pressure drop, Pa, and its derivative: C sgn(Δp) √|Δp|, linear below `laminar`."""
    size = abs(dp)
    if size < laminar:
        slope = coefficient / sqrt(laminar)
        return slope * dp, slope
    root = sqrt(size)
    return (coefficient * root if dp > 0.0 else -coefficient * root), 0.5 * coefficient / root


@kernel
def smooth_flow(dp: float, coefficient: float, laminar: float) -> tuple[float, float]:
    """Flow without a kink: C Δp / (Δp² + Δp_l²)^¼, laminar near zero and a square root at large Δp."""
    square = dp * dp + laminar * laminar
    root = sqrt(sqrt(square))
    return coefficient * dp / root, coefficient / root * (1.0 - 0.5 * dp * dp / square)


@inner
def series_flow(
    dp: float, coefficient: float, second: float, factor: float, laminar: float, corrected: bool
) -> tuple[float, float]:
    """Flow through a valve edge and a throttle in series without a volume between, and its derivative.

    a = (C/C_t)² divides the drop as a : 1 between throttle and edge. Corrected: flow of the throttle at its
    share of the drop, times a published factor (Rahikainen 2018, II). Otherwise: one orifice of C/√(1 + a),
    which needs no factor (docs/methods/singular-perturbation.md).
    """
    a = (coefficient / second) * (coefficient / second)
    if corrected:
        share = a / (1.0 + a)
        flow, slope = edge_flow(share * dp, second, laminar)
        return factor * flow, factor * share * slope
    return edge_flow(dp, coefficient / sqrt(1.0 + a), laminar)


@inner
def through(edge: Records, drop: float, coefficient: float) -> tuple[float, float]:
    """Flow of a passive edge with its present coefficient, and its derivative with respect to the drop."""
    if edge.kind == LEAK:
        return coefficient * drop, coefficient
    if edge.kind == SERIES or edge.kind == CORRECTED:
        corrected = edge.kind == CORRECTED
        return series_flow(drop, coefficient, edge.second, edge.factor, edge.laminar, corrected)
    if edge.smooth == 1:
        return smooth_flow(drop, coefficient, edge.laminar)
    return edge_flow(drop, coefficient, edge.laminar)


@inner
def travelled(plan: Plan, edge: Records, u: Array, dead_band: float) -> float:
    """Opening of a valve edge, V: the spool's travel behind its dead band, stretched to the full opening."""
    opening: float = edge.sign * u[edge.valve]
    if dead_band > 0.0 and edge.kind != PUMP:
        opening = (opening - dead_band * plan.valves[edge.valve].limit) / (1.0 - dead_band)
    return opening


@inner
def coefficient_at(edge: Records, opening: float) -> float:
    """Coefficient of a valve edge at an opening, V; curves are linear between (0, 0) and their points."""
    if opening <= 0.0:
        return 0.0
    if edge.points == 0:
        return float(edge.coefficient * opening)
    before, low = 0.0, 0.0
    for i in range(edge.points):
        at, value = edge.at[i], edge.value[i]
        if opening <= at:
            return float(low + (value - low) * (opening - before) / (at - before))
        before, low = at, value
    return low


@kernel
def opened(plan: Plan, edge: Records, u: Array, dead_band: float) -> float:
    """Coefficient of an edge at the present spools.

    dead_band: of all valves beyond their curves, share of the full travel.
    """
    if edge.valve < 0:
        return float(edge.coefficient)
    return coefficient_at(edge, travelled(plan, edge, u, dead_band))


@inner
def opening_slope(edge: Records, opening: float) -> float:
    """Change of an edge's coefficient per volt of its opening."""
    if opening <= 0.0:
        return 0.0
    if edge.points == 0:
        return float(edge.coefficient)
    before, low = 0.0, 0.0
    for i in range(edge.points):
        if opening <= edge.at[i]:
            return float((edge.value[i] - low) / (edge.at[i] - before))
        before, low = edge.at[i], edge.value[i]
    return 0.0


@inner
def node_pressure(plan: Plan, ws: Workspace, p: Array, node: int) -> float:
    """Present pressure of a node, Pa: of a volume (a state) or of a source."""
    return float(p[node] if node < plan.head[0].volumes else ws.condition.nodes[node].pressure)


@inner
def lift(plan: Plan, ws: Workspace, k: int, p: Array) -> tuple[float, float]:
    """Opening of a pressure-controlled valve, 0 to 1, and its derivative, 1/Pa: 3x² - 2x³ over its span."""
    edge = plan.edges[k]
    push = -(edge.setting + ws.condition.edges[k].setting)
    for i in range(3):
        if edge.pilot[i] >= 0:
            push += edge.weight[i] * node_pressure(plan, ws, p, edge.pilot[i])
    if push <= 0.0:
        return 0.0, 0.0
    if push >= edge.span:
        return 1.0, 0.0
    x = push / edge.span
    return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x) / edge.span


@kernel
def demanded(plan: Plan, u: Array) -> float:
    """Share of its displacement that the spools request from a pump."""
    total = 0.0
    for k in range(len(plan.valves)):
        total += plan.valves[k].demand * abs(u[k])
    return min(total, 1.0)


@kernel
def limited_stroke(stroke: float, rise: float, limit: float) -> tuple[float, float]:
    """Displacement under a torque limit, m³/rad, and its derivative with respect to the pressure rise.

    V (1 + x⁸)^(-1/8) with x = V Δp / T_limit: full displacement below the limit, T_limit / Δp beyond it. Even
    in x, so that the limit also applies to a pump that is driven by pressure.
    """
    x = stroke * rise / limit
    x2 = x * x
    x8 = x2 * x2 * x2 * x2
    left = stroke / sqrt(sqrt(sqrt(1.0 + x8)))
    if x == 0.0:
        return left, 0.0
    return left, -left * x8 / (1.0 + x8) / rise


@kernel
def pump_torque(stroke: float, rise: float, drag: float, speed: float) -> tuple[float, float, float]:
    """Torque that a pump takes from its shaft, N m, and its derivatives for pressure rise and speed.

    Ideal torque plus a loss that opposes the rotation at any pressure, so the loss never creates energy.
    """
    side = tanh(speed / _FADE_SPEED)
    sign = 1.0 if rise > 0.0 else -1.0
    lost = drag * abs(stroke)
    torque = stroke * rise + lost * abs(rise) * side
    return torque, stroke + lost * sign * side, lost * abs(rise) * (1.0 - side * side) / _FADE_SPEED
