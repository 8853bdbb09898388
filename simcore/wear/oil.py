"""Ageing of the oil: temperature of the tank from losses and cooling, and the dose of heat (Arrhenius).

    C dT/dt = P - G (T - T_air) - G_c max(0, T - T_c)      tank, P: losses of the circuit, W
    dose = ∫ exp(E_a/R (1/T_ref - 1/T)) dt                  hours at the reference temperature

C: heat capacity of oil and steel, J/K; G, G_c: conductances of tank and cooler, W/K. T in kelvin in the
exponent. Within a step the losses are constant, so the linear equation is solved exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

from simcore.kernels.jit import kernel
from simcore.model.quantity import Quantity, assumed
from simcore.wear.checks import between, positive

GAS = 8.314462618  # J/(mol K), exact since 2019
ZERO_CELSIUS = 273.15  # K

# 80 kJ/mol: ×5.1 from 60 to 80 °C; the workshop's rule, half the life per 10 °C, gives ×4
_ENERGY = assumed(80e3, "J/mol", "oxidation of mineral oil")
_REFERENCE = assumed(60.0, "°C", "oil temperature of the catalogue life")
_LIFE = assumed(2000.0 * 3600.0, "s", "change after 2000 h at the reference temperature")


@dataclass(frozen=True, slots=True)
class Tank:
    """Oil of a machine with its tank and cooler."""

    name: str
    capacity: Quantity  # J/K
    conductance: Quantity  # W/K, of tank, hoses and cylinders to the air
    cooler: Quantity  # W/K, of the cooler while its thermostat is open
    opens: Quantity  # °C, at which the thermostat opens
    energy: Quantity = _ENERGY  # J/mol
    reference: Quantity = _REFERENCE  # °C
    life: Quantity = _LIFE  # s at the reference temperature

    def __post_init__(self) -> None:
        for field in ("capacity", "conductance", "energy", "life"):
            positive(self.name, field, float(getattr(self, field)))
        for field in ("opens", "reference"):
            between(self.name, field, float(getattr(self, field)), -50.0, 150.0)
        between(self.name, "cooler", float(self.cooler), 0.0, 1e5)


@kernel
def tank_temperature(
    start: float, losses: float, air: float, capacity: float, conductance: float, cooler: float, opens: float,
    span: float,
) -> float:  # fmt: skip
    """Temperature, °C, after `span` s of constant losses, W, in air of a constant temperature, °C.

    It tends to one balance without turning back, so the thermostat opens or closes once at most.
    """
    ends_open = air + losses / conductance > opens
    is_open = start > opens or (start == opens and ends_open)
    if is_open != ends_open:
        rest, rate = _balance(is_open, losses, air, capacity, conductance, cooler, opens)
        passes = log((start - rest) / (opens - rest)) / rate
        if passes >= span:
            return rest + (start - rest) * exp(-rate * span)
        start, span = opens, span - passes
    rest, rate = _balance(ends_open, losses, air, capacity, conductance, cooler, opens)
    return rest + (start - rest) * exp(-rate * span)


@kernel
def _balance(
    is_open: bool, losses: float, air: float, capacity: float, conductance: float, cooler: float, opens: float
) -> tuple[float, float]:
    """Temperature at which the heat balances, °C, and rate at which it is approached, 1/s."""
    cooling = cooler if is_open else 0.0
    total = conductance + cooling
    return (losses + conductance * air + cooling * opens) / total, total / capacity


@kernel
def ageing_rate(temperature: float, energy: float, reference: float) -> float:
    """How much faster oil ages at a temperature, °C, than at the reference, °C."""
    here, there = temperature + ZERO_CELSIUS, reference + ZERO_CELSIUS
    return exp(energy / GAS * (1.0 / there - 1.0 / here))
