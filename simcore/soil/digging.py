"""Simulates a bucket that digs: resistance at its edge, fill, weight of the soil inside, dumping.

The resistance of a blade of width w at depth d follows from the fundamental equation of earthmoving (Reece
1964; McKyes 1985), R = w (γ N_γ d² + c N_c d + q N_q d), with constant factors for a soil class. It acts
against the velocity of the edge, so it never creates energy (docs/methods/digging.md).
"""

from __future__ import annotations

from math import sqrt

from simcore.algebra.vector3 import (
    Triple,
    carried,
    cross,
    dot,
    minus,
    plus,
    point_velocity,
    rotated,
    store,
    times,
    triple,
)
from simcore.kernels.jit import inner, kernel, outlined
from simcore.model.plan import Records
from simcore.model.workspace import Array

_BRIM = 8  # power of the fill's share at which a bucket stops taking more


@kernel
def contact(depth: float, soft: float) -> tuple[float, float]:
    """Effective depth, m, and its slope: zero above the ground, a smooth onset, then the depth itself."""
    if depth <= 0.0:
        return 0.0, 0.0
    if depth < soft:
        return 0.5 * depth * depth / soft, depth / soft
    return depth - 0.5 * soft, 1.0


@kernel
def resistance(soil: Records, depth: float, share: float) -> float:
    """Resistance R of the edge, N, at an effective depth, m. share: filled share of the capacity."""
    return float(soil.width * depth * (soil.weight * depth + soil.cohesion + soil.surcharge * share))


@kernel
def brim(share: float) -> float:
    """Share of the cut soil that enters the bucket; falls from 1 to 0 as the bucket fills."""
    if share <= 0.0:
        return 1.0
    return max(1.0 - share**_BRIM, 0.0)


@kernel
def pouring(soil: Records, upward: float) -> float:
    """Pouring, 0 to 1, for a tilt of the bucket's mouth. upward: vertical component of its direction."""
    x = (soil.pours - upward) / soil.open
    if x <= 0.0:
        return 0.0
    return 1.0 if x >= 1.0 else x * x * (3.0 - 2.0 * x)


@inner
def _fill(soil: Records, here: Records, bucket: Records, fill: float) -> None:
    here.load = soil.density * fill
    store(carried(bucket, soil.centre), here.at)


@outlined
def place_loads(soils: Records, bodies: Records, fills: Array, dug: Records) -> None:
    """Mass and position of the soil in the buckets; the bodies must have been placed."""
    for k in range(len(soils)):
        _fill(soils[k], dug[k], bodies[soils[k].body], fills[k])


@outlined
def dig(soils: Records, pull: Array, bodies: Records, fills: Array, dug: Records) -> None:
    """Forces of the soil and rates of the fills; bodies must have been placed and moved. pull: gravity, m/s².

    Takes few arguments because passing the whole plan is slower.
    """
    gravity = triple(pull)
    size = sqrt(dot(gravity, gravity))
    for k in range(len(soils)):
        soil, here = soils[k], dug[k]
        bucket, fill = bodies[soil.body], fills[k]
        edge = carried(bucket, soil.edge)
        depth, touch = contact(soil.level - dot(triple(soil.normal), edge), soil.soft)
        share = fill / soil.capacity
        v = point_velocity(bucket, edge)
        pace = sqrt(dot(v, v) + soil.fade_speed * soil.fade_speed)
        along = dot(v, rotated(bucket.rotation, soil.forward))
        _fill(soil, here, bucket, fill)
        # 0 to 1: against or along the cutting direction
        sense = 0.5 * (1.0 + along / pace)
        size_r = resistance(soil, depth, max(share, 0.0)) * (soil.backward + (1.0 - soil.backward) * sense)
        here.grip = size_r / pace
        store(times(1.0 / pace, v), here.pull)
        store(edge, here.edge)
        force = times(-here.grip, v)
        here.force = here.grip * sqrt(dot(v, v))
        here.cut = here.grip * dot(v, v)
        taken = soil.swell * soil.width * depth * _forward(along, soil.fade_speed) * brim(share)
        upward = 1.0
        if size > 0.0:
            upward = -dot(rotated(bucket.rotation, soil.mouth), gravity) / size
        # while the edge is in the ground nothing falls out
        here.poured = (1.0 - touch) * pouring(soil, upward) / soil.pour_time
        here.rate = taken - here.poured * fill
        # soil that lay still is carried along from now on
        drawn = times(-soil.density * max(here.rate, 0.0), point_velocity(bucket, triple(here.at)))
        store(plus(force, drawn), here.wrench[:3])
        store(plus(cross(edge, force), cross(triple(here.at), drawn)), here.wrench[3:])


