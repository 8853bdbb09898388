"""Inverse dynamics and the mass matrix, inwards from the tips (docs/methods/kinematics.md)."""

from __future__ import annotations

from simcore.jit import kernel
from simcore.model.plan import Plan, Records
from simcore.multibody.kinematics import accelerate_bodies
from simcore.multibody.triples import (
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
from simcore.work import MASS, Array, Work


@kernel
def refer_inertia(body: Records, here: Records) -> None:
    """Inertia of one body about the origin as ten numbers: A J Aᵀ + m (g·g I - g gᵀ)."""
    m, g, ten = body.mass, here.centre, here.inertia
    ten[0] = m
    for k in range(3):
        ten[1 + k] = m * g[k]
    for entry in range(6):
        i = entry if entry < 3 else (0 if entry < 5 else 1)
        j = entry if entry < 3 else (1 if entry == 3 else 2)
        spin = -m * g[i] * g[j]
        for k in range(3):
            spin += here.turn[i, k] * body.inertia[k] * here.turn[j, k]
        if i == j:
            spin += m * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
        ten[4 + entry] = spin


@kernel
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
def mass_matrix(plan: Plan, work: Work) -> None:
    """M_ij = b_i · I_j b_j, I_j the inertia of the subtree of j. Needs refer_inertia's fresh numbers."""
    last = len(plan.bodies) - 1
    for i in range(1, last + 1):
        refer_inertia(plan.bodies[i], work.bodies[i])
    for i in range(last, 0, -1):
        here = work.bodies[i]
        up = plan.bodies[i].parent
        if up > 0:
            for k in range(10):
                work.bodies[up].inertia[k] += here.inertia[k]
    mass = work.matrix[MASS]
    mass[:] = 0.0
    for j in range(1, last + 1):
        here = work.bodies[j]
        apply_inertia(here.inertia, here.b, here.wrench)
        i = j
        while i > 0:
            mass[i - 1, j - 1] = dot6(work.bodies[i].b, here.wrench)
            mass[j - 1, i - 1] = mass[i - 1, j - 1]
            i = plan.bodies[i].parent


@kernel
def _spin(body: Records, here: Records, w: Triple) -> Triple:
    """J w with J = A diag(J) Aᵀ."""
    out = (0.0, 0.0, 0.0)
    for k in range(3):
        axis = (here.turn[0, k], here.turn[1, k], here.turn[2, k])
        out = plus(out, times(body.inertia[k] * dot(axis, w), axis))
    return out


@kernel
def _needed_wrench(body: Records, here: Records, gravity: Triple) -> None:
    """What one body needs: [m (a_g - gravity), J dω + ω x J ω + g x m (a_g - gravity)].

    a_g = ds + dω x g + ω x (s + ω x g) because Z is differentiated, not the velocity of a material point.
    """
    w, g = triple(here.twist[3:]), triple(here.centre)
    ds, dw = triple(here.accel[:3]), triple(here.accel[3:])
    acc = plus(plus(ds, cross(dw, g)), cross(w, point_velocity(here, g)))
    force = times(body.mass, minus(acc, gravity))
    moment = plus(_spin(body, here, dw), cross(w, _spin(body, here, w)))
    store(force, here.wrench[:3])
    store(plus(moment, cross(g, force)), here.wrench[3:])


@kernel
def inverse_dynamics(plan: Plan, a: Array, work: Work, out: Array) -> None:
    """Joint torques that accelerations a need: M a + velocity terms + weight."""
    accelerate_bodies(plan, a, work)
    gravity = triple(plan.head[0].gravity)
    last = len(plan.bodies) - 1
    for i in range(1, last + 1):
        _needed_wrench(plan.bodies[i], work.bodies[i], gravity)
    for i in range(last, 0, -1):
        here = work.bodies[i]
        out[i - 1] = dot6(here.b, here.wrench)
        up = plan.bodies[i].parent
        if up > 0:
            for k in range(6):
                work.bodies[up].wrench[k] += here.wrench[k]


@kernel
def mechanical_energy(plan: Plan, work: Work) -> float:
    """Kinetic energy plus energy of weight, J."""
    gravity = triple(plan.head[0].gravity)
    energy = 0.0
    for i in range(1, len(plan.bodies)):
        body, here = plan.bodies[i], work.bodies[i]
        w, g = triple(here.twist[3:]), triple(here.centre)
        v = point_velocity(here, g)
        energy += body.mass * (0.5 * dot(v, v) - dot(gravity, g)) + 0.5 * dot(w, _spin(body, here, w))
    return energy
