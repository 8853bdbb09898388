"""Bengisu-Akay friction with a viscous term: two expressions that meet at the Stribeck velocity."""

from __future__ import annotations

from math import exp

from simcore.kernels.jit import kernel


@kernel
def bengisu_akay(
    v: float, coulomb: float, static: float, stribeck: float, viscous: float, shape: float
) -> tuple[float, float]:
    """Friction force, N, at a velocity v, m/s, and its derivative, N s/m.

    Below v_s: F_s r (2 - r) with r = |v|/v_s, the published parabola written without cancellation near rest.
    Above: F_c + (F_s - F_c) exp(-ξ(|v| - v_s)) + σ₂ |v| (Jaiswal 2021, II). As published, the viscous part
    starts at v_s with a jump of σ₂ v_s.
    """
    size = abs(v)
    if size < stribeck:
        r = size / stribeck
        force, slope = static * r * (2.0 - r), 2.0 * static * (1.0 - r) / stribeck
    else:
        decay = (static - coulomb) * exp(-shape * (size - stribeck))
        force, slope = coulomb + decay + viscous * size, viscous - shape * decay
    return (force if v > 0.0 else (-force if v < 0.0 else 0.0)), slope
