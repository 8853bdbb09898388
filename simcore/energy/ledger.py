"""Records energies, drift, loop gaps and extreme values during a run (docs/methods/energy-books.md).

There are two kinds of entries. A flow is a power integrated over time. A level is a function of the state;
its first, present, smallest and largest values are stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simcore.algebra.vector3 import dot, point_velocity, triple
from simcore.formulation.evaluate import evaluate
from simcore.hydraulics.end_dampers import damper_damping, damper_depth, damper_energy, damper_spring
from simcore.hydraulics.flow import node_pressure
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import PUMP, SPRING, Plan, Records
from simcore.model.workspace import Array, Workspace
from simcore.powertrain.diesel import fuel_rate

POWER, SUM = 0, 1  # of a flow: at the last entry, W; since the start, J
START, NOW, LOW, HIGH = range(4)  # of a level

_FLOW, _LEVEL = ("f8", (2,)), ("f8", (4,))
BODY_ENTRY = np.dtype(
    [
        ("position", *_LEVEL),  # rad or m
        ("kinetic", *_LEVEL),  # J
        ("potential", *_LEVEL),  # of weight, J
        ("spring", *_LEVEL),  # of the joint, J
        ("damper", *_FLOW),  # lost in the joint
        ("friction", *_FLOW),  # against friction in the joint, bent bristles included
    ],
    align=True,
)
LINK_ENTRY = np.dtype(
    [
        ("spring", *_LEVEL),  # J
        ("damper", *_FLOW),  # lost
        ("given", *_FLOW),  # by a force or torque
    ],
    align=True,
)
NODE_ENTRY = np.dtype(
    [
        ("pressure", *_LEVEL),  # Pa
        ("inflow", *_FLOW),  # stored in a volume, taken by a source
    ],
    align=True,
)
EDGE_ENTRY = np.dtype(
    [
        ("flow", *_FLOW),  # lost in a passive edge; negative: given to the oil by a pump
        ("shaft", *_FLOW),  # taken by a pump
    ],
    align=True,
)
CYLINDER_ENTRY = np.dtype(
    [
        ("length", *_LEVEL),  # m
        ("push", *_LEVEL),  # N
        ("contact", *_LEVEL),  # force of the end dampers, N
        ("cushion", *_LEVEL),  # springs of the end dampers, J
        ("bristle", *_LEVEL),  # bent bristles of the seal, J
        ("oil", *_FLOW),  # taken from the oil
        ("rod", *_FLOW),  # given to the mechanism
        ("seal", *_FLOW),  # against the seal
        ("damper", *_FLOW),  # lost in the end dampers
    ],
    align=True,
)
DIESEL_ENTRY = np.dtype(
    [
        ("given", *_FLOW),  # to its shaft
        ("fuel", *_FLOW),  # kg/s and kg
    ],
    align=True,
)
SOIL_ENTRY = np.dtype(
    [
        ("kinetic", *_LEVEL),  # of what is in the bucket, J
        ("potential", *_LEVEL),
        ("fill", *_LEVEL),  # m³
        ("force", *_LEVEL),  # at the edge, N
        ("lost", *_FLOW),  # cutting, and accelerating soil that was at rest
        ("carried", *_FLOW),  # energy of soil that enters less that of soil that leaves
        ("dug", *_FLOW),  # kg/s and kg that entered
    ],
    align=True,
)
WHOLE_ENTRY = np.dtype(
    [
        ("kinetic", *_LEVEL),
        ("potential", *_LEVEL),
        ("elastic", *_LEVEL),  # springs between points and in joints
        ("work", *_LEVEL),  # of all cylinders on the mechanism since the start
        ("links", *_FLOW),  # given by forces and torques less lost in dampers of links and joints
        ("shafts", *_FLOW),  # taken from joints by pumps
        (
            "engines_and_soil",
            *_FLOW,
        ),  # given by engines and by soil that enters, less what digging takes
        ("drift", *_LEVEL),  # mechanical energy that no entry explains
        ("gap", *_LEVEL),  # largest loop equation, its rate and its acceleration
        ("gap_rate", *_LEVEL),
        ("gap_curve", *_LEVEL),
    ],
    align=True,
)


class EnergyLedger(NamedTuple):
    """Entries by element, in the order of the plan; `whole` has one row for the whole machine."""

    bodies: Records
    links: Records
    nodes: Records
    edges: Records
    cylinders: Records
    diesels: Records
    soils: Records
    whole: Records


def make_ledger(plan: Plan) -> EnergyLedger:
    """An empty ledger for a machine."""
    return EnergyLedger(
        bodies=np.zeros(len(plan.bodies), dtype=BODY_ENTRY),
        links=np.zeros(len(plan.links), dtype=LINK_ENTRY),
        nodes=np.zeros(len(plan.nodes), dtype=NODE_ENTRY),
        edges=np.zeros(len(plan.edges), dtype=EDGE_ENTRY),
        cylinders=np.zeros(len(plan.cylinders), dtype=CYLINDER_ENTRY),
        diesels=np.zeros(len(plan.diesels), dtype=DIESEL_ENTRY),
        soils=np.zeros(len(plan.soils), dtype=SOIL_ENTRY),
        whole=np.zeros(1, dtype=WHOLE_ENTRY),
    )


@inner
def _flow(entry: Array, power: float, dt: float, right: bool) -> None:
    """Add a step with the trapezoidal rule, or with right rectangles as in the publications."""
    entry[SUM] += dt * (power if right else 0.5 * (power + entry[POWER]))
    entry[POWER] = power


@inner
def _level(entry: Array, value: float, first: bool) -> None:
    if first:
        entry[START] = entry[LOW] = entry[HIGH] = value
    entry[NOW] = value
    entry[LOW] = min(entry[LOW], value)
    entry[HIGH] = max(entry[HIGH], value)


@outlined
def add_entries(
    plan: Plan, state: Array, ws: Workspace, dt: float, right: bool, first: bool, ledger: EnergyLedger
) -> None:
    """Add the state after a step of dt; the first call, with dt = 0, opens the ledger."""
    evaluate(plan, state, ws)
    _bodies(plan, state, ws, dt, right, first, ledger)
    _links(plan, ws, dt, right, first, ledger)
    _oil(plan, state, ws, dt, right, first, ledger)
    _cylinders(plan, state, ws, dt, right, first, ledger)
    if len(plan.diesels) + len(plan.soils) > 0:
        _engines_and_soil(plan, state, ws, dt, right, first, ledger)
    _whole(plan, dt, right, first, ledger)
    _loops(plan, state, ws, first, ledger)


@inner
def _kinetic(body: Records, here: Records) -> float:
    """½ m v² + ½ ω · J ω with ω in body axes, J."""
    rotation, w, j = here.rotation, here.twist[3:], body.inertia
    x = rotation[0, 0] * w[0] + rotation[1, 0] * w[1] + rotation[2, 0] * w[2]
    y = rotation[0, 1] * w[0] + rotation[1, 1] * w[1] + rotation[2, 1] * w[2]
    z = rotation[0, 2] * w[0] + rotation[1, 2] * w[1] + rotation[2, 2] * w[2]
    v = point_velocity(here, triple(here.centre))
    spin = j[0] * x * x + j[1] * y * y + j[2] * z * z + 2.0 * (j[3] * x * y + j[4] * x * z + j[5] * y * z)
    return 0.5 * float(body.mass * dot(v, v) + spin)


@inner
def _bodies(
    plan: Plan, state: Array, ws: Workspace, dt: float, right: bool, first: bool, ledger: EnergyLedger
) -> None:
    head = plan.head[0]
    gravity = triple(head.gravity)
    for i in range(1, len(plan.bodies)):
        body, present = plan.bodies[i], ws.condition.bodies[i]
        here, entry = ws.bodies[i], ledger.bodies[i]
        _level(entry.position, state[head.at_z + i - 1], first)
        _level(entry.kinetic, _kinetic(present, here), first)
        _level(entry.potential, -present.mass * dot(gravity, triple(here.centre)), first)
        stretch = state[head.at_z + i - 1] - body.rest
        _level(entry.spring, 0.5 * body.stiffness * stretch * stretch, first)
        rate = state[head.at_v + i - 1]
        damper = body.damping * rate * rate
        _flow(entry.damper, damper, dt, right)
        _flow(entry.friction, here.drag * rate - damper, dt, right)


@inner
def _links(plan: Plan, ws: Workspace, dt: float, right: bool, first: bool, ledger: EnergyLedger) -> None:
    for k in range(len(plan.links)):
        link, here, entry = plan.links[k], ws.links[k], ledger.links[k]
        if link.kind == SPRING:
            stretch = here.length - link.length
            _level(entry.spring, 0.5 * link.stiffness * stretch * stretch, first)
            _flow(entry.damper, link.damping * here.speed * here.speed, dt, right)
        else:
            _flow(entry.given, here.push * here.speed, dt, right)


@inner
def _oil(
    plan: Plan, state: Array, ws: Workspace, dt: float, right: bool, first: bool, ledger: EnergyLedger
) -> None:
    """Add the powers of nodes, edges and pistons. Their sum is zero at every instant."""
    head = plan.head[0]
    p = state[head.at_p : head.at_p + head.scalars]
    for k in range(len(plan.nodes)):
        pressure = node_pressure(plan, ws, p, k)
        _level(ledger.nodes[k].pressure, pressure, first)
        _flow(ledger.nodes[k].inflow, pressure * ws.nodes[k].inflow, dt, right)
    for k in range(len(plan.edges)):
        edge, here, entry = plan.edges[k], ws.edges[k], ledger.edges[k]
        drop = node_pressure(plan, ws, p, edge.a) - node_pressure(plan, ws, p, edge.b)
        _flow(entry.flow, here.flow * drop, dt, right)
        if edge.kind == PUMP:
            speed = state[head.at_v + edge.shaft] if edge.shaft >= 0 else edge.speed
            _flow(entry.shaft, here.torque * speed, dt, right)


@inner
def _cylinders(
    plan: Plan, state: Array, ws: Workspace, dt: float, right: bool, first: bool, ledger: EnergyLedger
) -> None:
    """Add cylinders: oil = rod + seal + end dampers. The seal loses what reaches neither rod nor dampers."""
    head = plan.head[0]
    p = state[head.at_p : head.at_p + head.scalars]
    for k in range(head.cylinders):
        c, here, entry = plan.cylinders[k], ws.cylinders[k], ledger.cylinders[k]
        seal = plan.frictions[k]
        force = (
            node_pressure(plan, ws, p, c.node_a) * c.area_a - node_pressure(plan, ws, p, c.node_b) * c.area_b
        )
        energy, lost = _end_dampers(c, here)
        friction = force + here.contact - here.push
        bend = p[head.volumes + seal.inner] if seal.inners > 0 else 0.0
        _level(entry.length, here.length, first)
        _level(entry.push, here.push, first)
        _level(entry.contact, here.contact, first)
        _level(entry.cushion, energy, first)
        _level(entry.bristle, 0.5 * seal.bristle * bend * bend, first)
        _flow(entry.oil, force * here.speed, dt, right)
        _flow(entry.rod, here.push * here.speed, dt, right)
        _flow(entry.seal, friction * here.speed, dt, right)
        _flow(entry.damper, lost, dt, right)


@inner
def _engines_and_soil(
    plan: Plan, state: Array, ws: Workspace, dt: float, right: bool, first: bool, ledger: EnergyLedger
) -> None:
    """Add engines, and soil in buckets, which enters at rest and leaves with the speed of the bucket."""
    head = plan.head[0]
    gravity, total = triple(head.gravity), 0.0
    for k in range(len(plan.diesels)):
        diesel, here, entry = plan.diesels[k], ws.diesels[k], ledger.diesels[k]
        speed = state[head.at_v + diesel.coord]
        _flow(entry.given, here.torque * speed, dt, right)
        _flow(entry.fuel, fuel_rate(diesel, speed, here.torque)[0], dt, right)
        total += here.torque * speed
    for k in range(len(plan.soils)):
        soil, here, entry = plan.soils[k], ws.soils[k], ledger.soils[k]
        at = triple(here.at)
        v = point_velocity(ws.bodies[soil.body], at)
        moving, height = 0.5 * dot(v, v), -dot(gravity, at)  # J/kg
        into, out = soil.density * max(here.rate, 0.0), soil.density * min(here.rate, 0.0)
        lost, carried = here.cut + into * moving, (into + out) * height + out * moving
        _level(entry.kinetic, here.load * moving, first)
        _level(entry.potential, here.load * height, first)
        _level(entry.fill, here.load / soil.density, first)
        _level(entry.force, here.force, first)
        _flow(entry.lost, lost, dt, right)
        _flow(entry.carried, carried, dt, right)
        _flow(entry.dug, into, dt, right)
        total += carried - lost
    _flow(ledger.whole[0].engines_and_soil, total, dt, right)


@inner
def _end_dampers(c: Records, here: Records) -> tuple[float, float]:
    """Energy in the springs of the end dampers, J, and power that their damping takes, W."""
    energy, lost = 0.0, 0.0
    if c.cushion > 0.0:
        for side in range(2):
            depth = damper_depth(c, here, side)
            if depth > 0.0:
                inward = -here.speed if side == 0 else here.speed
                spring, _ = damper_spring(c, depth)
                energy += damper_energy(c, depth)
                lost += damper_damping(c, spring, inward) * inward * inward
    return energy, lost


@inner
def _whole(plan: Plan, dt: float, right: bool, first: bool, ledger: EnergyLedger) -> None:
    whole = ledger.whole[0]
    kinetic, potential, elastic, work, given, shafts = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(1, len(ledger.bodies)):
        kinetic += ledger.bodies[i].kinetic[NOW]
        potential += ledger.bodies[i].potential[NOW]
        elastic += ledger.bodies[i].spring[NOW]
        given -= ledger.bodies[i].damper[POWER] + ledger.bodies[i].friction[POWER]
    for k in range(len(ledger.links)):
        elastic += ledger.links[k].spring[NOW]
        given += ledger.links[k].given[POWER] - ledger.links[k].damper[POWER]
    for k in range(len(ledger.cylinders)):
        work += ledger.cylinders[k].rod[SUM]
    for k in range(len(ledger.soils)):
        kinetic += ledger.soils[k].kinetic[NOW]
        potential += ledger.soils[k].potential[NOW]
    for k in range(len(ledger.edges)):
        if plan.edges[k].shaft >= 0:
            shafts += ledger.edges[k].shaft[POWER]
    _level(whole.kinetic, kinetic, first)
    _level(whole.potential, potential, first)
    _level(whole.elastic, elastic, first)
    _level(whole.work, work, first)
    _flow(whole.links, given, dt, right)
    _flow(whole.shafts, shafts, dt, right)
    begun = whole.kinetic[START] + whole.potential[START] + whole.elastic[START]
    explained = begun + work + whole.links[SUM] - whole.shafts[SUM] + whole.engines_and_soil[SUM]
    _level(whole.drift, kinetic + potential + elastic - explained, first)


@inner
def _loops(plan: Plan, state: Array, ws: Workspace, first: bool, ledger: EnergyLedger) -> None:
    head, whole = plan.head[0], ledger.whole[0]
    gap, rate, curve = 0.0, 0.0, 0.0
    for k in range(head.rows):
        bend = ws.rows[k].curve
        for j in range(head.coords):
            bend += ws.jac[k, j] * state[head.at_a + j]
        gap = max(gap, abs(ws.rows[k].gap))
        rate = max(rate, abs(ws.rows[k].rate))
        curve = max(curve, abs(bend))
    _level(whole.gap, gap, first)
    _level(whole.gap_rate, rate, first)
    _level(whole.gap_curve, curve, first)
