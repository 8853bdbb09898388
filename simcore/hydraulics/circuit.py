"""Flow through the netlist and what it does to the pressures."""

from __future__ import annotations

from math import sqrt

from simcore.jit import kernel
from simcore.model.plan import CORRECTED, DIRECT, Plan
from simcore.work import CONDUCTANCE, Array, Work


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
def node_pressure(plan: Plan, p: Array, node: int) -> float:
    """Pressure of a volume (state) or a source (fixed), Pa."""
    return float(p[node] if node < plan.head[0].volumes else plan.nodes[node].pressure)


@kernel
def series_flow(
    dp: float, coefficient: float, second: float, factor: float, laminar: float, corrected: bool
) -> tuple[float, float]:
    """Flow through a valve edge and a throttle in series with no volume between, and its derivative.

    a = (C/C_t)² shares the drop as a : 1 between throttle and edge. Corrected: the throttle's law at its
    share, times a published factor (Rahikainen 2018, II). Otherwise one orifice of C/√(1 + a), which needs
    no factor because both are turbulent or laminar together (docs/methods/singular-perturbation.md).
    """
    a = (coefficient / second) * (coefficient / second)
    if corrected:
        share = a / (1.0 + a)
        flow, slope = edge_flow(share * dp, second, laminar)
        return factor * flow, factor * share * slope
    return edge_flow(dp, coefficient / sqrt(1.0 + a), laminar)


@kernel
def flows(plan: Plan, p: Array, u: Array, work: Work) -> None:
    """Net inflow of every node and its derivative over the pressures."""
    slopes = work.matrix[CONDUCTANCE]
    slopes[:] = 0.0
    for k in range(len(plan.nodes)):
        work.nodes[k].inflow = 0.0
    for k in range(len(plan.edges)):
        edge = plan.edges[k]
        opening = 1.0
        if edge.valve >= 0:
            opening = edge.sign * u[edge.valve]
            if opening <= 0.0:
                continue
        a, b = edge.a, edge.b
        drop = node_pressure(plan, p, a) - node_pressure(plan, p, b)
        coefficient = edge.coefficient * opening
        if edge.kind == DIRECT:
            flow, slope = edge_flow(drop, coefficient, edge.laminar)
        else:
            corrected = edge.kind == CORRECTED
            flow, slope = series_flow(drop, coefficient, edge.second, edge.factor, edge.laminar, corrected)
        work.nodes[a].inflow -= flow
        work.nodes[b].inflow += flow
        slopes[a, a] -= slope
        slopes[a, b] += slope
        slopes[b, a] += slope
        slopes[b, b] -= slope


@kernel
def fill_volumes(plan: Plan, work: Work) -> None:
    """Compliance V/B_e of every volume and the oil that pistons push into it.

    V/B_e = V_hose (1/B_oil + 1/B_hose) + A l (1/B_oil + 1/B_wall): linear in the stroke.
    """
    for k in range(len(plan.nodes)):
        work.nodes[k].compliance = plan.nodes[k].compliance
    for k in range(len(plan.cylinders)):
        c, here = plan.cylinders[k], work.cylinders[k]
        work.nodes[c.node_a].compliance += c.area_a * here.chamber_a * c.softness
        work.nodes[c.node_b].compliance += c.area_b * here.chamber_b * c.softness
        work.nodes[c.node_a].inflow -= c.area_a * here.speed
        work.nodes[c.node_b].inflow += c.area_b * here.speed


@kernel
def pressure_rate(work: Work, node: int) -> float:
    """dp/dt = (B_e/V)(ΣQ - dV/dt), Pa/s."""
    return float(work.nodes[node].inflow / work.nodes[node].compliance)
