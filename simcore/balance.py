"""What the ledger of a run says of each hydraulic element by name."""

from __future__ import annotations

from typing import Any

from simcore.ledger import SUM
from simcore.model.elements import Machine
from simcore.model.netlist import edges
from simcore.model.plan import PUMP, Plan
from simcore.work import Array


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
