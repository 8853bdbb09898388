"""compile(machine) -> Plan: names become indices, redundant loop rows fall out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simcore.errors import BadMachine
from simcore.model import plan as p
from simcore.model.checks import check
from simcore.model.elements import (
    GROUND,
    BengisuAkay,
    Body,
    BrownMcPhee,
    CutRevolute,
    Cylinder,
    Efficiency,
    EndDamper,
    Fluid,
    Friction,
    LuGre,
    Machine,
    ModifiedLuGre,
    Pump,
)
from simcore.model.geometry import Array, gaps, plane, start_angles
from simcore.model.netlist import edges, node_index, spools

_CONSTANT = 1e-9  # a loop row that varies less than this over random poses says nothing
_INNER_TOLERANCE = 1e-7  # m and -, of the states of seals (Jaiswal 2021, II)
_FULL_PENALTY_DT = 1e-3  # s
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
        edges=edges(machine)[0],
        valves=_records(p.VALVE, [(s.time_constant, s.low, s.limit) for s in spools(machine)]),
        cylinders=_cylinders(machine),
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


def _head(machine: Machine, rows: int) -> p.Records:
    n, volumes, valves = len(machine.bodies), len(machine.volumes), len(spools(machine))
    head = np.zeros(1, dtype=p.HEAD)
    head["coords"], head["rows"], head["volumes"], head["valves"] = n, rows, volumes, valves
    head["free"], head["cylinders"] = len(machine.independent), len(machine.cylinders)
    inner = sum(_inners(c.friction) for c in machine.cylinders)
    head["inner"], head["scalars"] = inner, volumes + inner
    head["states"] = 2 * len(machine.independent) + volumes
    offset = 0
    blocks = (("at_z", n), ("at_v", n), ("at_a", n), ("at_p", volumes + inner), ("at_dp", volumes + inner))
    for name, size in (*blocks, ("at_u", valves), ("at_l", rows), ("at_c", valves)):
        head[name] = offset
        offset += size
    head["size"] = offset
    head["gravity"] = machine.gravity.xyz
    head["penalty"] = float(machine.solver.penalty)
    head["penalty_dt"] = _FULL_PENALTY_DT
    head["tol_z"] = float(machine.solver.position_tolerance)
    head["tol_p"] = float(machine.solver.pressure_tolerance)
    head["tol_x"] = _INNER_TOLERANCE
    head["norm"] = machine.solver.increment == "norm"
    head["euler"] = machine.solver.spool == "euler"
    head["max_iterations"] = machine.solver.max_iterations
    head["shafts"] = sum(isinstance(e, Pump) and e.shaft is not None for e in machine.elements)
    _fill_oil(head, machine.fluid)
    head["noise_a"] = float(machine.model_error.acceleration)
    head["noise_dp"] = float(machine.model_error.pressure_rate)
    head["input_fresh"] = float(machine.model_error.input_fresh)
    head["input_memory"] = float(machine.model_error.input_memory)
    return head


def _fill_oil(head: p.Records, fluid: Fluid) -> None:
    """What makes the softness of the oil depend on its pressure."""
    head["softness"] = 1 / float(fluid.bulk_modulus)
    head["stiffening"] = 0.0 if fluid.stiffening is None else float(fluid.stiffening)
    head["thin"] = fluid.stiffening is not None or fluid.air is not None
    if fluid.air is not None:
        vapour = float(fluid.air.vapour_pressure)
        head["air"], head["vapour"] = float(fluid.air.fraction), vapour
        head["air_pressure"] = float(fluid.air.at_pressure) - vapour
        head["air_exponent"] = float(fluid.air.exponent)


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
        (float(v.start), float(v.hose) * (softness + 1 / float(v.hose_bulk_modulus)), float(v.hose))
        for v in machine.volumes
    ]
    return _records(p.NODE, volumes + [(float(s.pressure), 0.0, 0.0) for s in machine.sources])


def _cylinders(machine: Machine) -> p.Records:
    entries, inner = [], 0
    for c in machine.cylinders:
        entries.append((*_cylinder(machine, c), *_seal(c.friction, inner)))
        inner += _inners(c.friction)
    return _records(p.CYLINDER, entries)


def _inners(friction: Friction | None) -> int:
    """How many states a seal has."""
    return 2 if isinstance(friction, ModifiedLuGre) else int(isinstance(friction, LuGre))


def _seal(f: Friction | None, inner: int) -> tuple[float, ...]:
    """The fields of a cylinder that describe its seal."""
    loss = shape = exponent = 0.0
    stribeck, bristles, film = 1.0, (1.0, 0.0), (1.0, 1.0, 1.0, 1.0)
    law, coulomb, static, viscous = p.NONE, 0.0, 0.0, 0.0
    if isinstance(f, Efficiency):
        law, loss = p.EFFICIENCY, 1 - float(f.efficiency)
        if f.turn_velocity is not None:
            law, stribeck = p.PASSIVE_EFFICIENCY, float(f.turn_velocity)
    elif f is not None:
        base = f.bristles if isinstance(f, ModifiedLuGre) else f
        coulomb, static, viscous = float(base.coulomb), float(base.static), float(base.viscous)
        stribeck = float(base.stribeck_velocity)
        if isinstance(base, BrownMcPhee):
            law = p.BROWN_MCPHEE
        elif isinstance(base, BengisuAkay):
            law, shape = p.BENGISU_AKAY, float(base.shape)
        else:
            law, exponent = p.LUGRE, float(base.exponent)
            bristles = float(base.bristle_stiffness), float(base.bristle_damping)
        if isinstance(f, ModifiedLuGre):
            law = p.MODIFIED_LUGRE
            times = float(f.film_build), float(f.film_decay), float(f.film_dwell)
            film = (float(f.film_velocity), *times)
    force = coulomb, static, stribeck, viscous
    return law, inner, _inners(f), loss, *force, shape, exponent, *bristles, *film


def _cylinder(machine: Machine, c: Cylinder) -> tuple[Any, ...]:
    area_a = math.pi * float(c.bore) ** 2 / 4
    area_b = area_a - math.pi * float(c.rod_diameter) ** 2 / 4
    softness = 1 / float(machine.fluid.bulk_modulus) + 1 / float(c.wall_bulk_modulus)
    offset = float(c.reference_length) - float(c.chamber_a_at_reference)
    return (
        _body_index(machine, c.base.body),
        _body_index(machine, c.rod.body),
        c.base.at.xyz,
        c.rod.at.xyz,
        node_index(machine, c.chamber_a),
        node_index(machine, c.chamber_b),
        area_a,
        area_b,
        offset,
        float(c.tube_length),
        softness,
        *_cushion(c.end_damper),
    )


def _cushion(damper: EndDamper | None) -> tuple[float, float, float]:
    if damper is None:
        return 0.0, 0.0, 0.0
    return float(damper.length), float(damper.stiffness), float(damper.damping)


def _channels(machine: Machine) -> p.Records:
    order = {
        "angle": [b.name for b in machine.bodies],
        "pressure": [v.name for v in machine.volumes],
        "length": [c.name for c in machine.cylinders],
        "command": [s.name for s in spools(machine)],
    }
    order |= {"rate": order["angle"], "force": order["length"], "spool": order["command"]}
    return _records(
        p.CHANNEL,
        [
            (_KINDS[o.reads], order[o.reads].index(o.element), 0.0 if o.noise is None else float(o.noise))
            for o in machine.outputs
        ],
    )
