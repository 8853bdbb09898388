"""Efficiency friction: a fixed share of the hydraulic force is lost."""

from __future__ import annotations

from math import tanh

from simcore.kernels.jit import kernel


@kernel
def printed_efficiency(v: float, force: float, loss: float) -> tuple[float, float, float]:
    """Friction, N, and its derivatives with respect to velocity and hydraulic force.

    F_h (1 - η) v with v in m/s, as published (Rahikainen 2018, II). If the rod extends against a negative
    hydraulic force, this friction acts in the direction of motion: for the published cases only.
    """
    return force * loss * v, force * loss, loss * v


@kernel
def passive_efficiency(v: float, force: float, loss: float, fade: float) -> tuple[float, float, float]:
    """Efficiency friction for machines: |F_h| (1 - η) tanh(v/v_0), which opposes every motion."""
    side = tanh(v / fade)
    size = abs(force) * loss
    sign = 1.0 if force > 0.0 else -1.0
    return size * side, size * (1.0 - side * side) / fade, sign * loss * side
