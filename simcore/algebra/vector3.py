"""Calculates with vectors as tuples of three numbers.

The compiler keeps such tuples in registers, so no memory is allocated.
"""

from __future__ import annotations

from simcore.kernels.jit import inner
from simcore.model.plan import Records
from simcore.model.workspace import Array

Triple = tuple[float, float, float]


@inner
def triple(a: Array) -> Triple:
    return a[0], a[1], a[2]


@inner
def store(a: Triple, out: Array) -> None:
    out[0], out[1], out[2] = a


@inner
def plus(a: Triple, b: Triple) -> Triple:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inner
def minus(a: Triple, b: Triple) -> Triple:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def times(k: float, a: Triple) -> Triple:
    return k * a[0], k * a[1], k * a[2]


@inner
def dot(a: Triple, b: Triple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def cross(a: Triple, b: Triple) -> Triple:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner
def rotated(rotation: Array, local: Array) -> Triple:
    """Converts a body-fixed direction to ground axes."""
    return (
        rotation[0, 0] * local[0] + rotation[0, 1] * local[1] + rotation[0, 2] * local[2],
        rotation[1, 0] * local[0] + rotation[1, 1] * local[1] + rotation[1, 2] * local[2],
        rotation[2, 0] * local[0] + rotation[2, 1] * local[1] + rotation[2, 2] * local[2],
    )


@inner
def carried(body: Records, local: Array) -> Triple:
    """Converts a body-fixed point to ground coordinates, m."""
    return plus(triple(body.origin), rotated(body.rotation, local))


@inner
def point_velocity(body: Records, point: Triple) -> Triple:
    """Velocity of the material point of the body at position r: s + ω x r."""
    return plus(triple(body.twist[:3]), cross(triple(body.twist[3:]), point))


@inner
def dot6(a: Array, b: Array) -> float:
    """Scalar product of two six-component vectors, such as a wrench and a velocity Z."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
