"""Hydraulic cylinders, which connect the oil circuit and the mechanism."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.elements.bodies import Mount
from simcore.model.elements.friction import Friction
from simcore.model.quantity import Quantity


@dataclass(frozen=True, slots=True)
class EndDamper:
    """Spring and damper before either end of the stroke; at the end itself the spring is rigid.

    Stiffness and damping are those of the outer part, where both still grow in proportion to the depth.
    """

    length: Quantity  # m
    stiffness: Quantity  # N/m
    damping: Quantity  # N s/m, continued in proportion to the whole length; on the way in only


@dataclass(frozen=True, slots=True)
class Cylinder:
    """Cylinder between two points; chamber A is on the piston side.

    For a single-acting cylinder, one chamber is a pressure source: the tank or the open air.
    """

    name: str
    base: Mount
    rod: Mount
    chamber_a: str
    chamber_b: str
    bore: Quantity  # m
    rod_diameter: Quantity  # m
    tube_length: Quantity  # m; the two chambers share it
    reference_length: Quantity  # distance of the mounts at which chamber A has the next length, m
    chamber_a_at_reference: Quantity  # m
    wall_bulk_modulus: Quantity  # Pa
    friction: Friction | None
    end_damper: EndDamper | None = None
