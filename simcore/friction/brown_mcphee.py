"""Brown-McPhee friction: one smooth expression from rest through the Stribeck peak to viscous drag."""

from __future__ import annotations

from math import tanh

from simcore.kernels.jit import kernel

_TANH_4 = 0.999329299739067  # tanh(4)


@kernel
def brown_mcphee(
    v: float, coulomb: float, static: float, stribeck: float, viscous: float
) -> tuple[float, float]:
    """Friction force, N, at a velocity v, m/s, and its derivative, N s/m.

    F = F_c tanh(4 r) + (F_s - F_c) r / (r²/4 + 3/4)² + σ₂ v tanh 4 with r = v / v_s (Jaiswal 2021, II;
    Brown and McPhee 2016). Written in v instead of |v| sgn v, so it is smooth through zero.
    """
    r = v / stribeck
    t = tanh(4.0 * r)
    bowl = 0.25 * r * r + 0.75
    peak = static - coulomb
    force = coulomb * t + peak * r / (bowl * bowl) + viscous * v * _TANH_4
    slope = 4.0 * coulomb * (1.0 - t * t) + peak * (bowl - r * r) / (bowl * bowl * bowl)
    return force, slope / stribeck + viscous * _TANH_4
