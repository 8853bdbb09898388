"""Converts the oil circuit of a machine to a netlist of nodes joined by edges, with indices for names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from simcore.model import plan as p
from simcore.model.elements import (
    Compensator,
    CounterbalanceValve,
    Curve,
    DirectionalValve,
    Element,
    Leakage,
    Machine,
    Orifice,
    Pump,
    ReliefValve,
    Throttled,
    TwoWayValve,
)
from simcore.model.geometry import coordinates

_CHECK_SPAN = 2e5  # Pa until a load check is fully open
_DEFAULTS: dict[str, Any] = {"valve": p.FIXED, "pilot": (p.FIXED,) * 3, "shaft": p.FIXED, "laminar": 1.0}


@dataclass(frozen=True, slots=True)
class Spool:
    """An element that follows a command with a lag: a valve, or the displacement of a pump."""

    name: str
    time_constant: float  # s
    low: float
    limit: float
    demand: float = 0.0  # share of the pumps' displacement at its limit


def spools(machine: Machine) -> list[Spool]:
    """All elements with a command, in the order of the state."""
    asked = {d.valve: float(d.share) for e in machine.elements if isinstance(e, Pump) for d in e.demands}
    found = [
        Spool(v.name, float(v.time_constant), -limit, limit, asked.get(v.name, 0.0))
        for v in machine.valves
        if (limit := float(v.command_limit))
    ]
    for e in machine.elements:
        if isinstance(e, TwoWayValve):
            found.append(Spool(e.name, float(e.time_constant), 0.0, float(e.command_limit)))
        elif isinstance(e, Pump) and e.control is not None:
            found.append(Spool(e.name, float(e.control.time_constant), 0.0, 1.0))
    return found


def ports(element: Element) -> tuple[str, ...]:
    """Nodes between which oil flows in an element."""
    if isinstance(element, CounterbalanceValve):
        return element.load, element.outlet
    if isinstance(element, Pump):
        return element.inlet, element.outlet
    return element.a, element.b


def pilots(element: Element) -> tuple[str, ...]:
    """Nodes that only pilot an element, without flow."""
    if isinstance(element, CounterbalanceValve):
        return (element.pilot,)
    if isinstance(element, Compensator):
        return element.high, element.low
    return ()


def node_index(machine: Machine, name: str) -> int:
    return [*(v.name for v in machine.volumes), *(s.name for s in machine.sources)].index(name)


def edges(machine: Machine) -> tuple[p.Records, list[str]]:
    """All edges, and the name of the element to which each belongs."""
    entries: list[tuple[str, dict[str, Any]]] = []
    for o in machine.orifices:
        laminar, smooth = float(o.laminar_below), o.smooth
        orifice = {"coefficient": _throttle(machine, o), "laminar": laminar, "smooth": smooth}
        entries.append((o.name, _between(machine, o.a, o.b) | orifice))
    for v in machine.valves:
        entries += [(v.name, edge) for edge in _directional(machine, v)]
    for e in machine.elements:
        entries += [(e.name, edge) for edge in _element(machine, e)]
    entries += _pistons(machine)
    records = np.zeros(len(entries), dtype=p.EDGE)
    for record, (_, fields) in zip(records, entries, strict=True):
        for field, value in (_DEFAULTS | fields).items():
            record[field] = value
    return records, [name for name, _ in entries]


def piston_leaks(machine: Machine) -> dict[str, str]:
    """Names of the leaks across pistons that a twin estimates, with the cylinder of each.

    Cylinders side by side on the same hoses share one leak.
    """
    error, found = machine.model_error, {}
    for name in error.leakage_on if error.leakage is not None else ():
        found[f"{name} piston leakage"] = name
    return found


def _pistons(machine: Machine) -> list[tuple[str, dict[str, Any]]]:
    """Leaks across pistons, tight as described; they follow all other edges, whose numbers stay."""
    chambers = {c.name: (c.chamber_a, c.chamber_b) for c in machine.cylinders}
    return [
        (leak, _between(machine, *chambers[name]) | {"kind": p.LEAK, "coefficient": 0.0})
        for leak, name in piston_leaks(machine).items()
    ]


def _between(machine: Machine, a: str, b: str) -> dict[str, Any]:
    return {"a": node_index(machine, a), "b": node_index(machine, b)}


def _spool_index(machine: Machine, name: str) -> int:
    return [s.name for s in spools(machine)].index(name)


def _throttle(machine: Machine, o: Orifice | Throttled) -> float:
    """C_d A √(2/ρ), m³/(s √Pa)."""
    return float(o.discharge) * float(o.area) * math.sqrt(2 / float(machine.fluid.density))


def _directional(machine: Machine, v: DirectionalValve) -> list[dict[str, Any]]:
    """Edges of a directional valve: supply-A and B-tank (positive spool), supply-B and A-tank (negative)."""
    found = []
    pairs = (
        (v.supply, v.port_a, 1),
        (v.port_b, v.tank, 1),
        (v.supply, v.port_b, -1),
        (v.port_a, v.tank, -1),
    )
    for k, (start, end, sign) in enumerate(pairs):
        port = v.throttled_a if v.port_a in (start, end) else None
        found.append(
            _between(machine, start, end)
            | {"valve": _spool_index(machine, v.name), "sign": sign, "coefficient": float(v.coefficient)}
            | {"laminar": float(v.laminar_below), "smooth": v.smooth}
            | _in_series(machine, port, sign)
            | (_curve(v.curves[k]) if v.curves is not None else {})
            | _guarded(machine, v, k)
        )
    return found


def _guarded(machine: Machine, v: DirectionalValve, k: int) -> dict[str, Any]:
    """Pressure condition under which an edge of a directional valve opens."""
    if k % 2 == 0:
        port = v.port_a if k == 0 else v.port_b
        return _lifted(machine, {v.supply: 1.0, port: -1.0}, 0.0, _CHECK_SPAN) if v.check_supply else {}
    hold, port, other = (v.hold_b, v.port_b, v.port_a) if k == 1 else (v.hold_a, v.port_a, v.port_b)
    if hold is None:
        return {}
    sensed = {port: 1.0, other: float(hold.ratio), v.tank: -1.0}
    return _lifted(machine, sensed, float(hold.setting), float(hold.span))


def _in_series(machine: Machine, port: Throttled | None, sign: int) -> dict[str, Any]:
    """The throttle behind a valve edge and the correction of its flow."""
    if port is None:
        return {"kind": p.DIRECT}
    if port.factors is None:
        return {"kind": p.SERIES, "second": _throttle(machine, port), "factor": 1.0}
    factor = float(port.factors[0 if sign > 0 else 1])
    return {"kind": p.CORRECTED, "second": _throttle(machine, port), "factor": factor}


def _curve(curve: Curve) -> dict[str, Any]:
    count = len(curve.openings)
    rest = (0.0,) * (p.KNOTS - count)
    return {"points": count, "at": curve.openings + rest, "value": curve.coefficients + rest}


def _element(machine: Machine, e: Element) -> list[dict[str, Any]]:
    if isinstance(e, Pump):
        return _pump(machine, e)
    if isinstance(e, Leakage):
        return [_between(machine, e.a, e.b) | {"kind": p.LEAK, "coefficient": float(e.conductance)}]
    flow = {"coefficient": float(e.coefficient), "laminar": float(e.laminar_below), "smooth": 1}
    if isinstance(e, TwoWayValve):
        valve = {"valve": _spool_index(machine, e.name), "sign": 1}
        return [_between(machine, e.a, e.b) | flow | valve]
    if isinstance(e, CounterbalanceValve):
        held = {e.load: 1.0, e.pilot: float(e.ratio), e.outlet: -1.0}
        check = {e.outlet: 1.0, e.load: -1.0}
        span = float(e.span)
        return [
            _between(machine, e.load, e.outlet) | flow | _lifted(machine, held, float(e.setting), span),
            _between(machine, e.outlet, e.load)
            | flow
            | _lifted(machine, check, float(e.check_cracking), span),
        ]
    if isinstance(e, Compensator):
        # open while setting + span - (p_high - p_low) is above zero, fully below the setting
        sensed = {e.high: -1.0, e.low: 1.0}
        setting = -(float(e.setting) + float(e.span))
    else:
        sensed = {e.a: 1.0, e.b: -1.0}
        setting = float(e.setting if isinstance(e, ReliefValve) else e.cracking)
    return [_between(machine, e.a, e.b) | flow | _lifted(machine, sensed, setting, float(e.span))]


def _lifted(machine: Machine, sensed: dict[str, float], setting: float, span: float) -> dict[str, Any]:
    nodes = [node_index(machine, name) for name in sensed]
    rest = 3 - len(nodes)
    return {
        "kind": p.PILOTED,
        "pilot": (*nodes, *(p.FIXED,) * rest),
        "weight": (*sensed.values(), *(0.0,) * rest),
        "setting": setting,
        "span": span,
    }


def _pump(machine: Machine, e: Pump) -> list[dict[str, Any]]:
    """The ideal pump with its torque loss, and the leak from its outlet back to its inlet."""
    displacement = float(e.displacement)
    lost = (1 - float(e.volumetric_efficiency)) * displacement * float(e.rated_speed)
    ideal = {
        "kind": p.PUMP,
        "coefficient": displacement,
        "drag": 1 / float(e.mechanical_efficiency) - 1,
        "speed": 0.0 if e.speed is None else float(e.speed),
        "follows": bool(e.demands),
    }
    if e.shaft is not None:
        ideal["shaft"] = coordinates(machine)[e.shaft].start
    if e.power_limit is not None:
        ideal["setting"] = float(e.power_limit) / float(e.rated_speed)
    if e.control is not None:
        ideal |= {"valve": _spool_index(machine, e.name), "sign": 1}
    leak = {"kind": p.LEAK, "coefficient": lost / float(e.rated_pressure)}
    return [_between(machine, e.inlet, e.outlet) | ideal, _between(machine, e.outlet, e.inlet) | leak]
