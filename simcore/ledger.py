"""Energy of every hydraulic element of a run: what sources and shafts give, what is stored, lost and worked.

At every instant the powers of the netlist add up to zero, so their sums over time do as well, to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.hydraulics.flow import node_pressure
from simcore.jit import inner, kernel
from simcore.model.elements import Machine
from simcore.model.netlist import edges
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


def balance(machine: Machine, plan: Plan, ledger: Array) -> dict[str, Any]:
    """Energies by element, J, and what the netlist as a whole leaves over."""
    nodes, count = len(plan.nodes), len(plan.edges)
    energy = ledger[SUM]
    found: dict[str, Any] = {}
    for k, volume in enumerate(machine.volumes):
        found[volume.name] = {"stored_J": float(energy[k])}
    for k, source in enumerate(machine.sources, start=len(machine.volumes)):
        found[source.name] = {"given_J": float(-energy[k])}
    for k, name in enumerate(edges(machine)[1]):
        entry = found.setdefault(name, {"lost_J": 0.0})
        shaft = float(energy[nodes + count + k])
        entry["lost_J"] += float(energy[nodes + k]) + shaft
        if plan.edges[k]["kind"] == PUMP:
            entry["shaft_J"] = shaft
    for k, cylinder in enumerate(machine.cylinders):
        oil, rod = (float(energy[nodes + 2 * count + 2 * k + i]) for i in range(2))
        found[cylinder.name] = {"oil_J": oil, "rod_J": rod, "lost_J": oil - rod}
    over = float(energy[: nodes + count].sum() + energy[nodes + 2 * count :: 2].sum())
    return {"elements": found, "left_over_J": over}
