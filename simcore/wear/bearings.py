"""Rolling bearings: rating life with lubrication and contamination (ISO 281:2007, modified rating life).

    L_nm = a₁ a_ISO (C/P)^p · 10⁶ revolutions,   damage of ΔN revolutions = ΔN/L_nm

P: equivalent load, N; C: dynamic load rating, N; p: 3 for balls, 10/3 for rollers; a₁: reliability, 1 at
90 %. a_ISO depends on the viscosity ratio κ and on e_C C_u/P, with contamination e_C and fatigue limit C_u:

    a_ISO = 0.1 (1 - (x - y/κ^z)^u (e_C C_u/P)^w)^(-v),   at most 50

Contributions of loads that change add as damage (Palmgren), which equals the mean load of the standard.
A bearing that swings makes |Δθ|/2π revolutions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Literal

from simcore.kernels.jit import kernel
from simcore.model.quantity import Quantity, assumed, standard
from simcore.wear.checks import between, positive

_RELIABLE = standard(1.0, "1", "ISO 281: reliability of 90 %")
_KAPPA = assumed(1.0, "1", "viscosity ratio: just enough oil film")
_NORMAL = standard(0.5, "1", "ISO 281, annex A: normal cleanliness, 0.5 to 0.6")
_MOST = 50.0  # a_ISO, ISO 281, section 9.3.3
_MOST_KAPPA, _LEAST_KAPPA = 4.0, 0.1  # range of the standard; beyond it the end of the range counts
BALL, ROLLER = range(2)


@dataclass(frozen=True, slots=True)
class Bearing:
    """A radial rolling bearing."""

    name: str
    kind: Literal["ball", "roller"]
    rating: Quantity  # N, dynamic load rating C
    fatigue_limit: Quantity  # N, C_u
    viscosity_ratio: Quantity = _KAPPA
    cleanliness: Quantity = _NORMAL  # e_C: 1 extremely clean, 0.1 to 0 severe contamination
    reliability: Quantity = _RELIABLE  # a₁

    def __post_init__(self) -> None:
        for field in ("rating", "fatigue_limit", "viscosity_ratio", "reliability"):
            positive(self.name, field, float(getattr(self, field)))
        between(self.name, "cleanliness", float(self.cleanliness), 0.0, 1.0)
        between(self.name, "reliability", float(self.reliability), 0.05, 1.0)


@kernel
def modification(kind: int, kappa: float, clean_load: float) -> float:
    """a_ISO of a radial bearing (ISO 281:2007, equations 31 to 36). clean_load: e_C C_u/P."""
    kappa = min(max(kappa, _LEAST_KAPPA), _MOST_KAPPA)
    ball = kind == BALL
    # no film at all: rounded as printed, the constants of rollers would give a little less than none at 0.1
    if kappa < 0.4:
        film = (2.2649 if ball else 1.3993) / kappa**0.054381
    elif kappa < 1.0:
        film = (1.9987 if ball else 1.2348) / kappa**0.19087
    else:
        film = (1.9987 if ball else 1.2348) / kappa**0.071739
    if ball:
        left = 1.0 - max(2.5671 - film, 0.0) ** 0.83 * clean_load ** (1.0 / 3.0)
        return min(0.1 * left**-9.3, _MOST) if left > 0.0 else _MOST
    left = 1.0 - max(1.5859 - film, 0.0) * clean_load**0.4
    return min(0.1 * left**-9.185, _MOST) if left > 0.0 else _MOST


@kernel
def bearing_damage(
    kind: int,
    rating: float,
    limit: float,
    kappa: float,
    clean: float,
    reliable: float,
    load: float,
    turn: float,
) -> float:
    """Damage of a turn, rad, under a load, N; 1: the rating life is used up."""
    load = abs(load)
    if load == 0.0:
        return 0.0
    exponent = 3.0 if kind == BALL else 10.0 / 3.0
    life = reliable * modification(kind, kappa, clean * limit / load) * (rating / load) ** exponent
    return float(abs(turn) / (2.0 * pi) / (1e6 * life))


def damage(bearing: Bearing, load: float, turn: float) -> float:
    """Damage of a turn, rad, under a load, N."""
    return bearing_damage(
        BALL if bearing.kind == "ball" else ROLLER,
        float(bearing.rating), float(bearing.fatigue_limit), float(bearing.viscosity_ratio),
        float(bearing.cleanliness), float(bearing.reliability), load, turn,
    )  # fmt: skip