@inner
def _forward(speed: float, fade_speed: float) -> float:
    """Speed in the cutting direction, m/s; zero backwards, with a smooth transition."""
    if speed <= 0.0:
        return 0.0
    return speed * speed / (speed + fade_speed)


@inner
def _needed(here: Records, at: Triple, mass: float, accel: Array, gravity: Triple) -> Triple:
    """Force that a mass at a point of a body needs: m (ds + dω x r + ω x (s + ω x r) - gravity)."""
    w = triple(here.twist[3:])
    turning = plus(cross(triple(accel[3:]), at), cross(w, point_velocity(here, at)))
    return times(mass, minus(plus(triple(accel[:3]), turning), gravity))


@outlined
def bear_soils(soils: Records, pull: Array, bodies: Records, dug: Records) -> None:
    """Add the wrenches that loads in buckets need, minus the forces of the soil, to those of their bodies."""
    gravity = triple(pull)
    for k in range(len(soils)):
        soil, body = dug[k], bodies[soils[k].body]
        at = triple(soil.at)
        force = _needed(body, at, soil.load, body.accel, gravity)
        moment = cross(at, force)
        for i in range(3):
            body.wrench[i] += force[i] - soil.wrench[i]
            body.wrench[3 + i] += moment[i] - soil.wrench[3 + i]


@outlined
def load_inertia(soils: Records, bodies: Records, dug: Records) -> None:
    """Add the loads in buckets to the inertia of their bodies about the origin (ten numbers)."""
    for k in range(len(soils)):
        soil, ten = dug[k], bodies[soils[k].body].inertia
        m, x, y, z = soil.load, soil.at[0], soil.at[1], soil.at[2]
        ten[0] += m
        ten[1] += m * x
        ten[2] += m * y
        ten[3] += m * z
        ten[4] += m * (y * y + z * z)
        ten[5] += m * (x * x + z * z)
        ten[6] += m * (x * x + y * y)
        ten[7] -= m * x * y
        ten[8] -= m * x * z
        ten[9] -= m * y * z


@outlined
def load_articulated(soils: Records, pull: Array, bodies: Records, dug: Records) -> None:
    """Add loads in buckets to articulated inertias (21 numbers) and wrenches at zero joint accelerations."""
    gravity = triple(pull)
    for k in range(len(soils)):
        soil, body = dug[k], bodies[soils[k].body]
        at, m = triple(soil.at), soil.load
        x, y, z = at
        full = body.articulated
        full[0] += m
        full[4] += m * z
        full[5] -= m * y
        full[6] += m
        full[8] -= m * z
        full[10] += m * x
        full[11] += m
        full[12] += m * y
        full[13] -= m * x
        full[15] += m * (y * y + z * z)
        full[16] -= m * x * y
        full[17] -= m * x * z
        full[18] += m * (x * x + z * z)
        full[19] -= m * y * z
        full[20] += m * (x * x + y * y)
        force = _needed(body, at, m, body.bias, gravity)
        moment = cross(at, force)
        for i in range(3):
            body.wrench[i] += force[i] - soil.wrench[i]
            body.wrench[3 + i] += moment[i] - soil.wrench[3 + i]
