"""Wear of rod and piston seals: contact pressure times travel, faster in hot oil (Archard's law of a seal).

    dW = (p + p₀) |dx| 2^((T - T₀)/ΔT),   used life = W/W_life

W: load times travel, Pa m; p: pressure at the seal, Pa; p₀: pressure of its own interference; x: piston
position, m; T: temperature of the oil, °C.
"""

from __future__ import annotations

from dataclasses import dataclass

from simcore.kernels.jit import kernel
from simcore.model.quantity import Quantity, assumed
from simcore.wear.checks import positive

# polyurethane lip seals: 700 km at 200 bar
_LIFE = assumed(1.4e13, "Pa m", "700 km of travel at 200 bar")
_OWN = assumed(2e6, "Pa", "pressure of the seal's own interference")
_REFERENCE = assumed(60.0, "°C", "oil temperature of the catalogue life")
_DOUBLING = assumed(15.0, "°C", "rise of temperature that doubles the wear of polyurethane")


@dataclass(frozen=True, slots=True)
class Seal:
    """A seal of a cylinder."""

    name: str
    life: Quantity = _LIFE  # Pa m
    own_pressure: Quantity = _OWN  # Pa
    reference: Quantity = _REFERENCE  # °C
    doubling: Quantity = _DOUBLING  # °C

    def __post_init__(self) -> None:
        for field in ("life", "own_pressure", "doubling"):
            positive(self.name, field, float(getattr(self, field)))


@kernel
def seal_load(own: float, pressure: float, travel: float, hot: float) -> float:
    """Load times travel, Pa m, at the reference temperature. hot: factor of the temperature."""
    return (own + max(pressure, 0.0)) * abs(travel) * hot


def hot_factor(seal: Seal, temperature: float) -> float:
    """Factor on the wear at an oil temperature, °C."""
    return float(2.0 ** ((temperature - float(seal.reference)) / float(seal.doubling)))
