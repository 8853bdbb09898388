"""Ground, soil and the bucket that digs in it (docs/methods/digging.md)."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.elements.bodies import Axis, Mount
from simcore.model.quantity import Quantity, Vector


@dataclass(frozen=True, slots=True)
class Ground:
    """A plane that a bucket cuts into."""

    at: Vector  # a point of it, m
    axis: Axis  # upwards, across the plane


@dataclass(frozen=True, slots=True)
class Soil:
    """Resistance of a soil class against a blade (McKyes 1985), and behaviour of the soil in a bucket."""

    name: str
    weight: Quantity  # γ N_γ, N/m³: grows with the square of the depth
    cohesion: Quantity  # c N_c, N/m²: grows with the depth
    surcharge: Quantity  # γ h N_q of a full bucket, N/m²: grows with depth and fill
    backward: Quantity  # share of the resistance when the edge moves the other way
    swell: Quantity  # loose volume per volume in the ground
    density: Quantity  # loose, kg/m³
    pour_time: Quantity  # s, time constant of emptying


@dataclass(frozen=True, slots=True)
class Digging:
    """The cutting edge of a bucket in the ground: resistance, fill and dumping. The fill is a state, m³."""

    name: str
    edge: Mount  # middle of the cutting edge
    axis_forward: Axis  # direction that it cuts in, on its body
    axis_mouth: Axis  # out of the bucket, on its body
    centre: Vector  # of the soil inside, on its body, m
    width: Quantity  # of the edge, m
    capacity: Quantity  # heaped, m³
    ground: Ground
    soil: Soil
    soft_depth: Quantity  # m within which contact begins
    turn_velocity: Quantity  # m/s below which resistance fades
    pours_below: Quantity  # upward share of the mouth's direction, -1 to 1
    open_below: Quantity  # further tilt until soil falls freely
