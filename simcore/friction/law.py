"""Computes the friction of a seal or a joint according to its friction law."""

from __future__ import annotations

from simcore.friction.bengisu_akay import bengisu_akay
from simcore.friction.brown_mcphee import brown_mcphee
from simcore.friction.efficiency import passive_efficiency, printed_efficiency
from simcore.friction.lugre import film_rate, micro_damping, slip
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import (
    BENGISU_AKAY,
    BROWN_MCPHEE,
    EFFICIENCY,
    LUGRE,
    MODIFIED_LUGRE,
    PASSIVE_EFFICIENCY,
    Plan,
    Records,
)
from simcore.model.workspace import Array, Workspace


@inner
def resist(plan: Plan, k: int, v: float, force: float, p: Array, ws: Workspace) -> None:
    """Compute friction k at speed v under a hydraulic force; leaves force and derivatives in `ws`.

    p: pressures of the volumes, then the states of the frictions.
    """
    f, here = plan.frictions[k], ws.frictions[k]
    friction, damping, over_force = 0.0, 0.0, 0.0
    if f.law == BROWN_MCPHEE:
        friction, damping = brown_mcphee(v, f.coulomb, f.static, f.stribeck, f.viscous)
    elif f.law == BENGISU_AKAY:
        friction, damping = bengisu_akay(v, f.coulomb, f.static, f.stribeck, f.viscous, f.shape)
    elif f.law == EFFICIENCY:
        friction, damping, over_force = printed_efficiency(v, force, f.loss)
    elif f.law == PASSIVE_EFFICIENCY:
        friction, damping, over_force = passive_efficiency(v, force, f.loss, f.stribeck)
    elif f.law == LUGRE or f.law == MODIFIED_LUGRE:
        first = plan.head[0].volumes + f.inner
        film = p[first + 1] if f.inners > 1 else 0.0
        friction, damping = _bristles(f, here, v, p[first], film)
    here.force = friction
    here.damping = damping
    here.gain = 1.0 - over_force


@outlined
def _bristles(f: Records, here: Records, v: float, q: float, film: float) -> tuple[float, float]:
    """F = σ₀ q + σ₁ dq/dt + σ₂ v with dq/dt = v - σ₀ |v| q / g (Jaiswal 2021, II)."""
    ratio, ratio_v, ratio_film = slip(v, film, f.coulomb, f.static, f.stribeck, f.exponent)
    sigma = micro_damping(f.micro, ratio)
    rate = v - f.bristle * ratio * q
    bend = 0.25 * sigma * sigma * rate
    here.rate[0] = rate
    here.rate_v[0] = 1.0 - f.bristle * q * ratio_v
    here.rate_x[0, 0] = -f.bristle * ratio
    here.rate_x[0, 1] = -f.bristle * q * ratio_film
    here.push_x[0] = -(f.bristle + sigma * here.rate_x[0, 0])
    here.push_x[1] = -(sigma * here.rate_x[0, 1] - bend * ratio_film)
    if f.law == MODIFIED_LUGRE:
        here.rate[1], here.rate_v[1], here.rate_x[1, 1] = film_rate(
            v, film, f.coulomb, f.static, f.film_speed, f.film_up, f.film_down, f.film_dwell
        )
        here.rate_x[1, 0] = 0.0
    damping = sigma * here.rate_v[0] - bend * ratio_v + f.viscous
    return f.bristle * q + sigma * rate + f.viscous * v, damping


@inner
def drag_joints(plan: Plan, v: Array, p: Array, ws: Workspace) -> None:
    """Add friction in joints to the drag of their bodies; the bodies must have been moved."""
    for k in range(plan.head[0].cylinders, len(plan.frictions)):
        j = plan.frictions[k].coord
        resist(plan, k, v[j], 0.0, p, ws)
        here = ws.bodies[j + 1]
        here.drag += ws.frictions[k].force


@inner
def inner_rate(plan: Plan, ws: Workspace, state: int) -> float:
    """Rate of a friction state, per second."""
    for k in range(len(plan.frictions)):
        first = plan.frictions[k].inner
        if first <= state < first + plan.frictions[k].inners:
            return float(ws.frictions[k].rate[state - first])
    return 0.0
