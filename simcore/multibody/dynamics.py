"""Computes inverse dynamics and the mass matrix, from the outermost bodies to the ground.

docs/methods/kinematics.md gives the equations.
"""

from __future__ import annotations

from simcore.algebra.vector3 import (
    Triple,
    cross,
    dot,
    dot6,
    minus,
    plus,
    point_velocity,
    store,
    times,
    triple,
)
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import Plan, Records
from simcore.model.workspace import MASS, Array, Workspace
from simcore.multibody.kinematics import accelerate_bodies
from simcore.multibody.links import apply_links, spring_energy
from simcore.soil.digging import bear_soils, load_inertia


@inner
def across(j: Array, w: Triple) -> Triple:
    """J w in body axes; the symmetric J is given as xx, yy, zz, xy, xz, yz."""
    return (
        j[0] * w[0] + j[3] * w[1] + j[4] * w[2],
        j[3] * w[0] + j[1] * w[1] + j[5] * w[2],
        j[4] * w[0] + j[5] * w[1] + j[2] * w[2],
    )


@inner
def refer_inertia(body: Records, here: Records) -> None:
    """Inertia of one body about the origin as ten numbers: A J Aᵀ + m (g·g I - g gᵀ)."""
    m, g, ten = body.mass, here.centre, here.inertia
    ten[0] = m
    for k in range(3):
        ten[1 + k] = m * g[k]
    for entry in range(6):
        i = entry if entry < 3 else (0 if entry < 5 else 1)
        j = entry if entry < 3 else (1 if entry == 3 else 2)
        spin = -m * g[i] * g[j] + dot(
            across(body.inertia, triple(here.rotation[i])), triple(here.rotation[j])
        )
        if i == j:
            spin += m * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
        ten[4 + entry] = spin


@inner
def apply_inertia(ten: Array, twist: Array, out: Array) -> None:
    """Momentum of a composite body: [m s + ω x m g, m g x s + J ω]."""
    m, gx, gy, gz = ten[0], ten[1], ten[2], ten[3]
    sx, sy, sz, wx, wy, wz = twist[0], twist[1], twist[2], twist[3], twist[4], twist[5]
    out[0] = m * sx + wy * gz - wz * gy
    out[1] = m * sy + wz * gx - wx * gz
    out[2] = m * sz + wx * gy - wy * gx
    out[3] = gy * sz - gz * sy + ten[4] * wx + ten[7] * wy + ten[8] * wz
    out[4] = gz * sx - gx * sz + ten[7] * wx + ten[5] * wy + ten[9] * wz
    out[5] = gx * sy - gy * sx + ten[8] * wx + ten[9] * wy + ten[6] * wz


@kernel
def mass_matrix(plan: Plan, ws: Workspace) -> None:
    """M_ij = b_i · I_j b_j with the inertia I_j of the subtree of j. Call refer_inertia first."""
    last = len(plan.bodies) - 1
    for i in range(1, last + 1):
        refer_inertia(ws.condition.bodies[i], ws.bodies[i])
    if len(plan.soils) > 0:
        load_inertia(plan.soils, ws.bodies, ws.soils)
    for i in range(last, 0, -1):
        here = ws.bodies[i]
        up = plan.bodies[i].parent
        if up > 0:
            for k in range(10):
                ws.bodies[up].inertia[k] += here.inertia[k]
    mass = ws.matrix[MASS]
    for i in range(last):
        for j in range(last):
            mass[i, j] = 0.0
    for j in range(1, last + 1):
        here = ws.bodies[j]
        apply_inertia(here.inertia, here.b, here.wrench)
        i = j
        while i > 0:
            mass[i - 1, j - 1] = dot6(ws.bodies[i].b, here.wrench)
            mass[j - 1, i - 1] = mass[i - 1, j - 1]
            i = plan.bodies[i].parent


@inner
def _spin(body: Records, here: Records, w: Triple) -> Triple:
    """J w in ground axes, J = A J_body Aᵀ."""
    t, j = here.rotation, body.inertia
    x = t[0, 0] * w[0] + t[1, 0] * w[1] + t[2, 0] * w[2]
    y = t[0, 1] * w[0] + t[1, 1] * w[1] + t[2, 1] * w[2]
    z = t[0, 2] * w[0] + t[1, 2] * w[1] + t[2, 2] * w[2]
    p = j[0] * x + j[3] * y + j[4] * z
    q = j[3] * x + j[1] * y + j[5] * z
    r = j[4] * x + j[5] * y + j[2] * z
    return (
        t[0, 0] * p + t[0, 1] * q + t[0, 2] * r,
        t[1, 0] * p + t[1, 1] * q + t[1, 2] * r,
        t[2, 0] * p + t[2, 1] * q + t[2, 2] * r,
    )


@inner
def needed_by(part: Records, here: Records, g: Triple, gravity: Triple) -> tuple[Triple, Triple]:
    """Force, and moment about the origin, that a mass with its centre at g needs to move with a body.

    [m (a_g - gravity), J dω + ω x J ω + g x m (a_g - gravity)] with a_g = ds + dω x g + ω x (s + ω x g)
    because Z is differentiated, not the velocity of a material point. part: record with mass and inertia.
    """
    w, ds, dw = triple(here.twist[3:]), triple(here.accel[:3]), triple(here.accel[3:])
    acc = plus(plus(ds, cross(dw, g)), cross(w, point_velocity(here, g)))
    force = times(part.mass, minus(acc, gravity))
    moment = plus(_spin(part, here, dw), cross(w, _spin(part, here, w)))
    return force, plus(moment, cross(g, force))


@inner
def needed_wrench(body: Records, here: Records, gravity: Triple) -> None:
    """Set here.wrench to the wrench that one body needs."""
    force, moment = needed_by(body, here, triple(here.centre), gravity)
    store(force, here.wrench[:3])
    store(moment, here.wrench[3:])


@kernel
def inverse_dynamics(plan: Plan, a: Array, ws: Workspace, out: Array) -> None:
    """Joint torques that accelerations a need: M a + h.

    h contains velocity terms, weight, all links and soil.
    """
    accelerate_bodies(plan.bodies, a, ws.bodies)
    gravity = triple(plan.head[0].gravity)
    last = len(plan.bodies) - 1
    for i in range(1, last + 1):
        needed_wrench(ws.condition.bodies[i], ws.bodies[i], gravity)
    if len(plan.links) > 0:
        apply_links(plan, ws)
    if len(plan.soils) > 0:
        bear_soils(plan.soils, plan.head[0].gravity, ws.bodies, ws.soils)
    for i in range(last, 0, -1):
        here = ws.bodies[i]
        out[i - 1] = dot6(here.b, here.wrench) + here.hold + here.drag
        up = plan.bodies[i].parent
        if up > 0:
            for k in range(6):
                ws.bodies[up].wrench[k] += here.wrench[k]


@kernel
def mechanical_energy(plan: Plan, ws: Workspace) -> float:
    """Kinetic energy plus potential energy of gravity and springs, J."""
    gravity = triple(plan.head[0].gravity)
    energy = 0.0
    for i in range(1, len(plan.bodies)):
        body, here, stiffness = ws.condition.bodies[i], ws.bodies[i], plan.bodies[i].stiffness
        w, g = triple(here.twist[3:]), triple(here.centre)
        v = point_velocity(here, g)
        energy += body.mass * (0.5 * dot(v, v) - dot(gravity, g)) + 0.5 * dot(w, _spin(body, here, w))
        if stiffness > 0.0:
            energy += 0.5 * here.hold * here.hold / stiffness
    return energy + spring_energy(plan, ws)
