"""Compiles a machine description to a plan: replaces names by indices and drops redundant loop rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simcore.model import plan as p
from simcore.model.checks import check
from simcore.model.compliance import chamber_softness, hose_compliance
from simcore.model.diesel_soil import diesels, governed, soils
from simcore.model.elements import (
    Cylinder,
    EndDamper,
    Fluid,
    Link,
    Machine,
    Output,
    Pump,
    Push,
    Spring,
    Twist,
)
from simcore.model.frictions import frictions, laws, states
from simcore.model.geometry import (
    Array,
    coordinates,
    count,
    quaternion,
    start_angles,
    start_rates,
    turned,
)
from simcore.model.loop_rows import loop_records, partition, useful_rows
from simcore.model.netlist import edges, node_index, spools
from simcore.model.pins import pin_records, pins
from simcore.model.tolerances import set_tolerances
from simcore.model.tree import Tree, expand

_NOWHERE = (0.0, 0.0, 0.0)
_BETWEEN = Spring | Push | Twist  # links between bodies; the others sit in a joint
_KINDS = {
    "angle": p.ANGLE,
    "rate": p.RATE,
    "slide": p.ANGLE,
    "slide_rate": p.RATE,
    "pressure": p.PRESSURE,
    "length": p.LENGTH,
    "force": p.FORCE,
    "command": p.COMMAND,
    "spool": p.SPOOL,
    "inclination": p.INCLINATION,
    "spin": p.SPIN,
    "speed": p.RATE,
    "torque": p.ENGINE_TORQUE,
    "fuel": p.FUEL,
    "fill": p.FILL,
    "digging": p.DIGGING,
    "height": p.HEIGHT,
    "payload": p.CARRIED,
    "tool_speed": p.POINT_SPEED,
    "reaction": p.REACTION,
    "loop_reaction": p.LOOP_REACTION,
    "rod_reaction": p.ROD_REACTION,
}
_REACTIONS = ("reaction", "loop_reaction", "rod_reaction")
# how the edges of a directional valve add up to what leaves it by a port
_PORTS = {"flow_a": (1.0, 0.0, 0.0, -1.0), "flow_b": (0.0, -1.0, 1.0, 0.0)}
_NO_FLOW = (0.0, 0.0, 0.0, 0.0)


def compile(machine: Machine, published: bool = False, dt: float | None = None) -> p.Plan:
    """Check the machine and convert it to read-only records for the kernels.

    published: close loops with the penalty factor of the description instead of one in proportion to mass.
    dt: step for which Newton's tolerances are scaled, s; None: the one that they are described for.
    """
    check(machine)
    tree = expand(machine)
    kept = useful_rows(machine)
    free, redundant = partition(machine, kept)
    rows = loop_records(machine, tree, kept)
    netlist, owners = edges(machine)
    plan = p.Plan(
        head=_head(machine, tree, len(rows), len(free), redundant, published, dt),
        bodies=_bodies(tree, free),
        rows=rows,
        links=_records(p.LINK, [_link(tree, link) for link in machine.links if isinstance(link, _BETWEEN)]),
        nodes=_nodes(machine),
        edges=netlist,
        valves=_records(
            p.VALVE, [(s.time_constant, s.low, s.limit, s.demand / s.limit) for s in spools(machine)]
        ),
        cylinders=_records(p.CYLINDER, [_cylinder(machine, tree, c) for c in machine.cylinders]),
        frictions=frictions(machine),
        diesels=diesels(machine),
        soils=soils(machine, tree),
        channels=_channels(machine, tree, owners),
    )
    for records in plan:
        records.flags.writeable = False
    return plan


def start_state(machine: Machine, plan: p.Plan) -> Array:
    """State at t = 0 with closed loops; the engine fills in rates and multipliers."""
    head = plan.head[0]
    state = np.zeros(int(head["size"]))
    n, m = int(head["coords"]), int(head["volumes"])
    z = start_angles(machine)
    for k in np.flatnonzero(plan.bodies["ball"] >= 0):
        ball, at = slice(k - 3, k), int(head["at_q"] + 4 * plan.bodies["ball"][k])
        state[at : at + 4] = quaternion(turned(z[ball] @ plan.bodies["axis"][k - 2 : k + 1]))
        z[ball] = 0.0
    state[head["at_z"] : head["at_z"] + n] = z
    state[head["at_v"] : head["at_v"] + n] = start_rates(machine)
    state[head["at_p"] : head["at_p"] + m] = [float(v.start) for v in machine.volumes]
    torques = int(head["at_p"] + m + head["inner"])
    for i, engine in enumerate(machine.diesels):  # as if the governor had asked for it for long
        speed = float(state[head["at_v"] + plan.diesels[i]["coord"]])
        state[torques + i] = governed(engine, speed)
    return state


def _records(dtype: np.dtype[Any], entries: list[Any]) -> p.Records:
    return np.array(entries, dtype=dtype)


def _head(
    machine: Machine,
    tree: Tree,
    rows: int,
    free: int,
    redundant: int,
    published: bool,
    dt: float | None,
) -> p.Records:
    n, volumes, valves = count(machine), len(machine.volumes), len(spools(machine))
    head = np.zeros(1, dtype=p.HEAD)
    head["coords"], head["rows"], head["volumes"], head["valves"] = n, rows, volumes, valves
    head["free"], head["redundant"], head["balls"] = free, redundant, tree.balls
    head["cylinders"] = len(machine.cylinders)
    head["lags"] = lags = 0 if machine.model_error.command_lag is None else valves
    inner = sum(states(law) for _, law in laws(machine))
    head["inner"], head["diesels"], head["soils"] = inner, len(machine.diesels), len(machine.digging)
    scalars = volumes + inner + len(machine.diesels) + len(machine.digging)
    head["scalars"] = scalars
    head["states"] = 2 * free + volumes + len(machine.diesels)
    offset = 0
    blocks = (("at_z", n), ("at_q", 4 * tree.balls), ("at_v", n), ("at_a", n), ("at_p", scalars))
    rest = (("at_dp", scalars), ("at_u", valves), ("at_l", rows), ("at_c", valves), ("at_s", lags))
    for name, size in (*blocks, *rest):
        head[name] = offset
        offset += size
    head["size"] = offset
    head["gravity"] = machine.gravity.xyz
    head["penalty"] = float(machine.solver.penalty) if published else 0.0
    set_tolerances(machine.solver, dt, head)
    head["enclosed"] = machine.solver.enclosed
    head["norm"] = machine.solver.increment == "norm"
    head["euler"] = machine.solver.spool == "euler"
    head["max_iterations"] = machine.solver.max_iterations
    head["shafts"] = sum(isinstance(e, Pump) and e.shaft is not None for e in machine.elements)
    head["reactions"] = sum(o.reads in _REACTIONS for o in machine.outputs)
    _fill_oil(head, machine.fluid)
    head["noise_a"] = float(machine.model_error.acceleration)
    head["noise_dp"] = float(machine.model_error.pressure_rate)
    torque = machine.model_error.engine_torque
    head["noise_torque"] = 0.0 if torque is None else float(torque)
    head["input_fresh"] = float(machine.model_error.input_fresh)
    head["input_memory"] = float(machine.model_error.input_memory)
    return head


def _fill_oil(head: p.Records, fluid: Fluid) -> None:
    """Fill in the properties that make the oil's compressibility depend on pressure."""
    head["softness"] = 1 / float(fluid.bulk_modulus)
    head["stiffening"] = 0.0 if fluid.stiffening is None else float(fluid.stiffening)
    head["thin"] = fluid.stiffening is not None or fluid.air is not None
    if fluid.air is not None:
        vapour = float(fluid.air.vapour_pressure)
        head["air"], head["vapour"] = float(fluid.air.fraction), vapour
        head["air_pressure"] = float(fluid.air.at_pressure) - vapour
        head["air_exponent"] = float(fluid.air.exponent)


