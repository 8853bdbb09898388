"""Parameters shared by machine models, each with unit, range, default, label, group and provenance."""

from __future__ import annotations

from simcore.model.case import Parameter
from simcore.model.quantity import Origin

OIL, SUPPLY, VALVES, SEALS, SENSORS = "Oil", "Supply", "Valves", "Seals and dampers", "Sensors"
_SCALED = "scaled in proportion to the bore of each cylinder"


def number(
    name: str,
    value: float,
    unit: str,
    label: str,
    group: str,
    low: float,
    high: float,
    note: str = "",
    origin: Origin = "assumed",
) -> Parameter:
    """A numeric parameter that users see. low, high: range that can be built and simulated."""
    return Parameter(name, value, unit, origin, note, low, high, label=label, group=group)


def actuator_parameters(
    name: str, label: str, bore: float, rod: float, stroke: float, closed: float, flow: float
) -> tuple[Parameter, ...]:
    """Parameters of the cylinder and valve of one function."""
    group = f"{label} cylinder"
    return (
        number(
            f"{name}_bore",
            bore,
            "m",
            "cylinder bore",
            group,
            0.03,
            0.3,
            "standard size from ISO 3320",
            "standard",
        ),
        number(
            f"{name}_rod",
            rod,
            "m",
            "rod diameter",
            group,
            0.015,
            0.25,
            "standard size from ISO 3320",
            "standard",
        ),
        number(
            f"{name}_stroke",
            stroke,
            "m",
            "stroke",
            group,
            0.05,
            4.0,
            "long enough to reach all required joint angles",
        ),
        number(
            f"{name}_closed",
            closed,
            "m",
            "retracted cylinder length",
            group,
            0.1,
            5.0,
            "long enough for stroke, piston and mounting eyes",
        ),
        number(
            f"{name}_flow",
            flow,
            "m³/s",
            "flow through the fully open valve at 10 bar pressure drop",
            group,
            1e-5,
            1e-2,
            "determines the maximum speed",
        ),
    )


