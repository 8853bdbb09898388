"""Builds the circuit of the published cases with one cylinder: valve, hose, throttle and cylinder.

These cases come from Jaiswal 2021, Publication I, and Rahikainen 2018, Publications I and II (docs/cases/).
"""

from __future__ import annotations

import math
from typing import Literal

from simcore.model.case import Chosen, Parameter
from simcore.model.elements import (
    GROUND,
    Beam,
    Body,
    DirectionalValve,
    Fluid,
    Machine,
    ModelError,
    Mount,
    Orifice,
    Output,
    PressureSource,
    Revolute,
    Solver,
    Volume,
)
from simcore.model.quantity import Quantity, Vector, assumed, printed
from simcore.model.reduction import without_volume

Z_AXIS = (0.0, 0.0, 1.0)
GRAVITY = Vector((0.0, -9.81, 0.0), "m/s²", "printed")
HOSE, PISTON, ROD = "hose", "piston chamber", "rod chamber"
_LAMINAR = printed(2e5, "Pa", "laminar below 2 bar")

SPOOL = Parameter(
    "spool",
    "implicit",
    "",
    "assumed",
    "how the spool position is integrated: “implicit” uses the trapezoidal rule, “euler” the published"
    " forward Euler rule",
    choices=("implicit", "euler"),
    label="spool integration method",
)


def spool_update(chosen: Chosen) -> Literal["implicit", "euler"]:
    return "euler" if chosen.word("spool") == "euler" else "implicit"


SUPPLY_PARAMETERS = (
    Parameter("pump_pressure", 7.6e6, "Pa", "printed", "constant supply pressure", 1e5, 5e7),
    Parameter(
        "tank_pressure", 1e5, "Pa", "printed", "tank pressure, equal to atmospheric pressure", 0.0, 5e6
    ),
)


def circuit_parameters(hose_volume: float, throttle: tuple[str, str]) -> tuple[Parameter, ...]:
    """Parameters of valve, throttle and oil. throttle: origin and note of the throttle area."""
    origin: Literal["printed", "reconstructed"] = "printed" if throttle[0] == "printed" else "reconstructed"
    tau = 1 / (2 * math.pi * 35)
    return (
        Parameter(
            "p_B_start",
            3.5e6,
            "Pa",
            "printed",
            "rod chamber pressure at t = 0",
            1e5,
            5e7,
            label="rod chamber pressure at the start",
        ),
        Parameter(
            "valve_coefficient",
            2.138e-8,
            "m³/(s √Pa V)",
            "printed",
            "flow coefficient of each valve edge",
            0.0,
            1e-6,
        ),
        Parameter(
            "tau",
            tau,
            "s",
            "reconstructed",
            "time constant of a similar valve, whose spool lags its command by 45° at 35 Hz",
            1e-4,
            1.0,
            label="spool time constant",
        ),
        SPOOL,
        Parameter("throttle_area", 2.83e-5, "m²", origin, throttle[1], 1e-8, 1e-2),
        Parameter(
            "discharge",
            0.8,
            "-",
            "printed",
            "discharge coefficient of the throttle",
            0.01,
            1.0,
            label="discharge coefficient",
        ),
        Parameter(
            "density", 850.0, "kg/m³", "printed", "density of the oil", 500.0, 1500.0, label="oil density"
        ),
        Parameter("oil_bulk_modulus", 1.5e9, "Pa", "printed", "bulk modulus of the oil", 1e7, 1e10),
        Parameter("hose_bulk_modulus", 5.5e8, "Pa", "printed", "bulk modulus of the hose walls", 1e7, 1e12),
        Parameter(
            "wall_bulk_modulus",
            3.15e10,
            "Pa",
            "printed",
            "bulk modulus of the cylinder walls",
            1e7,
            1e13,
            label="cylinder wall bulk modulus",
        ),
        Parameter(
            "hose_volume",
            hose_volume,
            "m³",
            "printed",
            "oil volume of the hose between valve and throttle",
            1e-8,
            1e-2,
        ),
    )


def reduction_parameters(correction: str) -> tuple[Parameter, ...]:
    """Parameters that keep or leave out the hose volume. correction: default flow formula without hose."""
    return (
        Parameter(
            "hydraulics",
            "lumped",
            "",
            "printed",
            "“lumped”: the hose is modelled as an oil volume; “singular-perturbation”: the hose is left out"
            " of the model",
            choices=("lumped", "singular-perturbation"),
            label="hose model",
        ),
        Parameter(
            "correction",
            correction,
            "",
            "printed" if correction == "published" else "assumed",
            "how the flow is calculated when the hose is left out of the model. “published”: throttle flow"
            " times a published factor; “series”: valve and throttle as two orifices in series",
            choices=("published", "series"),
            label="flow formula without hose",
        ),
        Parameter(
            "factor_up",
            1.16,
            "-",
            "printed",
            "γ: published factor that multiplies the throttle flow at positive spool positions",
            0.1,
            10.0,
            label="flow factor at positive spool positions",
        ),
        Parameter(
            "factor_down",
            1.05,
            "-",
            "printed",
            "γ: published factor that multiplies the throttle flow at negative spool positions",
            0.1,
            10.0,
            label="flow factor at negative spool positions",
        ),
    )


