"""Builds the hydraulics of the digger rig: one pump supplies three cylinders.

Each cylinder has its own valve and hose.
"""

from __future__ import annotations

from dataclasses import dataclass

from simcore.cases.power_pack import PUMP_LINE, TANK, pack_parameters
from simcore.model.case import Chosen, Parameter, adapted
from simcore.model.elements import (
    BrownMcPhee,
    Cylinder,
    DirectionalValve,
    EndDamper,
    Mount,
    Orifice,
    Output,
    Volume,
)
from simcore.model.quantity import Quantity, assumed

_LAMINAR = assumed(2e5, "Pa", "laminar below 2 bar")
_GAUGE = assumed(5e4, "Pa", "0.5 bar")
LIMIT = 10.0  # V


@dataclass(frozen=True, slots=True)
class Actuator:
    """A cylinder with its hose and valve; lengths in m."""

    name: str
    base: Mount
    rod: Mount
    bore: float
    rod_diameter: float
    tube: float
    reference: float  # distance of the mounts
    chamber_a: float  # length of the piston chamber at the reference

    def node(self, part: str) -> str:
        """Name of the actuator's hose, piston or rod volume."""
        return f"{self.name} {part}"


PARAMETERS = (
    *adapted(
        pack_parameters(
            Parameter(
                "pump_flow",
                1.8e-3,
                "m³/s",
                "assumed",
                "108 l/min, more than the commanded movements need",
                0,
                0.1,
            ),
            Parameter(
                "pump_volume",
                2e-3,
                "m³",
                "assumed",
                "oil volume of the pump line",
                1e-6,
                0.1,
                label="pump line volume",
            ),
        ),
        Parameter(
            "relief_pressure", 18e6, "Pa", "assumed", "pressure at which the relief valve opens", 1e5, 5e7
        ),
        Parameter(
            "relief_span",
            2e6,
            "Pa",
            "assumed",
            "pressure rise over which the relief valve goes from just open to fully open",
            1e4,
            1e7,
            label="relief valve opening range",
        ),
        Parameter(
            "tank_pressure", 1e5, "Pa", "assumed", "tank pressure, equal to atmospheric pressure", 0.0, 5e6
        ),
    ),
    Parameter(
        "p_B_start",
        4e6,
        "Pa",
        "assumed",
        "pressure in all rod chambers at t = 0; the other pressures start at values that hold the arm still",
        1e5,
        5e7,
        label="rod chamber pressure at the start",
    ),
    Parameter(
        "valve_coefficient", 2e-8, "m³/(s √Pa V)", "assumed", "flow coefficient of each valve edge", 0.0, 1e-6
    ),
    Parameter(
        "tau",
        0.015,
        "s",
        "assumed",
        "time constant of a spool that lags its command by 45° at 10 Hz",
        1e-4,
        1.0,
        label="spool time constant",
    ),
    Parameter(
        "hose_volume", 6e-4, "m³", "assumed", "oil volume of the hose between valve and throttle", 1e-8, 1e-2
    ),
    Parameter(
        "port_volume", 2e-4, "m³", "assumed", "oil volume of the pipes at each cylinder chamber", 1e-8, 1e-2
    ),
    Parameter(
        "throttle_area",
        5e-5,
        "m²",
        "assumed",
        "flow area of each throttle between hose and piston chamber",
        1e-8,
        1e-2,
    ),
    Parameter(
        "discharge",
        0.7,
        "-",
        "assumed",
        "discharge coefficient of each throttle",
        0.01,
        1.0,
        label="discharge coefficient",
    ),
    Parameter("density", 870.0, "kg/m³", "assumed", "density of the oil", 500.0, 1500.0, label="oil density"),
    Parameter("oil_bulk_modulus", 1.5e9, "Pa", "assumed", "bulk modulus of the oil", 1e7, 1e10),
    Parameter("hose_bulk_modulus", 5e8, "Pa", "assumed", "bulk modulus of the hose walls", 1e7, 1e12),
    Parameter(
        "wall_bulk_modulus",
        3e10,
        "Pa",
        "assumed",
        "bulk modulus of the cylinder walls",
        1e7,
        1e13,
        label="cylinder wall bulk modulus",
    ),
    Parameter(
        "coulomb_friction",
        500.0,
        "N",
        "assumed",
        "F_c: Coulomb friction force of each cylinder's seals",
        0.0,
        1e5,
        label="Coulomb friction",
    ),
    Parameter(
        "static_friction",
        900.0,
        "N",
        "assumed",
        "F_s: static friction force of each cylinder's seals",
        0.0,
        1e5,
    ),
    Parameter(
        "stribeck_velocity",
        0.02,
        "m/s",
        "assumed",
        "v_s: Stribeck velocity of each cylinder's seals",
        1e-5,
        1.0,
        label="Stribeck velocity",
    ),
    Parameter(
        "viscous_friction",
        2e3,
        "N s/m",
        "assumed",
        "σ₂: viscous friction coefficient of each cylinder's seals",
        0.0,
        1e6,
    ),
)


