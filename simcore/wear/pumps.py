"""Wear of pumps and valves by particles in the oil, and the volumetric efficiency that it leaves.

Pump: gaps grow with the work against pressure, and with them the slip flow through the gaps:

    w = ∫ (p/p_r)^a c (n dt)/N_life,   Q_slip = C_s (1 + g w) p/μ,   η_v = 1 - Q_slip/(D n)

Valve: metering edges erode as w = ∫ (Δp/Δp_r)^1.5 (Q/Q_r) c dt/T_life.

c: particles relative to clean oil; n: revolutions per second; D: displacement, m³ per revolution;
C_s: slip of a new pump, m³; μ: dynamic viscosity, Pa s; w: used life, 1 at the end; g: growth of the slip
over a life.
"""

from __future__ import annotations

from dataclasses import dataclass

from simcore.kernels.jit import kernel
from simcore.model.quantity import Quantity, assumed, standard
from simcore.wear.checks import positive

_EXPONENT = standard(3.0, "1", "bearing and shoe loads of piston pumps: life falls with the cube of pressure")
_GROWTH = assumed(3.0, "1", "slip at the end of life: four times that of a new pump")
_EROSION = assumed(1.5, "1", "erosion of metering edges grows with Δp^1.5")


@dataclass(frozen=True, slots=True)
class PumpWear:
    """How a piston pump wears."""

    name: str
    displacement: Quantity  # m³ per revolution
    slip: Quantity  # m³, C_s of a new pump
    rated_pressure: Quantity  # Pa
    rated_turns: Quantity  # revolutions of its life at the rated pressure in clean oil
    exponent: Quantity = _EXPONENT
    growth: Quantity = _GROWTH

    def __post_init__(self) -> None:
        for field in ("displacement", "slip", "rated_pressure", "rated_turns", "exponent", "growth"):
            positive(self.name, field, float(getattr(self, field)))


@dataclass(frozen=True, slots=True)
class EdgeWear:
    """How the metering edges of a valve wear."""

    name: str
    rated_drop: Quantity  # Pa
    rated_flow: Quantity  # m³/s
    life: Quantity  # s at rated drop and flow in clean oil
    exponent: Quantity = _EROSION

    def __post_init__(self) -> None:
        for field in ("rated_drop", "rated_flow", "life", "exponent"):
            positive(self.name, field, float(getattr(self, field)))


@kernel
def pump_wear(
    pressure: float, turns: float, particles: float, rated: float, rated_turns: float, exponent: float
) -> float:
    """Share of a pump's life that some revolutions at a pressure, Pa, use up."""
    return float((max(pressure, 0.0) / rated) ** exponent * abs(turns) * particles / rated_turns)


@kernel
def edge_wear(
    drop: float, flow: float, particles: float, span: float, rated_drop: float, rated_flow: float,
    life: float, exponent: float,
) -> float:  # fmt: skip
    """Share of the edges' life that a flow, m³/s, at a pressure drop, Pa, uses up within `span` s."""
    return float((abs(drop) / rated_drop) ** exponent * abs(flow) / rated_flow * particles * span / life)


def volumetric_efficiency(
    pump: PumpWear, used: float, pressure: float, viscosity: float, speed: float
) -> float:
    """η_v of a pump with a used life of 0 to 1. pressure: Pa; viscosity: Pa s; speed: revolutions/s."""
    slip = float(pump.slip) * (1.0 + float(pump.growth) * used) * pressure / viscosity
    return 1.0 - slip / (float(pump.displacement) * speed)
