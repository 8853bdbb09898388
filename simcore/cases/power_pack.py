"""Builds a hydraulic supply from a constant-speed pump, the volume of its line and a relief valve.

Unlike an ideal pressure source, this supply loses pressure when the circuit takes more oil than the pump
delivers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simcore.model.case import Chosen, Parameter
from simcore.model.elements import Output, PressureSource, Pump, ReliefValve, Volume
from simcore.model.quantity import Quantity, assumed, reconstructed

PUMP_LINE, TANK = "pump line", "tank"
_SPEED = 1500 * 2 * math.pi / 60  # rad/s
_LAMINAR = assumed(2e5, "Pa", "as for the other orifices")


@dataclass(frozen=True, slots=True)
class PowerPack:
    """The supply side of a circuit."""

    volume: Volume
    tank: PressureSource
    elements: tuple[Pump, ReliefValve]


def pack_parameters(flow: Parameter, volume: Parameter) -> tuple[Parameter, ...]:
    """Parameters of pump, relief valve and tank. flow: `pump_flow`, volume: `pump_volume`."""
    return (
        flow,
        volume,
        Parameter(
            "pump_efficiency",
            1.0,
            "-",
            "assumed",
            "volumetric efficiency of the pump at the relief pressure",
            0.5,
            1.0,
        ),
        Parameter(
            "relief_pressure",
            7.6e6,
            "Pa",
            "reconstructed",
            "pressure at which the relief valve opens; the publication calls this value the supply pressure",
            1e5,
            5e7,
        ),
        Parameter(
            "relief_span",
            5e5,
            "Pa",
            "assumed",
            "pressure rise over which the relief valve goes from just open to fully open",
            1e4,
            1e7,
            label="relief valve opening range",
        ),
        Parameter(
            "tank_pressure", 1e5, "Pa", "printed", "tank pressure, equal to atmospheric pressure", 0.0, 5e6
        ),
    )


def power_pack(chosen: Chosen, walls: Quantity, start: Quantity) -> PowerPack:
    """The supply with the chosen parameters. walls, start: wall bulk modulus and pressure of the pump line.

    Fully open, the relief valve passes twice the pump's flow, so it passes the full flow at half its span.
    """
    flow, opens, tank = (
        chosen.number("pump_flow"),
        chosen.number("relief_pressure"),
        chosen.number("tank_pressure"),
    )
    per_radian = Quantity(flow / _SPEED, "m³/rad", chosen.quantity("pump_flow").origin, "flow over speed")
    speed = assumed(_SPEED, "rad/s", "1500 rpm; only its product with the displacement counts")
    pump = Pump(
        name="pump",
        inlet=TANK,
        outlet=PUMP_LINE,
        displacement=per_radian,
        shaft=None,
        speed=speed,
        volumetric_efficiency=chosen.quantity("pump_efficiency"),
        mechanical_efficiency=assumed(0.9, "-", "torque loss; without effect on the flow"),
        rated_speed=speed,
        rated_pressure=reconstructed(opens - tank, "Pa", "pressure rise at which the relief opens"),
    )
    relief = ReliefValve(
        name="relief",
        a=PUMP_LINE,
        b=TANK,
        setting=reconstructed(opens - tank, "Pa", "above the tank"),
        span=chosen.quantity("relief_span"),
        coefficient=assumed(2 * flow / math.sqrt(opens), "m³/(s √Pa)", "fully open: twice the pump's flow"),
        laminar_below=_LAMINAR,
    )
    return PowerPack(
        Volume(PUMP_LINE, "Pump line", chosen.quantity("pump_volume"), walls, start),
        PressureSource(TANK, chosen.quantity("tank_pressure")),
        (pump, relief),
    )


def pump_pressure(noise: Quantity) -> Output:
    return Output("pump.p", "Pump pressure", "pressure", PUMP_LINE, "sensor", noise)