def _bodies(tree: Tree, free: list[int]) -> p.Records:
    bodies = np.zeros(1 + len(tree.singles), dtype=p.BODY)
    bodies["free"] = bodies["dependent"] = bodies["ball"] = p.FIXED
    bodies["axis"][0] = 0.0, 0.0, 1.0
    others = [j for j in range(len(tree.singles)) if j not in free]
    for j, single in enumerate(tree.singles):
        body = bodies[j + 1]
        for name in ("parent", "kind", "carrier", "ball", "at", "axis", "mass", "centre"):
            body[name] = getattr(single, name)
        i = single.inertia
        body["inertia"] = i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]
        body["stiffness"], body["damping"], body["rest"] = single.stiffness, single.damping, single.rest
        if j in free:
            body["free"] = free.index(j)
        else:
            body["dependent"] = others.index(j)
    return bodies


def _link(tree: Tree, link: Link) -> tuple[Any, ...]:
    match link:
        case Spring():
            (a, at_a), (b, at_b) = tree.mount(link.a), tree.mount(link.b)
            numbers = float(link.stiffness), float(link.damping), float(link.free_length)
            return (p.SPRING, a, b, 0, at_a, at_b, _NOWHERE, *numbers)
        case Push():
            b, at_b = tree.mount(link.b)
            follows = tree.frames[link.follows]
            force = tuple(follows.direction(link.force.xyz))
            a = tree.frames[link.a].index
            return (p.PUSH, a, b, follows.index, _NOWHERE, at_b, force, 0.0, 0.0, 0.0)
        case Twist():
            follows = tree.frames[link.follows]
            torque = tuple(follows.direction(link.torque.xyz))
            a, b = tree.frames[link.a].index, tree.frames[link.b].index
            return (p.TWIST, a, b, follows.index, _NOWHERE, _NOWHERE, torque, 0.0, 0.0, 0.0)
    raise TypeError(link)


