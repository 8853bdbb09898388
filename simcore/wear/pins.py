"""Wear of pins and bushings (Archard 1953): the depth grows with pressure and sliding distance.

    dh = k p |ds|,   p = F/(d b),   ds = (d/2) dθ

h: depth, m; k: specific wear rate, m³/(N m); F: radial force, N; d, b: diameter and width of the bushing, m;
θ: angle between pin and bushing, rad. Grease multiplies k: 1 as greased in time, more where it is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from simcore.kernels.jit import kernel
from simcore.model.quantity import Quantity, assumed
from simcore.wear.checks import positive

# 1.5 mm in 10,000 h of a boom pin at 25 MPa with 16 m of sliding an hour; K = k H of 8e-7 at a hardness of
# 2 GPa, the class of boundary lubrication
_WEAR_RATE = assumed(4e-16, "m³/(N m)", "greased steel bushing, boundary lubrication")
_LIMIT = assumed(1.5e-3, "m", "play at which bushings are replaced")


@dataclass(frozen=True, slots=True)
class Bushing:
    """A pin in its bushing."""

    name: str
    diameter: Quantity  # m
    width: Quantity  # m
    wear_rate: Quantity = _WEAR_RATE  # m³/(N m)
    limit: Quantity = _LIMIT  # m, depth at the end of its life

    def __post_init__(self) -> None:
        for field in ("diameter", "width", "wear_rate", "limit"):
            positive(self.name, field, float(getattr(self, field)))

    @property
    def depth_per_load(self) -> float:
        """Depth per force and angle, m/(N rad): k/(2 b)."""
        return float(self.wear_rate) / (2.0 * float(self.width))


@kernel
def wear_depth(depth_per_load: float, force: float, turn: float, grease: float) -> float:
    """Depth, m, that a turn, rad, under a radial force, N, wears off."""
    return depth_per_load * grease * abs(force) * abs(turn)
