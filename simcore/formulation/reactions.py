"""Computes the forces in joints, pins and sections of bodies (docs/methods/reactions.md).

Inverse dynamics gives the wrench that the subtree of each body needs. What cylinders and loops supply is
taken off along the path between their two bodies, which leaves the wrench that passes through each joint.
All wrenches are [force, moment about the origin] in ground axes, N and N m.
"""

from __future__ import annotations

from math import sqrt

from simcore.algebra.linear import eliminate
from simcore.algebra.vector3 import Triple, carried, cross, dot, minus, plus, rotated, times, triple
from simcore.hydraulics.circuit import load_shafts
from simcore.kernels.jit import inner, kernel
from simcore.model.load_records import AT_JOINT, AT_LOOP, OF_CYLINDER, OF_JOINT, OF_LINK
from simcore.model.plan import Plan, Records
from simcore.model.workspace import LOOP_BALANCE, MISSING_FORCE, Array, Workspace
from simcore.multibody.dynamics import inverse_dynamics, needed_by


@inner
def _find_loop_forces(plan: Plan, state: Array, ws: Workspace, missing: Array) -> None:
    """Set ws.rows.force to λ with Φ_zᵀ λ = -missing: Φ_z Φ_zᵀ λ = -Φ_z missing.

    Not the multipliers in the state: the double step leaves them as they were, and those of a penalty belong
    to accelerations that had not yet been projected. But the equations alone do not say how redundant rows
    share a force, so there the multipliers of the penalty are taken, which share it as equally stiff pins.
    """
    head = plan.head[0]
    rows, n = head.rows, head.coords
    if head.redundant > 0:
        for k in range(rows):
            ws.rows[k].force = state[head.at_l + k]
        return
    for k in range(head.cylinders):
        for j in range(n):
            missing[j] -= ws.jac[rows + k, j] * ws.cylinders[k].push
    load_shafts(plan, ws, missing, 1.0)
    system = ws.matrix[LOOP_BALANCE]
    for k in range(rows):
        for i in range(k + 1):
            total = 0.0
            for j in range(n):
                total += ws.jac[k, j] * ws.jac[i, j]
            system[k, i], system[i, k] = total, total
        total = 0.0
        for j in range(n):
            total -= ws.jac[k, j] * missing[j]
        system[k, rows] = total
    eliminate(system, rows, 1)
    for k in range(rows):
        ws.rows[k].force = system[k, rows]


@inner
def _take_off(plan: Plan, ws: Workspace, a: int, b: int, size: float, wrench: Array) -> None:
    """Take a wrench on body b, and its opposite on a, off all joints between the two bodies.

    Beyond the body where the two paths to the ground meet, both ends are in the subtree and cancel.
    """
    while a != b:
        outer = max(a, b)  # a parent always comes before its children
        weight = -size if outer == b else size
        for i in range(6):
            ws.bodies[outer].wrench[i] += weight * wrench[i]
        if outer == b:
            b = plan.bodies[b].parent
        else:
            a = plan.bodies[a].parent


@inner
def find_reactions(plan: Plan, state: Array, ws: Workspace) -> None:
    """Set ws.bodies.wrench to the wrench of each joint on its body, and ws.rows.force to the loop forces.

    The state must have been placed and moved in `ws`. The wrench of a joint contains what acts in the joint
    itself: springs, dampers, friction, pumps and engines on a shaft.
    """
    head = plan.head[0]
    n, missing = head.coords, ws.vector[MISSING_FORCE]
    inverse_dynamics(plan, state[head.at_a : head.at_a + n], ws, missing)
    if head.rows > 0:
        _find_loop_forces(plan, state, ws, missing)
    for k in range(head.cylinders):
        c, here = plan.cylinders[k], ws.cylinders[k]
        _take_off(plan, ws, c.a, c.b, here.push, here.wrench)
    for k in range(head.rows):
        row, closed = plan.rows[k], ws.rows[k]
        _take_off(plan, ws, row.a, row.b, -closed.force, closed.wrench)


@inner
def loop_force(ws: Workspace, first: int, count: int) -> tuple[Triple, Triple]:
    """Force and moment about the origin of a loop joint on its body b."""
    force, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(first, first + count):
        row = ws.rows[k]
        force = minus(force, times(row.force, triple(row.wrench[:3])))
        moment = minus(moment, times(row.force, triple(row.wrench[3:])))
    return force, moment


@inner
def across(vector: Triple, axis: Triple) -> float:
    """Size of the part of a vector that is perpendicular to an axis; without an axis (zeros) all of it."""
    along = dot(vector, axis)
    return sqrt(max(dot(vector, vector) - along * along, 0.0))


@inner
def _store_load(place: Records, ws: Workspace, force: Triple, moment: Triple, out: Records) -> None:
    """Refer a wrench about the origin to the point and axes of a pin or section."""
    here = ws.bodies[place.body]
    moment = minus(moment, cross(carried(here, place.at), force))
    for i in range(3):
        axis = rotated(here.rotation, place.axes[i])
        out.force[i], out.moment[i] = dot(force, axis), dot(moment, axis)
    axis = rotated(ws.bodies[place.on].rotation, place.axis)
    out.axial, out.about = dot(force, axis), dot(moment, axis)
    out.radial, out.across = across(force, axis), across(moment, axis)


@inner
def _pin(plan: Plan, ws: Workspace, pin: Records, out: Records) -> None:
    if pin.kind == AT_JOINT:
        wrench = ws.bodies[pin.index].wrench
        force, moment = triple(wrench[:3]), triple(wrench[3:])
    elif pin.kind == AT_LOOP:
        force, moment = loop_force(ws, pin.index, pin.count)
    else:
        here = ws.cylinders[pin.index]
        size = pin.sign * here.push
        force, moment = times(size, triple(here.wrench[:3])), times(size, triple(here.wrench[3:]))
    _store_load(pin, ws, force, moment, out)


@inner
def _section(plan: Plan, ws: Workspace, section: Records, parts: Records, out: Records) -> None:
    """Wrench of the outboard part on the rest: what acts on that part, less what its mass needs."""
    body = ws.bodies[section.body]
    centre = carried(body, section.centre)
    force, moment = needed_by(section, body, centre, triple(plan.head[0].gravity))
    force, moment = times(-1.0, force), times(-1.0, moment)
    for k in range(section.first, section.first + section.count):
        part = parts[k]
        if part.kind == OF_JOINT:
            wrench, size = ws.bodies[part.index].wrench, part.sign
        elif part.kind == OF_CYLINDER:
            wrench, size = ws.cylinders[part.index].wrench, part.sign * ws.cylinders[part.index].push
        elif part.kind == OF_LINK:
            wrench, size = ws.links[part.index].wrench, part.sign * ws.links[part.index].push
        else:
            wrench, size = ws.rows[part.index].wrench, -part.sign * ws.rows[part.index].force
        force = plus(force, times(size, triple(wrench[:3])))
        moment = plus(moment, times(size, triple(wrench[3:])))
    _store_load(section, ws, force, moment, out)


@kernel
def joint_loads(
    plan: Plan, state: Array, ws: Workspace, pins: Records, sections: Records, parts: Records, out: Records
) -> None:
    """Loads of pins, then of sections, in N and N m; the state must have been placed and moved in `ws`.

    Pins, sections and parts are records of simcore/model/load_records.py. Nothing is allocated.
    """
    find_reactions(plan, state, ws)
    for k in range(len(pins)):
        _pin(plan, ws, pins[k], out[k])
    for k in range(len(sections)):
        _section(plan, ws, sections[k], parts, out[len(pins) + k])
