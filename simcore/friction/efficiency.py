"""Friction as a lost share of the hydraulic force."""

from __future__ import annotations

from math import tanh

from simcore.kernels.jit import kernel


@kernel
def printed_efficiency(v: float, force: float, loss: float) -> tuple[float, float, float]:
    """Friction, N, its derivative over the velocity and over the hydraulic force.

    F_h (1 - η) v with v in m/s, as printed (Rahikainen 2018, II). While a negative force extends the rod it
    pushes along the motion: for the cases that published it, not for machines.
    """
    return force * loss * v, force * loss, loss * v


@kernel
def passive_efficiency(v: float, force: float, loss: float, fade: float) -> tuple[float, float, float]:
    """The same for machines: |F_h| (1 - η) tanh(v/v_0) opposes every motion."""
    side = tanh(v / fade)
    size = abs(force) * loss
    sign = 1.0 if force > 0.0 else -1.0
    return size * side, size * (1.0 - side * side) / fade, sign * loss * side
