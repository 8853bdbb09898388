"""Computes the energy balance of each element from the ledger of a run (docs/methods/energy-books.md)."""

from __future__ import annotations

from typing import Any

from simcore.energy.ledger import HIGH, LOW, NOW, START, SUM, EnergyLedger
from simcore.model.elements import JointFriction, JointSpring, Machine, Pump, Spring
from simcore.model.netlist import edges, piston_leaks
from simcore.model.plan import PUMP, Plan
from simcore.model.tree import expand
from simcore.model.workspace import Array

Entry = dict[str, Any]
Group = dict[str, Entry]


def energy_balance(machine: Machine, plan: Plan, ledger: EnergyLedger) -> dict[str, Any]:
    """The entry `energy` of a run, J. Summed over all elements: given - stored - lost = left over."""
    elements = {
        "bodies": _bodies(machine, ledger),
        "links": _links(machine, ledger),
        "volumes": _volumes(machine, ledger),
        "sources": _sources(machine, ledger),
        "resistances": _resistances(machine, plan, ledger),
        "pumps": _pumps(machine, plan, ledger),
        "cylinders": _cylinders(machine, ledger),
        "engines": _engines(machine, ledger),
        "soil": _soil(machine, ledger),
    }
    entries = [entry for group in elements.values() for entry in group.values()]
    given, stored, lost = (sum(e.get(key, 0.0) for e in entries) for key in ("given_J", "stored_J", "lost_J"))
    whole = ledger.whole[0]
    work = whole["work"]
    return {
        "drift_max_J": max(abs(float(whole["drift"][LOW])), abs(float(whole["drift"][HIGH]))),
        "work_J": float(work[NOW]),
        "work_min_J": float(work[LOW]),
        "work_max_J": float(work[HIGH]),
        "work_max_abs_J": max(abs(float(work[LOW])), abs(float(work[HIGH]))),
        "potential_rise_J": float(whole["potential"][HIGH] - whole["potential"][START]),
        "links_J": float(whole["links"][SUM]),
        "kinetic_J": _course(whole["kinetic"]),
        "potential_J": _course(whole["potential"]),
        "elastic_J": _course(whole["elastic"]),
        "given_J": given,
        "stored_J": stored,
        "lost_J": lost,
        "left_over_J": given - stored - lost,
        "oil_left_over_J": _oil_left_over(ledger),
        "elements": {kind: group for kind, group in elements.items() if group},
    }


def _course(level: Array) -> dict[str, float]:
    return {
        name: float(level[at]) for name, at in (("start", START), ("end", NOW), ("min", LOW), ("max", HIGH))
    }


def _rise(level: Array) -> float:
    return float(level[NOW] - level[START])


def _oil_left_over(ledger: EnergyLedger) -> float:
    """Energy that the netlist leaves unexplained: only rounding, as its powers always add up to zero."""
    flows = ledger.nodes["inflow"], ledger.edges["flow"], ledger.cylinders["oil"]
    return float(sum(flow[:, SUM].sum() for flow in flows))


def _bodies(machine: Machine, ledger: EnergyLedger) -> Group:
    """Entries of the bodies with mass; welded parts belong to their body."""
    found: Group = {}
    for single, entry in zip(expand(machine).singles, ledger.bodies[1:], strict=True):
        if single.mass > 0 or single.inertia.any():
            found[single.owner] = {
                "kinetic_J": _course(entry["kinetic"]),
                "potential_J": _course(entry["potential"]),
                "stored_J": _rise(entry["kinetic"]) + _rise(entry["potential"]),
            }
    return found


def _links(machine: Machine, ledger: EnergyLedger) -> Group:
    found: Group = {}
    owners = [single.owner for single in expand(machine).singles]
    between = iter(ledger.links)
    for link in machine.links:
        if isinstance(link, JointSpring):
            rows = ledger.bodies[1:][[owner == link.body for owner in owners]]
            found[link.name] = {
                "elastic_J": _course(rows["spring"].sum(axis=0)),  # one coordinate, or no stiffness
                "stored_J": _rise(rows["spring"].sum(axis=0)),
                "lost_J": float(rows["damper"][:, SUM].sum()),
            }
            continue
        if isinstance(link, JointFriction):
            rows = ledger.bodies[1:][[owner == link.body for owner in owners]]
            found[link.name] = {"lost_J": float(rows["friction"][:, SUM].sum())}
            continue
        entry = next(between)
        if isinstance(link, Spring):
            found[link.name] = {
                "elastic_J": _course(entry["spring"]),
                "stored_J": _rise(entry["spring"]),
                "lost_J": float(entry["damper"][SUM]),
            }
        else:
            found[link.name] = {"given_J": float(entry["given"][SUM])}
    return found


