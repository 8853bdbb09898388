"""LuGre friction: bristles that bend before they slide, with or without a lubricant film."""

from __future__ import annotations

from math import exp

from simcore.kernels.jit import kernel

_DWELL = 1e-6  # m/s; below it the film sees a piston at rest
_GENTLE = 1e-4  # m/s; below it the film's slope over the speed is kept finite in the tangent


@kernel
def slip(
    v: float, film: float, coulomb: float, static: float, stribeck: float, exponent: float
) -> tuple[float, float, float]:
    """|v|/g, m/(s N), and its derivatives with respect to velocity and film.

    g = F_c + ((1 - |h|) F_s - F_c) exp(-(|v|/v_s)ⁿ).
    """
    share = abs(v) / stribeck
    power = share * share if exponent == 2.0 else share**exponent
    decay = exp(-power)
    peak = (1.0 - abs(film)) * static - coulomb
    g = coulomb + peak * decay
    ratio = abs(v) / g
    over_v = (1.0 + peak * decay * exponent * power / g) / g
    over_film = ratio * static * decay / g
    return ratio, (over_v if v >= 0.0 else -over_v), (over_film if film >= 0.0 else -over_film)


@kernel
def film_rate(
    v: float,
    film: float,
    coulomb: float,
    static: float,
    full_at: float,
    build: float,
    decay: float,
    dwell: float,
) -> tuple[float, float, float]:
    """dh/dt = (h_ss - h)/τ, 1/s, and its derivatives with respect to velocity and film.

    h_ss = (1 - F_c/F_s)(|v|/v_b)^(2/3), constant above v_b. The published τ changes at exactly v = 0, which
    no integrator hits; here the dwell time applies below 1 µm/s.
    """
    top = 1.0 - coulomb / static if static > 0.0 else 0.0
    share = min(abs(v) / full_at, 1.0)
    steady = top * share ** (2.0 / 3.0)
    rest = 1.0 / (1.0 + (v / _DWELL) * (v / _DWELL))
    moving = build if abs(film) <= steady else decay
    pace = rest / dwell + (1.0 - rest) / moving
    over_v = 0.0
    if share < 1.0:
        gentle = max(abs(v), _GENTLE) / full_at
        over_v = pace * top * (2.0 / 3.0) * gentle ** (-1.0 / 3.0) / full_at
    return pace * (steady - film), (over_v if v >= 0.0 else -over_v), -pace


@kernel
def micro_damping(damping: float, ratio: float) -> float:
    """Damping of the bristles, N s/m: σ₁/(1 + σ₁|v|/(4 g)).

    A constant σ₁ can create energy in a reversal; damping up to 4 g/|v| cannot (docs/methods/friction.md).
    """
    return damping / (1.0 + 0.25 * damping * ratio)