def cylinder(chosen: Chosen, actuator: Actuator) -> Cylinder:
    """The actuator's cylinder, with Stribeck friction in the seal and a damper at each end."""
    seal = BrownMcPhee(
        coulomb=chosen.quantity("coulomb_friction"),
        static=chosen.quantity("static_friction"),
        stribeck_velocity=chosen.quantity("stribeck_velocity"),
        viscous=chosen.quantity("viscous_friction"),
    )
    return Cylinder(
        name=actuator.name,
        base=actuator.base,
        rod=actuator.rod,
        chamber_a=actuator.node("piston"),
        chamber_b=actuator.node("rod"),
        bore=assumed(actuator.bore, "m"),
        rod_diameter=assumed(actuator.rod_diameter, "m"),
        tube_length=assumed(actuator.tube, "m"),
        reference_length=assumed(actuator.reference, "m"),
        chamber_a_at_reference=assumed(actuator.chamber_a, "m"),
        wall_bulk_modulus=chosen.quantity("wall_bulk_modulus"),
        friction=seal,
        end_damper=EndDamper(assumed(0.03, "m"), assumed(2e6, "N/m"), assumed(1e5, "N s/m")),
    )


def volumes(chosen: Chosen, actuator: Actuator) -> tuple[Volume, Volume, Volume]:
    """Volumes of hose, piston and rod chamber; the load determines the start pressure of the first two."""
    walls, start = chosen.quantity("hose_bulk_modulus"), chosen.quantity("p_B_start")

    def volume(part: str, oil: Quantity) -> Volume:
        return Volume(actuator.node(part), f"{actuator.name.capitalize()} {part}", oil, walls, start)

    port = chosen.quantity("port_volume")
    return volume("hose", chosen.quantity("hose_volume")), volume("piston", port), volume("rod", port)


def throttle(chosen: Chosen, actuator: Actuator) -> Orifice:
    return Orifice(
        name=actuator.node("throttle"),
        a=actuator.node("hose"),
        b=actuator.node("piston"),
        area=chosen.quantity("throttle_area"),
        discharge=chosen.quantity("discharge"),
        laminar_below=_LAMINAR,
        smooth=True,
    )


def valve(chosen: Chosen, actuator: Actuator) -> DirectionalValve:
    return DirectionalValve(
        name=actuator.node("valve"),
        supply=PUMP_LINE,
        tank=TANK,
        port_a=actuator.node("hose"),
        port_b=actuator.node("rod"),
        coefficient=chosen.quantity("valve_coefficient"),
        time_constant=chosen.quantity("tau"),
        command_limit=assumed(LIMIT, "V"),
        laminar_below=_LAMINAR,
        smooth=True,
    )


def command(actuator: str) -> str:
    """Name of the command channel of an actuator."""
    return f"{actuator}.command"


def outputs(actuator: Actuator) -> tuple[Output, ...]:
    """Channels of an actuator: cylinder pressures, length and force, valve command and spool."""
    name, title = actuator.name, actuator.name.capitalize()
    return (
        Output(
            f"{name}.p_A", f"{title} piston pressure", "pressure", actuator.node("piston"), "sensor", _GAUGE
        ),
        Output(f"{name}.p_B", f"{title} rod pressure", "pressure", actuator.node("rod"), "sensor", _GAUGE),
        Output(f"{name}.hose.p", f"{title} hose pressure", "pressure", actuator.node("hose"), "estimate"),
        Output(f"{name}.length", f"{title} cylinder length", "length", name, "estimate"),
        Output(f"{name}.force", f"{title} cylinder force", "force", name, "estimate"),
        Output(command(name), f"{title} valve command", "command", actuator.node("valve"), "input"),
        Output(f"{name}.spool", f"{title} valve spool", "spool", actuator.node("valve"), "model"),
    )
