"""The friction of a piston seal by whichever law its cylinder has."""

from __future__ import annotations

from simcore.friction.bengisu_akay import bengisu_akay
from simcore.friction.brown_mcphee import brown_mcphee
from simcore.friction.efficiency import passive_efficiency, printed_efficiency
from simcore.friction.lugre import film_rate, micro_damping, slip
from simcore.jit import inner
from simcore.model.plan import (
    BENGISU_AKAY,
    BROWN_MCPHEE,
    EFFICIENCY,
    LUGRE,
    MODIFIED_LUGRE,
    PASSIVE_EFFICIENCY,
    Records,
)


@inner
def seal_friction(c: Records, here: Records, force: float, bristle: float, film: float) -> float:
    """Friction, N, of a cylinder that moves with here.speed; leaves its derivatives behind."""
    v = here.speed
    friction, damping, over_force = 0.0, 0.0, 0.0
    if c.law == BROWN_MCPHEE:
        friction, damping = brown_mcphee(v, c.coulomb, c.static, c.stribeck, c.viscous)
    elif c.law == BENGISU_AKAY:
        friction, damping = bengisu_akay(v, c.coulomb, c.static, c.stribeck, c.viscous, c.shape)
    elif c.law == EFFICIENCY:
        friction, damping, over_force = printed_efficiency(v, force, c.loss)
    elif c.law == PASSIVE_EFFICIENCY:
        friction, damping, over_force = passive_efficiency(v, force, c.loss, c.stribeck)
    elif c.law == LUGRE or c.law == MODIFIED_LUGRE:
        friction, damping = _bristles(c, here, bristle, film)
    here.damping = damping
    here.gain = 1.0 - over_force
    return float(friction)


@inner
def _bristles(c: Records, here: Records, q: float, film: float) -> tuple[float, float]:
    """F = σ₀ q + σ₁ dq/dt + σ₂ v with dq/dt = v - σ₀ |v| q / g (Jaiswal 2021, II)."""
    v = here.speed
    ratio, ratio_v, ratio_film = slip(v, film, c.coulomb, c.static, c.stribeck, c.exponent)
    sigma = micro_damping(c.micro, ratio)
    rate = v - c.bristle * ratio * q
    bend = 0.25 * sigma * sigma * rate
    here.rate[0] = rate
    here.rate_v[0] = 1.0 - c.bristle * q * ratio_v
    here.rate_x[0, 0] = -c.bristle * ratio
    here.rate_x[0, 1] = -c.bristle * q * ratio_film
    here.push_x[0] = -(c.bristle + sigma * here.rate_x[0, 0])
    here.push_x[1] = -(sigma * here.rate_x[0, 1] - bend * ratio_film)
    if c.law == MODIFIED_LUGRE:
        here.rate[1], here.rate_v[1], here.rate_x[1, 1] = film_rate(
            v, film, c.coulomb, c.static, c.film_speed, c.film_up, c.film_down, c.film_dwell
        )
        here.rate_x[1, 0] = 0.0
    damping = sigma * here.rate_v[0] - bend * ratio_v + c.viscous
    return c.bristle * q + sigma * rate + c.viscous * v, damping