def oil_parameters(relief: float, flow: float) -> tuple[Parameter, ...]:
    """Parameters of oil, supply, valves, seals and sensors, for a given relief pressure and pump flow."""
    return (
        number("oil_density", 870.0, "kg/m³", "density of the oil", OIL, 700, 1100, "ISO VG 46 oil at 40 °C",
               "standard"),
        number("oil_modulus", 1.6e9, "Pa", "bulk modulus of the oil", OIL, 5e8, 3e9,
               "value from Khadim 2021, Publication II; also the largest value in Baharudin 2016", "printed"),
        number("oil_air", 0.005, "-", "share of free air in the oil", OIL, 0.0, 0.1,
               "by volume, at a pressure of 1 bar"),
        number("vapour_pressure", 500.0, "Pa", "vapour pressure of the oil", OIL, 0.0, 2e4,
               "for mineral oil at 60 °C"),
        number("hose_modulus", 6e8, "Pa", "bulk modulus of the hose walls", OIL, 1e7, 1e11,
               "for braided hose"),
        number("wall_modulus", 3e10, "Pa", "bulk modulus of the cylinder walls", OIL, 1e9, 1e12),
        number("hose", 4e-4, "m³", "oil volume of the hose at each valve port", OIL, 2e-5, 1e-2,
               "volume of a 3 m hose with 13 mm inner diameter"),
        number("port_volume", 5e-5, "m³", "oil volume between load-holding valve and cylinder", OIL, 5e-6,
               1e-3),
        number("pump_flow", flow, "m³/s", "pump flow", SUPPLY, 1e-4, 1e-2,
               "at the working speed of the engine"),
        number("pump_speed", 157.08, "rad/s", "pump speed", SUPPLY, 50.0, 400.0, "1500 rpm"),
        number("pump_volumetric", 0.95, "-", "volumetric efficiency of the pump", SUPPLY, 0.6, 1.0,
               "at relief pressure"),
        number("pump_mechanical", 0.92, "-", "mechanical efficiency of the pump", SUPPLY, 0.6, 1.0,
               "at relief pressure"),
        number("pump_line", 8e-4, "m³", "pump line volume", SUPPLY, 1e-4, 1e-2),
        number("relief_pressure", relief, "Pa", "main relief pressure", SUPPLY, 5e6, 4.2e7,
               "absolute pressure"),
        number("relief_span", 1e6, "Pa",
               "pressure rise over which the relief valve goes from just open to fully open", SUPPLY, 1e5,
               1e7),
        number("tank_pressure", 1e5, "Pa", "tank pressure", SUPPLY, 9e4, 5e5,
               "atmospheric pressure, as in Jaiswal 2021, Publication II", "printed"),
        number("return_pressure", 5e5, "Pa", "return line pressure", VALVES, 1e5, 2e6,
               "a check valve maintains this pressure"),
        number("spool_leak", 1e-12, "m³/(s Pa)", "leakage of each valve port", VALVES, 0.0, 1e-10,
               "oil leaks through the gap around the spool"),
        number("valve_lag", 0.03, "s", "spool time constant", VALVES, 5e-3, 0.5,
               "for a valve with electro-hydraulic pilot control"),
        number("shock_pressure", 1.1 * relief, "Pa", "opening pressure of the shock valves", VALVES, 5e6,
               5e7, "10 % above the main relief pressure"),
        number("holding_pressure", 1.08 * relief, "Pa", "opening pressure of the load-holding valves",
               VALVES, 5e6, 5e7),
        number("holding_span", 4e6, "Pa",
               "pressure rise over which the load-holding valve goes from just open to fully open",
               VALVES, 2e5, 2e7),
        number("pilot_ratio", 4.0, "-", "pilot ratio of the load-holding valves", VALVES, 1.0, 12.0,
               "usual value for cranes"),
        Parameter(
            "seal_law", "lugre", "", "assumed",
            "LuGre includes how the seals bend before they slide; Brown-McPhee does not",
            choices=("lugre", "brown-mcphee"), label="friction law of the cylinder seals", group=SEALS,
        ),
        number("seal_coulomb", 900.0, "N", "Coulomb friction of the seals in a cylinder with 0.1 m bore",
               SEALS, 0.0, 1e5, _SCALED),
        number("seal_static", 1300.0, "N", "static friction of the seals in a cylinder with 0.1 m bore",
               SEALS, 0.0, 1e5, _SCALED),
        number("seal_stribeck", 0.02, "m/s", "Stribeck velocity of the cylinder seals", SEALS, 1e-3, 0.5),
        number("seal_viscous", 3e3, "N s/m", "viscous friction of the cylinder seals", SEALS, 0.0, 1e6),
        number("bristle_stiffness", 5e6, "N/m", "bristle stiffness of the cylinder seals (LuGre law only)",
               SEALS, 1e4, 1e9),
        number("bristle_damping", 3e4, "N s/m", "bristle damping of the cylinder seals (LuGre law only)",
               SEALS, 0.0, 1e7),
        number("damper_length", 0.03, "m",
               "distance before the end of the stroke where the end damper begins to act", SEALS, 2e-3, 0.2),
        number("damper_damping", 2e6, "N s/m", "damping coefficient of the end dampers", SEALS, 0.0, 1e7),
        number("pressure_noise", 5e4, "Pa", "pressure sensors: noise (standard deviation)", SENSORS, 1e2,
               1e6, "0.5 bar"),
        number("length_noise", 2e-3, "m", "cylinder length sensors: noise (standard deviation)", SENSORS,
               1e-5, 0.1),
        number("angle_noise", 3.5e-3, "rad", "angle sensors: noise (standard deviation)", SENSORS, 1e-5, 0.1,
               "0.2°"),
    )  # fmt: skip