def reduced(chosen: Chosen, machine: Machine) -> Machine:
    """The machine unchanged, or without the volume of its hose, as the parameter `hydraulics` says."""
    if chosen.word("hydraulics") == "lumped":
        return machine
    published = chosen.word("correction") == "published"
    factors = (chosen.quantity("factor_up"), chosen.quantity("factor_down")) if published else None
    return without_volume(machine, HOSE, factors)


def beam(
    name: str,
    joint: tuple[str, Vector],
    mass: Quantity,
    length: float,
    start: float,
    side: float,
    centre: float,
) -> Body:
    """Beam along x with a square section; side 0: slender, J = m L²/12. start: angle to parent, degrees."""
    across = float(mass) * (length**2 + side**2) / 12
    along = float(mass) * side**2 / 6
    display = assumed(side or 0.05, "m", "display")
    return Body(
        name=name,
        joint=Revolute(
            joint[0],
            joint[1],
            Z_AXIS,
            printed(math.radians(start), "rad"),
            printed(0.0, "rad/s", "at rest"),
        ),
        mass=mass,
        centre=Vector((centre, 0.0, 0.0), "m", "reconstructed", "middle of the beam"),
        inertia=Vector((along, across, across), "kg m²", "reconstructed", "uniform beam"),
        shapes=(Beam(printed(length, "m"), display, display),),
    )


def oil(chosen: Chosen, p_a: Quantity) -> tuple[Volume, ...]:
    """Volumes of hose, piston chamber and rod chamber. p_a: pressure of the first two at t = 0."""
    wall = chosen.quantity("hose_bulk_modulus")
    return (
        Volume(HOSE, "Hose", chosen.quantity("hose_volume"), wall, p_a),
        Volume(PISTON, "Piston chamber", printed(3.14e-5, "m³"), wall, p_a),
        Volume(ROD, "Rod chamber", printed(7.85e-5, "m³"), wall, chosen.quantity("p_B_start")),
    )


def supply(chosen: Chosen) -> tuple[PressureSource, ...]:
    return (
        PressureSource("pump", chosen.quantity("pump_pressure")),
        PressureSource("tank", chosen.quantity("tank_pressure")),
    )


def throttle(chosen: Chosen) -> Orifice:
    area, discharge = chosen.quantity("throttle_area"), chosen.quantity("discharge")
    return Orifice("throttle", HOSE, PISTON, area, discharge, _LAMINAR)


def valve(chosen: Chosen, supply: str = "pump") -> DirectionalValve:
    return DirectionalValve(
        name="valve",
        supply=supply,
        tank="tank",
        port_a=HOSE,
        port_b=ROD,
        coefficient=chosen.quantity("valve_coefficient"),
        time_constant=chosen.quantity("tau"),
        command_limit=printed(10.0, "V"),
        laminar_below=_LAMINAR,
    )


def fluid(chosen: Chosen) -> Fluid:
    return Fluid(chosen.quantity("density"), chosen.quantity("oil_bulk_modulus"))


def outputs(bodies: tuple[str, ...], driver: str) -> tuple[Output, ...]:
    """Channels for the angles of all bodies, three pressures, the cylinder and the valve."""
    angles = tuple(Output(f"{b}.angle", f"{b.capitalize()} angle", "angle", b, "estimate") for b in bodies)
    return (
        *angles,
        Output(f"{driver}.rate", f"{driver.capitalize()} angular velocity", "rate", driver, "estimate"),
        Output("hose.p", "Hose pressure", "pressure", HOSE, "estimate"),
        Output("cylinder.p_A", "Piston chamber pressure", "pressure", PISTON, "estimate"),
        Output("cylinder.p_B", "Rod chamber pressure", "pressure", ROD, "estimate"),
        Output("cylinder.length", "Cylinder length", "length", "cylinder", "estimate"),
        Output("cylinder.force", "Cylinder force", "force", "cylinder", "estimate"),
        Output("valve.command", "Valve command", "command", "valve", "input"),
        Output("valve.spool", "Valve spool", "spool", "valve", "model"),
    )


def solver(chosen: Chosen, pressure_tolerance: float, increment: Literal["each", "norm"] = "each") -> Solver:
    return Solver(
        penalty=printed(1e11, "N/m"),
        position_tolerance=printed(1e-7, "rad"),
        pressure_tolerance=printed(pressure_tolerance, "Pa"),
        max_iterations=100,
        spool=spool_update(chosen),
        increment=increment,
    )


MODEL_ERROR = ModelError(
    acceleration=assumed(0.03, "rad/s²/√Hz", "friction and masses are known to a few per cent"),
    pressure_rate=assumed(3e5, "Pa/s/√Hz", "bulk modulus is known to a few per cent"),
    input_fresh=assumed(0.05, "s", "one lost sample of 50 Hz telemetry, and some jitter"),
    input_memory=assumed(3.0, "s", "an operator's stroke lasts about that long"),
    start_position=assumed(0.1, "rad"),
    start_rate=assumed(0.2, "rad/s"),
    start_pressure=assumed(2e6, "Pa"),
)


def ground(x: float, y: float) -> Mount:
    return Mount(GROUND, Vector((x, y, 0.0), "m", "printed"))
