"""Books of a run: energy of every element, drift, open loops and extremes (docs/methods/energy-books.md).

Two kinds of entries. A flow is a power that is summed over time; a level is a function of the state of which
start, present, least and largest value are kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simcore.algebra.vector3 import dot, point_velocity, triple
from simcore.formulation.evaluate import evaluate
from simcore.hydraulics.flow import node_pressure
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import PUMP, SPRING, Plan, Records
from simcore.model.workspace import Array, Workspace
from simcore.powertrain.diesel import fuel_rate

POWER, SUM = 0, 1  # of a flow: at the last entry, W; since the start, J
START, NOW, LOW, HIGH = range(4)  # of a level

_FLOW, _LEVEL = ("f8", (2,)), ("f8", (4,))
BODY_BOOK = np.dtype(
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
LINK_BOOK = np.dtype(
    [
        ("spring", *_LEVEL),  # J
        ("damper", *_FLOW),  # lost
        ("given", *_FLOW),  # by a force or torque
    ],
    align=True,
)
NODE_BOOK = np.dtype(
    [
        ("pressure", *_LEVEL),  # Pa
        ("inflow", *_FLOW),  # stored in a volume, taken by a source
    ],
    align=True,
)
EDGE_BOOK = np.dtype(
    [
        ("flow", *_FLOW),  # lost in a passive edge; negative: given to the oil by a pump
        ("shaft", *_FLOW),  # taken by a pump
    ],
    align=True,
)
CYLINDER_BOOK = np.dtype(
    [
        ("length", *_LEVEL),  # m
        ("push", *_LEVEL),  # N
        ("cushion", *_LEVEL),  # springs of the end dampers, J
        ("bristle", *_LEVEL),  # bent bristles of the seal, J
        ("oil", *_FLOW),  # taken from the oil
        ("rod", *_FLOW),  # given to the mechanism
        ("seal", *_FLOW),  # against the seal
        ("damper", *_FLOW),  # lost in the end dampers
    ],
    align=True,
)
DIESEL_BOOK = np.dtype(
    [
        ("given", *_FLOW),  # to its shaft
        ("fuel", *_FLOW),  # kg/s and kg
    ],
    align=True,
)
SOIL_BOOK = np.dtype(
    [
        ("kinetic", *_LEVEL),  # of what is in the bucket, J
        ("potential", *_LEVEL),
        ("fill", *_LEVEL),  # m³
        ("force", *_LEVEL),  # at the edge, N
        ("lost", *_FLOW),  # cutting, and soil at rest that is carried along at once
        ("carried", *_FLOW),  # energy that soil has when it comes aboard, less what it leaves with
        ("dug", *_FLOW),  # kg/s and kg that went in
    ],
    align=True,
)
WHOLE_BOOK = np.dtype(
    [
        ("kinetic", *_LEVEL),
        ("potential", *_LEVEL),
        ("elastic", *_LEVEL),  # springs between points and in joints
        ("work", *_LEVEL),  # of all cylinders on the mechanism since the start
        ("links", *_FLOW),  # given by forces and torques less lost in dampers of links and joints
        ("shafts", *_FLOW),  # taken from joints by pumps
        ("drives", *_FLOW),  # given by engines and by soil that comes aboard, less what digging takes
        ("drift", *_LEVEL),  # mechanical energy that nothing in the books explains
        ("gap", *_LEVEL),  # largest loop equation, its rate and its acceleration
        ("gap_rate", *_LEVEL),
        ("gap_curve", *_LEVEL),
    ],
    align=True,
)


class Books(NamedTuple):
    """Entries by element, in the order of the plan; `whole` has one row."""

    bodies: Records
    links: Records
    nodes: Records
    edges: Records
    cylinders: Records
    diesels: Records
    soils: Records
    whole: Records


def make_books(plan: Plan) -> Books:
    """Empty books for a machine."""
    return Books(
        bodies=np.zeros(len(plan.bodies), dtype=BODY_BOOK),
        links=np.zeros(len(plan.links), dtype=LINK_BOOK),
        nodes=np.zeros(len(plan.nodes), dtype=NODE_BOOK),
        edges=np.zeros(len(plan.edges), dtype=EDGE_BOOK),
        cylinders=np.zeros(len(plan.cylinders), dtype=CYLINDER_BOOK),
        diesels=np.zeros(len(plan.diesels), dtype=DIESEL_BOOK),
        soils=np.zeros(len(plan.soils), dtype=SOIL_BOOK),
        whole=np.zeros(1, dtype=WHOLE_BOOK),
    )


@inner
def _flow(entry: Array, power: float, dt: float, right: bool) -> None:
    """Add a step by the trapezoidal rule, or by right rectangles as the publications did."""
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
def enter(plan: Plan, state: Array, ws: Workspace, dt: float, right: bool, first: bool, books: Books) -> None:
    """Enter the state after a step of dt; the first entry, with dt = 0, opens the books."""
    evaluate(plan, state, ws)
    _bodies(plan, state, ws, dt, right, first, books)
    _links(plan, ws, dt, right, first, books)
    _oil(plan, state, ws, dt, right, first, books)
    _cylinders(plan, state, ws, dt, right, first, books)
    if len(plan.diesels) + len(plan.soils) > 0:
        _drives(plan, state, ws, dt, right, first, books)
    _whole(plan, dt, right, first, books)
    _loops(plan, state, ws, first, books)


@inner
def _kinetic(body: Records, here: Records) -> float:
    """½ m v² + ½ ω · J ω with ω in body axes, J."""
    turn, w, j = here.turn, here.twist[3:], body.inertia
    x = turn[0, 0] * w[0] + turn[1, 0] * w[1] + turn[2, 0] * w[2]
    y = turn[0, 1] * w[0] + turn[1, 1] * w[1] + turn[2, 1] * w[2]
    z = turn[0, 2] * w[0] + turn[1, 2] * w[1] + turn[2, 2] * w[2]
    v = point_velocity(here, triple(here.centre))
    spin = j[0] * x * x + j[1] * y * y + j[2] * z * z + 2.0 * (j[3] * x * y + j[4] * x * z + j[5] * y * z)
    return 0.5 * float(body.mass * dot(v, v) + spin)


@inner
def _bodies(
    plan: Plan, state: Array, ws: Workspace, dt: float, right: bool, first: bool, books: Books
) -> None:
    head = plan.head[0]
    gravity = triple(head.gravity)
    for i in range(1, len(plan.bodies)):
        body, present = plan.bodies[i], ws.condition.bodies[i]
        here, book = ws.bodies[i], books.bodies[i]
        _level(book.position, state[head.at_z + i - 1], first)
        _level(book.kinetic, _kinetic(present, here), first)
        _level(book.potential, -present.mass * dot(gravity, triple(here.centre)), first)
        stretch = state[head.at_z + i - 1] - body.rest
        _level(book.spring, 0.5 * body.stiffness * stretch * stretch, first)
        rate = state[head.at_v + i - 1]
        damper = body.damping * rate * rate
        _flow(book.damper, damper, dt, right)
        _flow(book.friction, here.drag * rate - damper, dt, right)


@inner
def _links(plan: Plan, ws: Workspace, dt: float, right: bool, first: bool, books: Books) -> None:
    for k in range(len(plan.links)):
        link, here, book = plan.links[k], ws.links[k], books.links[k]
        if link.kind == SPRING:
            stretch = here.length - link.length
            _level(book.spring, 0.5 * link.stiffness * stretch * stretch, first)
            _flow(book.damper, link.damping * here.speed * here.speed, dt, right)
        else:
            _flow(book.given, here.push * here.speed, dt, right)


@inner
def _oil(plan: Plan, state: Array, ws: Workspace, dt: float, right: bool, first: bool, books: Books) -> None:
    """At every instant the powers of nodes, edges and pistons add up to zero, so their sums do as well."""
    head = plan.head[0]
    p = state[head.at_p : head.at_p + head.scalars]
    for k in range(len(plan.nodes)):
        pressure = node_pressure(plan, ws, p, k)
        _level(books.nodes[k].pressure, pressure, first)
        _flow(books.nodes[k].inflow, pressure * ws.nodes[k].inflow, dt, right)
    for k in range(len(plan.edges)):
        edge, here, book = plan.edges[k], ws.edges[k], books.edges[k]
        drop = node_pressure(plan, ws, p, edge.a) - node_pressure(plan, ws, p, edge.b)
        _flow(book.flow, here.flow * drop, dt, right)
        if edge.kind == PUMP:
            speed = state[head.at_v + edge.shaft] if edge.shaft >= 0 else edge.speed
            _flow(book.shaft, here.torque * speed, dt, right)


@inner
def _cylinders(
    plan: Plan, state: Array, ws: Workspace, dt: float, right: bool, first: bool, books: Books
) -> None:
    """oil = rod + seal + end dampers: what is not given to the rod or a damper went against the seal."""
    head = plan.head[0]
    p = state[head.at_p : head.at_p + head.scalars]
    for k in range(head.cylinders):
        c, here, book = plan.cylinders[k], ws.cylinders[k], books.cylinders[k]
        seal = plan.frictions[k]
        force = (
            node_pressure(plan, ws, p, c.node_a) * c.area_a - node_pressure(plan, ws, p, c.node_b) * c.area_b
        )
        spring, energy, damping = _end_damper(c, here)
        friction = force + spring - damping * here.speed - here.push
        bend = p[head.volumes + seal.inner] if seal.inners > 0 else 0.0
        _level(book.length, here.length, first)
        _level(book.push, here.push, first)
        _level(book.cushion, energy, first)
        _level(book.bristle, 0.5 * seal.bristle * bend * bend, first)
        _flow(book.oil, force * here.speed, dt, right)
        _flow(book.rod, here.push * here.speed, dt, right)
        _flow(book.seal, friction * here.speed, dt, right)
        _flow(book.damper, damping * here.speed * here.speed, dt, right)


@inner
def _drives(
    plan: Plan, state: Array, ws: Workspace, dt: float, right: bool, first: bool, books: Books
) -> None:
    """Engines, and what is in buckets: soil comes aboard at rest and leaves with the bucket's speed."""
    head = plan.head[0]
    gravity, total = triple(head.gravity), 0.0
    for k in range(len(plan.diesels)):
        diesel, here, book = plan.diesels[k], ws.diesels[k], books.diesels[k]
        speed = state[head.at_v + diesel.coord]
        _flow(book.given, here.torque * speed, dt, right)
        _flow(book.fuel, fuel_rate(diesel, speed, here.torque)[0], dt, right)
        total += here.torque * speed
    for k in range(len(plan.soils)):
        soil, here, book = plan.soils[k], ws.soils[k], books.soils[k]
        at = triple(here.at)
        v = point_velocity(ws.bodies[soil.body], at)
        moving, height = 0.5 * dot(v, v), -dot(gravity, at)  # J/kg
        into, out = soil.density * max(here.rate, 0.0), soil.density * min(here.rate, 0.0)
        lost, carried = here.cut + into * moving, (into + out) * height + out * moving
        _level(book.kinetic, here.load * moving, first)
        _level(book.potential, here.load * height, first)
        _level(book.fill, here.load / soil.density, first)
        _level(book.force, here.force, first)
        _flow(book.lost, lost, dt, right)
        _flow(book.carried, carried, dt, right)
        _flow(book.dug, into, dt, right)
        total += carried - lost
    _flow(books.whole[0].drives, total, dt, right)


