"""Energy of every hydraulic element of a run: what sources and shafts give, what is stored, lost and worked.

At every instant the powers of the netlist add up to zero, so their sums over time do as well, to rounding.
"""

from __future__ import annotations

import numpy as np

from simcore.hydraulics.flow import node_pressure
from simcore.jit import inner, kernel
from simcore.model.plan import PUMP, Plan
from simcore.work import Array, Work

NOW, SUM = 0, 1  # rows of the ledger: power at the last entry, W; energy since the start, J


def make_ledger(plan: Plan) -> Array:
    """Columns: flow power of nodes, of edges, shaft power of edges, oil and rod power of cylinders."""
    return np.zeros((2, len(plan.nodes) + 2 * len(plan.edges) + 2 * len(plan.cylinders)))


@kernel
def enter_powers(plan: Plan, state: Array, work: Work, dt: float, right: bool, ledger: Array) -> None:
    """Add one step by the trapezoidal rule or right rectangles; dt = 0 begins. Needs the state evaluated."""
    head = plan.head[0]
    p = state[head.at_p : head.at_p + head.scalars]
    nodes, count = len(plan.nodes), len(plan.edges)
    for k in range(nodes):
        _enter(ledger, k, node_pressure(plan, p, k) * work.nodes[k].inflow, dt, right)
    for k in range(count):
        edge, here = plan.edges[k], work.edges[k]
        drop = node_pressure(plan, p, edge.a) - node_pressure(plan, p, edge.b)
        _enter(ledger, nodes + k, here.flow * drop, dt, right)
        shaft = 0.0
        if edge.kind == PUMP:
            speed = state[head.at_v + edge.shaft] if edge.shaft >= 0 else edge.speed
            shaft = here.torque * speed
        _enter(ledger, nodes + count + k, shaft, dt, right)
    for k in range(head.cylinders):
        c, here = plan.cylinders[k], work.cylinders[k]
        force = node_pressure(plan, p, c.node_a) * c.area_a - node_pressure(plan, p, c.node_b) * c.area_b
        _enter(ledger, nodes + 2 * count + 2 * k, force * here.speed, dt, right)
        _enter(ledger, nodes + 2 * count + 2 * k + 1, here.push * here.speed, dt, right)


@inner
def _enter(ledger: Array, at: int, power: float, dt: float, right: bool) -> None:
    ledger[SUM, at] += dt * (power if right else 0.5 * (power + ledger[NOW, at]))
    ledger[NOW, at] = power
