"""compile(machine) -> Plan: names become indices, redundant loop rows fall out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simcore.errors import BadMachine
from simcore.model import plan as p
from simcore.model.checks import check
from simcore.model.elements import GROUND, Body, CutRevolute, Cylinder, Machine
from simcore.model.geometry import Array, gaps, plane, start_angles

_CONSTANT = 1e-9  # a loop row that varies less than this over random poses says nothing
_KINDS = {
    "angle": p.ANGLE,
    "rate": p.RATE,
    "pressure": p.PRESSURE,
    "length": p.LENGTH,
    "force": p.FORCE,
    "command": p.COMMAND,
    "spool": p.SPOOL,
}


def compile(machine: Machine) -> p.Plan:
    """Check the machine and lay it out for the kernels."""
    check(machine)
    rows = _rows(machine)
    _count_freedoms(machine, len(rows))
    return p.Plan(
        head=_head(machine, len(rows)),
        bodies=_bodies(machine),
        rows=_records(p.ROW, rows),
        nodes=_nodes(machine),
        edges=_edges(machine),
        valves=_records(p.VALVE, [(float(v.time_constant), float(v.command_limit)) for v in machine.valves]),
        cylinders=_records(p.CYLINDER, [_cylinder(machine, c) for c in machine.cylinders]),
        channels=_channels(machine),
    )


def start_state(machine: Machine, plan: p.Plan) -> Array:
    """State at t = 0 with closed loops; rates and multipliers are for the engine to fill in."""
    head = plan.head[0]
    state = np.zeros(int(head["size"]))
    n, m = int(head["coords"]), int(head["volumes"])
    state[head["at_z"] : head["at_z"] + n] = start_angles(machine)
    state[head["at_v"] : head["at_v"] + n] = [float(b.joint.rate) for b in machine.bodies]
    state[head["at_p"] : head["at_p"] + m] = [float(v.start) for v in machine.volumes]
    return state


def _records(dtype: np.dtype[Any], entries: list[Any]) -> p.Records:
    return np.array(entries, dtype=dtype)


def _body_index(machine: Machine, name: str) -> int:
    return [GROUND, *(b.name for b in machine.bodies)].index(name)


def _node_index(machine: Machine, name: str) -> int:
    return [*(v.name for v in machine.volumes), *(s.name for s in machine.sources)].index(name)


def _head(machine: Machine, rows: int) -> p.Records:
    n, volumes, valves = len(machine.bodies), len(machine.volumes), len(machine.valves)
    head = np.zeros(1, dtype=p.HEAD)
    head["coords"], head["rows"], head["volumes"], head["valves"] = n, rows, volumes, valves
    head["free"], head["cylinders"] = len(machine.independent), len(machine.cylinders)
    head["states"] = 2 * len(machine.independent) + volumes
    offset = 0
    blocks = (("at_z", n), ("at_v", n), ("at_a", n), ("at_p", volumes), ("at_dp", volumes))
    for name, size in (*blocks, ("at_u", valves), ("at_l", rows), ("at_c", valves)):
        head[name] = offset
        offset += size
    head["size"] = offset
    head["gravity"] = machine.gravity.xyz
    head["penalty"] = float(machine.solver.penalty)
    head["tol_z"] = float(machine.solver.position_tolerance)
    head["tol_p"] = float(machine.solver.pressure_tolerance)
    head["max_iterations"] = machine.solver.max_iterations
    head["noise_a"] = float(machine.model_error.acceleration)
    head["noise_dp"] = float(machine.model_error.pressure_rate)
    head["input_fresh"] = float(machine.model_error.input_fresh)
    head["input_memory"] = float(machine.model_error.input_memory)
    return head


def _bodies(machine: Machine) -> p.Records:
    ground = (0, p.FIXED, p.FIXED, (0, 0, 0), (0, 0, 1), 0.0, (0, 0, 0), (0, 0, 0))
    return _records(p.BODY, [ground, *(_body(machine, body) for body in machine.bodies)])


def _body(machine: Machine, body: Body) -> tuple[Any, ...]:
    joint = body.joint
    parent = _body_index(machine, joint.parent)
    free = machine.independent.index(body.name) if body.name in machine.independent else p.FIXED
    others = [b.name for b in machine.bodies if b.name not in machine.independent]
    dependent = others.index(body.name) if body.name in others else p.FIXED
    mass = float(body.mass), body.centre.xyz, body.inertia.xyz
    return parent, free, dependent, joint.at.xyz, joint.axis, *mass


def _rows(machine: Machine) -> list[tuple[Any, ...]]:
    """Loop rows that depend on the coordinates; in a plane mechanism three of five per hinge do not."""
    random = np.random.default_rng(7)
    samples = np.array([gaps(machine, random.uniform(-3, 3, len(machine.bodies))) for _ in range(8)])
    useful = np.ptp(samples, axis=0) > _CONSTANT
    everything = [row for loop in machine.loops for row in _loop(machine, loop)]
    return [row for row, keep in zip(everything, useful, strict=True) if keep]


def _loop(machine: Machine, loop: CutRevolute) -> list[tuple[Any, ...]]:
    bodies = _body_index(machine, loop.a.body), _body_index(machine, loop.b.body)
    points = loop.a.at.xyz, loop.b.at.xyz
    first, second = plane(loop.axis_a)
    gap_rows = [
        (p.POINT, *bodies, *points, tuple(d), loop.axis_b) for d in (first, second, np.array(loop.axis_a))
    ]
    tilt_rows = [(p.TILT, *bodies, *points, tuple(d), loop.axis_b) for d in (first, second)]
    return gap_rows + tilt_rows


def _count_freedoms(machine: Machine, rows: int) -> None:
    freedoms = len(machine.bodies) - rows
    if freedoms != len(machine.independent):
        raise BadMachine(
            f"{machine.name!r} has {len(machine.bodies)} joints and {rows} loop equations, so {freedoms} "
            f"independent joints must be named; given: {', '.join(machine.independent) or 'none'}"
        )


def _nodes(machine: Machine) -> p.Records:
    softness = 1 / float(machine.fluid.bulk_modulus)
    volumes = [
        (float(v.start), float(v.hose) * (softness + 1 / float(v.hose_bulk_modulus))) for v in machine.volumes
    ]
    return _records(p.NODE, volumes + [(float(s.pressure), 0.0) for s in machine.sources])


def _edges(machine: Machine) -> p.Records:
    entries = []
    for o in machine.orifices:
        coefficient = float(o.discharge) * float(o.area) * math.sqrt(2 / float(machine.fluid.density))
        a, b = _node_index(machine, o.a), _node_index(machine, o.b)
        entries.append((a, b, p.FIXED, 0.0, coefficient, float(o.laminar_below)))
    for index, v in enumerate(machine.valves):
        # positive spool: supply to A and B to tank; negative: supply to B and A to tank
        pairs = (
            (v.supply, v.port_a, 1),
            (v.port_b, v.tank, 1),
            (v.supply, v.port_b, -1),
            (v.port_a, v.tank, -1),
        )
        for start, end, sign in pairs:
            a, b = _node_index(machine, start), _node_index(machine, end)
            entries.append((a, b, index, sign, float(v.coefficient), float(v.laminar_below)))
    return _records(p.EDGE, entries)


def _cylinder(machine: Machine, c: Cylinder) -> tuple[Any, ...]:
    area_a = math.pi * float(c.bore) ** 2 / 4
    area_b = area_a - math.pi * float(c.rod_diameter) ** 2 / 4
    softness = 1 / float(machine.fluid.bulk_modulus) + 1 / float(c.wall_bulk_modulus)
    offset = float(c.reference_length) - float(c.chamber_a_at_reference)
    f = c.friction
    friction = (
        (0.0, 0.0, 1.0, 0.0)
        if f is None
        else (float(f.coulomb), float(f.static), float(f.stribeck_velocity), float(f.viscous))
    )
    return (
        _body_index(machine, c.base.body),
        _body_index(machine, c.rod.body),
        c.base.at.xyz,
        c.rod.at.xyz,
        _node_index(machine, c.chamber_a),
        _node_index(machine, c.chamber_b),
        area_a,
        area_b,
        offset,
        float(c.tube_length),
        softness,
        *friction,
    )


def _channels(machine: Machine) -> p.Records:
    order = {
        "angle": [b.name for b in machine.bodies],
        "pressure": [v.name for v in machine.volumes],
        "length": [c.name for c in machine.cylinders],
        "command": [v.name for v in machine.valves],
    }
    order |= {"rate": order["angle"], "force": order["length"], "spool": order["command"]}
    return _records(
        p.CHANNEL,
        [
            (_KINDS[o.reads], order[o.reads].index(o.element), 0.0 if o.noise is None else float(o.noise))
            for o in machine.outputs
        ],
    )