def _volumes(machine: Machine, ledger: EnergyLedger) -> Group:
    return {
        volume.name: {"stored_J": float(entry["inflow"][SUM])}
        for volume, entry in zip(machine.volumes, ledger.nodes, strict=False)  # the sources follow
    }


def _sources(machine: Machine, ledger: EnergyLedger) -> Group:
    rows = ledger.nodes[len(machine.volumes) :]
    return {
        source.name: {"given_J": -float(entry["inflow"][SUM])}
        for source, entry in zip(machine.sources, rows, strict=True)
    }


def _resistances(machine: Machine, plan: Plan, ledger: EnergyLedger) -> Group:
    """Entries of orifices, valves and leaks; each edge is named after the nodes that it joins."""
    nodes = [*(v.name for v in machine.volumes), *(s.name for s in machine.sources)]
    pumps = {e.name for e in machine.elements if isinstance(e, Pump)}
    found: Group = {}
    tight = piston_leaks(machine)
    for name, edge, entry in zip(edges(machine)[1], plan.edges, ledger.edges, strict=True):
        lost = float(entry["flow"][SUM])
        if name not in pumps and not (name in tight and lost == 0.0):
            element = found.setdefault(name, {"lost_J": 0.0, "edges": {}})
            way = f"{nodes[edge['a']]} to {nodes[edge['b']]}"
            element["edges"][way] = element["edges"].get(way, 0.0) + lost
            element["lost_J"] += lost
    for element in found.values():
        if len(element["edges"]) == 1:
            del element["edges"]
    return found


def _pumps(machine: Machine, plan: Plan, ledger: EnergyLedger) -> Group:
    """Entries of pumps: shaft = oil + friction; the leak is lost from the energy of the oil."""
    found: Group = {}
    names = edges(machine)[1]
    for element in machine.elements:
        if not isinstance(element, Pump):
            continue
        rows = [k for k, name in enumerate(names) if name == element.name]
        ideal, leak = sorted(rows, key=lambda k: plan.edges[k]["kind"] != PUMP)
        shaft, oil = float(ledger.edges[ideal]["shaft"][SUM]), -float(ledger.edges[ideal]["flow"][SUM])
        leaked = float(ledger.edges[leak]["flow"][SUM])
        found[element.name] = {
            "shaft_J": shaft,
            "oil_J": oil,
            "friction_J": shaft - oil,
            "leak_J": leaked,
            "lost_J": shaft - oil + leaked,
        }
        if element.shaft is None:  # turned from outside; otherwise a body gives it
            found[element.name]["given_J"] = shaft
    return found


def _cylinders(machine: Machine, ledger: EnergyLedger) -> Group:
    """Entries of cylinders: oil = rod + stored + lost, within the integration error if energy is stored."""
    found: Group = {}
    for cylinder, entry in zip(machine.cylinders, ledger.cylinders, strict=True):
        seal = float(entry["seal"][SUM]) - _rise(entry["bristle"])
        damper = float(entry["damper"][SUM])
        found[cylinder.name] = {
            "oil_J": float(entry["oil"][SUM]),
            "rod_J": float(entry["rod"][SUM]),
            "seal_J": seal,
            "end_damper_J": damper,
            "stored_J": _rise(entry["bristle"]) + _rise(entry["cushion"]),
            "lost_J": seal + damper,
        }
    return found


def _engines(machine: Machine, ledger: EnergyLedger) -> Group:
    """Energy that engines gave to their shafts, and fuel that they burnt."""
    return {
        engine.name: {"given_J": float(entry["given"][SUM]), "fuel_kg": float(entry["fuel"][SUM])}
        for engine, entry in zip(machine.diesels, ledger.diesels, strict=True)
    }


def _soil(machine: Machine, ledger: EnergyLedger) -> Group:
    """Entries of soil: it enters with its potential energy and leaves with potential and kinetic energy."""
    return {
        edge.name: {
            "dug_kg": float(entry["dug"][SUM]),
            "given_J": float(entry["carried"][SUM]),
            "stored_J": _rise(entry["kinetic"]) + _rise(entry["potential"]),
            "lost_J": float(entry["lost"][SUM]),
        }
        for edge, entry in zip(machine.digging, ledger.soils, strict=True)
    }