def _nodes(machine: Machine) -> p.Records:
    volumes = [(float(v.start), hose_compliance(v, machine.fluid), float(v.hose)) for v in machine.volumes]
    return _records(p.NODE, volumes + [(float(s.pressure), 0.0, 0.0) for s in machine.sources])


def _cylinder(machine: Machine, tree: Tree, c: Cylinder) -> tuple[Any, ...]:
    (a, at_a), (b, at_b) = tree.mount(c.base), tree.mount(c.rod)
    area_a = math.pi * float(c.bore) ** 2 / 4
    area_b = area_a - math.pi * float(c.rod_diameter) ** 2 / 4
    offset = float(c.reference_length) - float(c.chamber_a_at_reference)
    return (
        a,
        b,
        at_a,
        at_b,
        node_index(machine, c.chamber_a),
        node_index(machine, c.chamber_b),
        area_a,
        area_b,
        offset,
        float(c.tube_length),
        chamber_softness(c, machine.fluid),
        *_cushion(c.end_damper),
    )


def _cushion(damper: EndDamper | None) -> tuple[float, float, float]:
    if damper is None:
        return 0.0, 0.0, 0.0
    return float(damper.length), float(damper.stiffness), float(damper.damping)


def _channels(machine: Machine, tree: Tree, owners: list[str]) -> p.Records:
    where = coordinates(machine)
    joints = [""] * count(machine)
    for name, place in where.items():
        if place.stop > place.start:
            joints[place.start] = name
    order = {
        "angle": joints,
        "pressure": [v.name for v in machine.volumes],
        "length": [c.name for c in machine.cylinders],
        "command": [s.name for s in spools(machine)],
        "torque": [e.name for e in machine.diesels],
        "fill": [d.name for d in machine.digging],
    }
    order |= {"fuel": order["torque"], "digging": order["fill"]}
    order |= dict.fromkeys(("rate", "speed", "slide", "slide_rate"), joints)
    order |= {"force": order["length"], "rod_reaction": order["length"], "spool": order["command"]}
    rows = []
    for o in machine.outputs:
        axis: tuple[float, ...] = _NOWHERE
        weight: tuple[float, ...] = _NO_FLOW
        if o.reads in ("flow", "flow_a", "flow_b", "power"):
            kind, index, weight = _of_oil(machine, o, owners)
        elif o.reads in ("inclination", "spin"):
            kind, (index, axis) = _KINDS[o.reads], _on_body(tree, o)
        elif o.reads == "height":
            kind, (index, axis) = _KINDS[o.reads], _point_of(machine, tree, o)
            weight = (_base_height(machine, tree), 0.0, 0.0, 0.0)
        elif o.reads == "tool_speed":
            kind, (index, axis) = _KINDS[o.reads], _point_of(machine, tree, o)
        elif o.reads == "payload":
            kind, (index, axis) = _KINDS[o.reads], _carrier(machine, tree, o)
        elif o.reads in ("reaction", "loop_reaction"):
            kind, (index, axis, weight) = _KINDS[o.reads], _reaction(machine, o)
        else:
            kind, index = _KINDS[o.reads], order[o.reads].index(o.element)
        rows.append((kind, index, 0.0 if o.noise is None else float(o.noise), axis, weight))
    return _records(p.CHANNEL, rows)


