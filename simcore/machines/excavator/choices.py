"""Defines what a user can choose for the excavator: buckets, dipper cylinders and soil classes.

Data of buckets and dipper cylinders come from Jaiswal 2021, Publication VI.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simcore.machines.parameters import number
from simcore.model.case import Chosen
from simcore.model.elements import Soil
from simcore.model.quantity import Origin, assumed, standard

_TABLE_I, _TABLE_II = "Jaiswal 2021, Publication VI, table I", "Jaiswal 2021, Publication VI, table II"
# volume m³ and mass kg, printed in table I; tip radius m, assumed
_BUCKETS = {"small": (0.318, 315.0, 1.25), "medium": (0.512, 450.0, 1.36), "large": (0.95, 750.0, 1.50)}
# bore and length of the piston rod m, printed in table II; rod diameter m, ISO 3320
_DIPPER_CYLINDERS = {
    "small": (0.120, 1.63, 0.085),
    "medium": (0.140, 1.65, 0.100),
    "large": (0.160, 1.67, 0.110),
}
_ROD_INSIDE = 0.20  # m of the rod that stay inside: piston, gland and eye
_SECTION = 0.36  # area of a bucket's section per square of its tip radius


def equipped(chosen: Chosen) -> Chosen:
    """The parameters, extended by those of the chosen bucket and dipper cylinder."""
    word = chosen.word("bucket")
    volume, mass, radius = _BUCKETS[word]
    source: Origin = "printed"
    if word == "large":
        volume, source = chosen.number("large_volume"), "reconstructed"
    bore, rod_length, rod = _DIPPER_CYLINDERS[chosen.word("dipper_cylinder")]
    width = volume / (_SECTION * radius**2)
    group, cylinder = "Bucket", "Dipper cylinder"
    return chosen.extended(
        number("spool_leak", 0.0, "m³/(s Pa)", "leakage of each valve port", "Valves", 0.0, 1e-10,
               "seats hold"),
        number("bucket_volume", volume, "m³", "heaped", group, 0.05, 3.0, _TABLE_I, source),
        number("bucket_mass", mass, "kg", "mass", group, 50.0, 3e3, _TABLE_I, "printed"),
        number("bucket_radius", radius, "m", "hinge to teeth", group, 0.5, 3.0, "layout"),
        number("bucket_width", width, "m", "width", group, 0.2, 3.0, "volume over its section", "derived"),
        number("dipper_bore", bore, "m", "cylinder bore", cylinder, 0.05, 0.3, _TABLE_II, "printed"),
        number("dipper_rod", rod, "m", "piston rod diameter", cylinder, 0.03, 0.25,
               "standard size from ISO 3320",
               "standard"),
        number("dipper_stroke", rod_length - _ROD_INSIDE, "m", "cylinder stroke", cylinder, 0.5, 3.0,
               f"{_TABLE_II}, less 0.2 m that stay inside", "reconstructed"),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SoilClass:
    """Handbook values for a class of soil."""

    density: float  # loose, kg/m³
    swell: float  # loose volume per volume in the ground
    friction: float  # angle of inner friction, degrees
    cohesion: float  # Pa
    pour_time: float  # s


# densities and swell as contractors' handbooks list them; strengths of the usual ranges, remoulded
CLASSES = {
    "sand": SoilClass(1550.0, 1.12, 32.0, 1.0e3, 0.35),
    "gravel": SoilClass(1700.0, 1.14, 36.0, 4.0e3, 0.35),
    "loam": SoilClass(1450.0, 1.25, 28.0, 12.0e3, 0.5),
    "clay": SoilClass(1500.0, 1.32, 16.0, 35.0e3, 0.9),
}


def passive_coefficient(phi: float, delta: float) -> float:
    """Coulomb's coefficient K of passive earth pressure on a vertical wall, level ground; angles in rad."""
    root = math.sqrt(math.sin(phi + delta) * math.sin(phi) / math.cos(delta))
    return math.cos(phi) ** 2 / (math.cos(delta) * (1 - root) ** 2)


def soil(name: str, height: float, gravity: float) -> Soil:
    """A soil class with its resistance factors. height: soil in front of the blade of a full bucket, m.

    N_γ = K/2, N_c = 2√K, N_q = K with Coulomb's coefficient K of passive earth pressure on a vertical blade
    whose friction angle is half the soil's (McKyes 1985; docs/methods/digging.md).
    """
    s = CLASSES[name]
    k = passive_coefficient(math.radians(s.friction), math.radians(s.friction / 2))
    weight = s.density * s.swell * gravity  # N/m³ in the ground
    return Soil(
        name=name,
        weight=standard(weight * k / 2, "N/m³", "γ N_γ by Coulomb"),
        cohesion=standard(2 * s.cohesion * math.sqrt(k), "N/m²", "c N_c by Coulomb"),
        surcharge=standard(weight / s.swell * height * k, "N/m²", "q N_q, of a full bucket"),
        backward=assumed(0.3, "-", "an edge drawn back only scrapes"),
        swell=standard(s.swell, "-", "contractors' handbooks"),
        density=standard(s.density, "kg/m³", "contractors' handbooks"),
        pour_time=assumed(s.pour_time, "s", "cohesive soil sticks"),
    )