@inner
def _end_damper(c: Records, here: Records) -> tuple[float, float, float]:
    """Push of the springs, N, their energy, J, and the damping, N s/m, of both ends."""
    spring, energy, damping = 0.0, 0.0, 0.0
    if c.cushion > 0.0:
        for side in range(2):
            depth = c.cushion - (here.chamber_a if side == 0 else here.chamber_b)
            if depth > 0.0:
                spring += c.cushion_k * depth if side == 0 else -c.cushion_k * depth
                energy += 0.5 * c.cushion_k * depth * depth
                damping += c.cushion_c * min(depth / c.cushion, 1.0)
    return spring, energy, damping


@inner
def _whole(plan: Plan, dt: float, right: bool, first: bool, books: Books) -> None:
    whole = books.whole[0]
    kinetic, potential, elastic, work, given, shafts = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(1, len(books.bodies)):
        kinetic += books.bodies[i].kinetic[NOW]
        potential += books.bodies[i].potential[NOW]
        elastic += books.bodies[i].spring[NOW]
        given -= books.bodies[i].damper[POWER] + books.bodies[i].friction[POWER]
    for k in range(len(books.links)):
        elastic += books.links[k].spring[NOW]
        given += books.links[k].given[POWER] - books.links[k].damper[POWER]
    for k in range(len(books.cylinders)):
        work += books.cylinders[k].rod[SUM]
    for k in range(len(books.soils)):
        kinetic += books.soils[k].kinetic[NOW]
        potential += books.soils[k].potential[NOW]
    for k in range(len(books.edges)):
        if plan.edges[k].shaft >= 0:
            shafts += books.edges[k].shaft[POWER]
    _level(whole.kinetic, kinetic, first)
    _level(whole.potential, potential, first)
    _level(whole.elastic, elastic, first)
    _level(whole.work, work, first)
    _flow(whole.links, given, dt, right)
    _flow(whole.shafts, shafts, dt, right)
    begun = whole.kinetic[START] + whole.potential[START] + whole.elastic[START]
    explained = begun + work + whole.links[SUM] - whole.shafts[SUM] + whole.drives[SUM]
    _level(whole.drift, kinetic + potential + elastic - explained, first)


@inner
def _loops(plan: Plan, state: Array, ws: Workspace, first: bool, books: Books) -> None:
    head, whole = plan.head[0], books.whole[0]
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