def _of_oil(machine: Machine, output: Output, owners: list[str]) -> tuple[int, int, tuple[float, ...]]:
    """Kind, index and weights of a flow or power channel. owners: the element of each edge.

    If an element has two edges, the second leads back: a pump's leak, a counterbalance valve's check valve.
    """
    power = output.reads == "power"
    if power and output.element in (cylinders := [c.name for c in machine.cylinders]):
        return p.ROD_POWER, cylinders.index(output.element), _NO_FLOW
    if output.element in owners:
        back = -1.0 if owners.count(output.element) == 2 else 0.0
        weight = _PORTS.get(output.reads, (1.0, back, 0.0, 0.0))
        return p.PUMP_POWER if power else p.FLOW, owners.index(output.element), weight
    return p.SOURCE_POWER if power else p.OUTFLOW, node_index(machine, output.element), _NO_FLOW


def _on_body(tree: Tree, output: Output) -> tuple[int, tuple[float, ...]]:
    """Index of the compiled body and an axis on it: the described body's x axis, or its hinge."""
    frame = tree.frames[output.element]
    if output.reads == "inclination":
        return frame.index, tuple(frame.direction((1.0, 0.0, 0.0)))
    return frame.index, tuple(tree.singles[frame.index - 1].axis)


def _point_of(machine: Machine, tree: Tree, output: Output) -> tuple[int, tuple[float, ...]]:
    """Index of the compiled body and a point on it: the edge of a bucket, or a body's centre."""
    edge = next((d.edge for d in machine.digging if d.name == output.element), None)
    if edge is not None:
        frame = tree.frames[edge.body]
        return frame.index, tuple(frame.point(edge.at.xyz))
    body = next(b for b in machine.bodies if b.name == output.element)
    frame = tree.frames[body.name]
    return frame.index, tuple(frame.point(body.centre.xyz))


def _reaction(machine: Machine, output: Output) -> tuple[int, tuple[float, ...], tuple[float, ...]]:
    """Index, axis and weights of the force in a joint of the tree or of a loop."""
    kind = "joint" if output.reads == "reaction" else "loop"
    wanted = next(pin for pin in pins(machine) if (pin.kind, pin.element) == (kind, output.element))
    (record,) = pin_records(machine, [wanted])
    weight = float(record["count"]), float(record["on"]), 0.0, 0.0
    return int(record["index"]), tuple(float(x) for x in record["axis"]), weight


def _base_height(machine: Machine, tree: Tree) -> float:
    """Height of the compiled machine's origin above that of the description, m."""
    gravity = np.asarray(machine.gravity.xyz)
    return float(-tree.origin @ gravity / np.linalg.norm(gravity))


def _carrier(machine: Machine, tree: Tree, output: Output) -> tuple[int, tuple[float, ...]]:
    """Index of the compiled body that carries the payload, and its mass without payload."""
    index = tree.frames[output.element].index
    others = (b for b in machine.bodies if tree.frames[b.name].index == index and b.name != output.element)
    return index, (sum(float(b.mass) for b in others), 0.0, 0.0)
