"""Computes the force with which the end of a cylinder stops its piston.

A cushion of length l_d acts before either end. Its force grows without limit as the piston nears the metal,
so no force drives the piston out of its tube. With the depth d = l_d - l of the piston in the cushion, the
chamber length l and the speed v with which the piston goes deeper (docs/methods/hydraulics.md):

    f(d) = k_d d / (1 - x⁴),   x = d/l_d
    F    = f (1 + λ max(v, 0)),   λ = c_d / (k_d l_d)

The damping acts on the way in only (Hunt and Crossley 1975), so the damper pushes and never pulls.
"""

from __future__ import annotations

from math import atanh

from simcore.kernels.jit import inner
from simcore.model.plan import Records

# The spring continues in a straight line from here. Newton's method can step beyond the metal, where the
# formula has no meaning; at this depth the force is already 25 times k_d l_d.
_STRAIGHT_FROM = 0.99


@inner
def damper_depth(c: Records, here: Records, side: int) -> float:
    """Depth of the piston in the cushion at end A (side 0) or B (side 1), m; negative: no contact."""
    return float(c.cushion - (here.chamber_a if side == 0 else here.chamber_b))


@inner
def damper_spring(c: Records, depth: float) -> tuple[float, float]:
    """Spring force f, N, and its slope f' = k_d (1 + 3x⁴) / (1 - x⁴)², N/m."""
    x = min(depth / c.cushion, _STRAIGHT_FROM)
    fourth = x * x * x * x
    room = 1.0 - fourth
    slope = c.cushion_k * (1.0 + 3.0 * fourth) / (room * room)
    return c.cushion_k * c.cushion * x / room + slope * (depth - x * c.cushion), slope


@inner
def damper_energy(c: Records, depth: float) -> float:
    """Energy in the spring, J: ∫ f dd = ½ k_d l_d² artanh x²."""
    x = min(depth / c.cushion, _STRAIGHT_FROM)
    further = depth - x * c.cushion
    force, slope = damper_spring(c, x * c.cushion)
    stored = 0.5 * c.cushion_k * c.cushion * c.cushion * atanh(x * x)
    return float(stored + further * (force + 0.5 * slope * further))


@inner
def damper_damping(c: Records, spring: float, inward: float) -> float:
    """Damping, N s/m, for a spring force and a speed into the cushion: λ f on the way in, else zero."""
    return spring * c.cushion_c / (c.cushion_k * c.cushion) if inward > 0.0 else 0.0


@inner
def push_back(c: Records, here: Records) -> None:
    """Add the dampers at both ends to a cylinder's force and to the derivatives of that force."""
    for side in range(2):
        depth = damper_depth(c, here, side)
        if depth > 0.0:
            away = 1.0 if side == 0 else -1.0  # direction in which this end pushes
            inward = -away * here.speed
            spring, slope = damper_spring(c, depth)
            damping = damper_damping(c, spring, inward)
            contact = spring + damping * inward
            here.contact += away * contact
            here.push += away * contact
            here.damping += damping
            here.stiffness += slope * contact / spring
