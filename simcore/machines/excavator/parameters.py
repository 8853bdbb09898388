"""Parameters of the excavator: a crawler machine of the 20 t class.

Buckets and dipper cylinders are published (Jaiswal 2021, Publication VI, tables I and II). Geometry, masses,
engine and hydraulics are typical engineering values for that class.
"""

from __future__ import annotations

from simcore.machines.parameters import SENSORS, SUPPLY, actuator_parameters, number, oil_parameters
from simcore.model.case import Parameter, adapted

POSE, UNDER, UPPER, BOOM, DIPPER, BUCKET, ENGINE, SWING, GROUND = (
    "Pose at the start",
    "Undercarriage",
    "Upper carriage",
    "Boom",
    "Dipper",
    "Bucket",
    "Engine",
    "Swing",
    "Ground",
)
SIZES = ("small", "medium", "large")
SOIL_NAMES = ("none", "sand", "gravel", "loam", "clay")
_LAYOUT = "typical layout of machines of this class"

# directions of x and y in the frame of a body, in words
_AXES = {
    UPPER: ("in front of the slewing axis", "the slewing ring"),
    BOOM: ("along the boom", "the boom's axis"),
    DIPPER: ("along the dipper", "the dipper's axis"),
}
_OTHERS = ("pump_flow", "spool_leak")  # follows from displacement and speed; seats do not leak


def _choice(
    name: str, value: str, label: str, group: str, choices: tuple[str, ...], note: str, printed: bool = False
) -> Parameter:
    origin = "printed" if printed else "assumed"
    return Parameter(name, value, "", origin, note, choices=choices, label=label, group=group)  # type: ignore[arg-type]


def _place(name: str, x: float, y: float, label: str, group: str) -> tuple[Parameter, ...]:
    along, line = _AXES[group]
    return (
        number(f"{name}_x", x, "m", f"{label}: distance {along}", group, x - 0.4, x + 0.4, _LAYOUT),
        number(f"{name}_y", y, "m", f"{label}: height above {line}", group, y - 0.4, y + 0.4, _LAYOUT),
    )


PARAMETERS = (
    _choice("bucket", "medium", "bucket size", BUCKET, SIZES,
            "sets volume and mass of the bucket, from Jaiswal 2021, Publication VI, table I", True),
    _choice("dipper_cylinder", "medium", "dipper cylinder size", DIPPER, SIZES,
            "sets bore and stroke of the cylinder, from Jaiswal 2021, Publication VI, table II", True),
    number("large_volume", 0.95, "m³", "volume of the large bucket", BUCKET, 0.6, 1.3,
           "the published 22.55 m³ does not fit a mass of 750 kg; the other two buckets suggest"
           " 0.94 to 1.01 m³", "reconstructed"),
    number("payload", 1.0, "kg", "load in the bucket, in addition to the soil that the bucket digs", BUCKET,
           1.0, 3000.0),
    number("swing_start", 0.0, "rad", "swing angle", POSE, -3.5, 3.5, "0 means straight ahead"),
    number("boom_start", 0.55, "rad", "boom angle above horizontal", POSE, -0.72, 1.0),
    number("dipper_start", -1.2, "rad", "dipper angle relative to the boom", POSE, -2.75, -0.67),
    number("bucket_start", -0.9, "rad", "bucket angle relative to the dipper", POSE, -2.5, 0.7),
    number("track_length", 3.6, "m", "track length", UNDER, 2.0, 6.0),
    number("track_gauge", 2.2, "m", "distance between track centres", UNDER, 1.5, 4.0),
    number("track_width", 0.6, "m", "width of the track shoes", UNDER, 0.3, 1.2),
    number("undercarriage_mass", 7600.0, "kg", "mass of tracks and track frame", UNDER, 2e3, 2e4,
           "the undercarriage does not move"),
    number("ring_height", 1.05, "m", "height of the slewing ring above the ground", UPPER, 0.5, 2.0),
    number("frame_mass", 2900.0, "kg", "mass of frame, cab, tank and oil", UPPER, 5e2, 1e4),
    number("engine_mass", 1400.0, "kg", "mass of engine, pumps and cooler", UPPER, 2e2, 5e3),
    number("counterweight", 4200.0, "kg", "mass of the counterweight", UPPER, 0.0, 1e4,
           "heavy enough to balance a full bucket"),
    number("boom_length", 5.68, "m", "length from boom hinge to dipper hinge", BOOM, 4.5, 7.0, _LAYOUT),
    number("boom_wall", 0.012, "m", "plate thickness", BOOM, 0.005, 0.03,
           "the cross-section is a closed box"),
    number("boom_width", 0.46, "m", "section width", BOOM, 0.2, 0.9, "the cross-section is a closed box"),
    number("dipper_length", 2.92, "m", "length from dipper hinge to bucket hinge", DIPPER, 2.0, 4.0, _LAYOUT),
    number("dipper_wall", 0.010, "m", "plate thickness", DIPPER, 0.005, 0.03,
           "the cross-section is a closed box"),
    number("dipper_width", 0.36, "m", "section width", DIPPER, 0.2, 0.7, "the cross-section is a closed box"),
    *_place("boom_foot", 0.15, 0.72, "boom hinge", UPPER),
    *_place("boom_base", 0.72, 0.12, "boom cylinder base pins", UPPER),
    *_place("boom_eye", 2.35, 0.45, "boom cylinder rod pins", BOOM),
    *_place("dipper_base", 3.08, 0.95, "dipper cylinder base pin", BOOM),
    *_place("dipper_eye", -0.80, 0.37, "dipper cylinder rod pin", DIPPER),
    *_place("bucket_base", 0.55, 0.52, "bucket cylinder base pin", DIPPER),
    *_place("rocker_hinge", 2.50, 0.05, "rocker hinge", DIPPER),
    number("rocker_length", 0.62, "m", "length of the rocker", BUCKET, 0.45, 0.9, _LAYOUT),
    number("link_length", 0.58, "m", "length of the link", BUCKET, 0.4, 0.9, _LAYOUT),
    number("ear_radius", 0.45, "m", "distance of the link pin from the bucket hinge", BUCKET, 0.3, 0.6,
           _LAYOUT),
    number("ear_angle", 1.745, "rad",
           "angle at the bucket hinge between the lines to the link pin and to the teeth", BUCKET, 1.2, 2.2),
    number("linkage_mass", 75.0, "kg", "mass of the rocker; the link has the same mass", BUCKET, 5.0, 500.0),
    number("boom_offset", 0.42, "m", "distance of each boom cylinder from the machine's centre plane", BOOM,
           0.2, 0.8),
    *actuator_parameters("boom", "Boom", 0.120, 0.085, 1.25, 1.60, 6.5e-3),
    number("dipper_closed", 2.18, "m", "retracted cylinder length", "Dipper cylinder", 1.5, 3.0,
           "long enough for stroke and mounting eyes"),
    number("dipper_flow", 4.5e-3, "m³/s", "flow through the fully open valve at 10 bar pressure drop",
           "Dipper cylinder", 1e-5, 2e-2),
    *actuator_parameters("bucket", "Bucket", 0.115, 0.080, 1.10, 1.46, 3.5e-3),
    number("swing_displacement", 2.6e-3, "m³/rad",
           "displacement of the swing motor with its gear, per radian of swing", SWING, 5e-4, 1e-2,
           "gives a torque of 60 kN m at the swing relief pressure"),
    number("swing_flow", 3.0e-3, "m³/s", "flow through the fully open valve at 10 bar pressure drop", SWING,
           1e-5, 2e-2),
    number("swing_relief", 2.6e7, "Pa", "swing relief pressure", SWING, 5e6, 4e7),
    number("swing_chamber", 1.5e-3, "m³", "oil volume on each side of the swing motor", SWING, 1e-4, 1e-2),
    number("swing_friction", 900.0, "N m", "friction torque of slewing ring and gear", SWING, 0.0, 2e4),
    number("swing_damping", 1500.0, "N m s/rad", "viscous damping of slewing ring and gear", SWING, 0.0, 1e5),
    number("engine_speed", 209.4, "rad/s", "engine speed without load", ENGINE, 80.0, 300.0, "2000 rpm"),
    number("engine_droop", 14.0, "rad/s", "speed drop from no load to full torque", ENGINE, 2.0, 60.0,
           "7 % of the speed without load"),
    number("engine_torque", 640.0, "N m", "maximum engine torque", ENGINE, 100.0, 3000.0,
           "four-cylinder engine with 110 kW"),
    number("engine_lag", 0.15, "s", "time constant of the engine torque", ENGINE, 0.02, 2.0,
           "caused by the delay of the turbocharger"),
    number("engine_drag", 70.0, "N m", "drag torque of the engine without fuel", ENGINE, 0.0, 500.0,
           "caused by engine friction and fan"),
    number("engine_inertia", 3.2, "kg m²", "moment of inertia of crankshaft, flywheel and pumps", ENGINE,
           0.2, 50.0),
    number("pump_displacement", 3.35e-5, "m³/rad", "displacement of all pumps together", SUPPLY, 1e-6, 1e-3,
           "two pumps with 105 cm³ per revolution each"),
    number("pump_power", 9.2e4, "W", "power limit of the pumps", SUPPLY, 1e4, 1e6,
           "the part of the engine power that is left for the pumps"),
    _choice("soil", "gravel", "soil class", GROUND, SOIL_NAMES,
            "with “none”, the ground does not resist the bucket"),
    number("ground_level", 0.0, "m", "height of the ground to dig, measured from the bottom of the tracks",
           GROUND, -3.0, 3.0),
    number("ground_slope", 0.0, "rad", "slope of the ground (positive: rises away from the machine)", GROUND,
           -0.6, 0.6),
    number("speed_noise", 0.5, "rad/s", "engine speed sensor: noise (standard deviation)", SENSORS, 1e-3,
           10.0, "5 rpm"),
    number("gravity", 9.81, "m/s²", "gravity", GROUND, 0.0, 100.0, "acts vertically downwards (along -y)",
           "standard"),
    *adapted(
        tuple(p for p in oil_parameters(relief=3.43e7, flow=6.7e-3) if p.name not in _OTHERS),
        number("pump_speed", 199.0, "rad/s", "rated pump speed", SUPPLY, 50.0, 400.0, "1900 rpm"),
        number("pump_line", 2.5e-3, "m³", "pump line volume", SUPPLY, 1e-4, 1e-2),
        number("relief_span", 2e6, "Pa",
               "pressure rise over which the relief valve goes from just open to fully open", SUPPLY, 1e5,
               1e7),
        number("shock_pressure", 3.63e7, "Pa", "opening pressure of the shock valves", "Valves", 5e6, 5e7,
               "set above the main relief pressure"),
        number("holding_pressure", 3.7e7, "Pa", "opening pressure of the load-holding valves", "Valves", 5e6,
               5e7),
        number("pilot_ratio", 10.0, "-", "pilot ratio of the load-holding valves", "Valves", 1.0, 20.0,
               "high, so that little pressure is needed to lower the load"),
        number("valve_lag", 0.04, "s", "spool time constant", "Valves", 5e-3, 0.5,
               "for a valve with hydraulic pilot control"),
        number("hose", 1.5e-3, "m³", "oil volume of the hose at each valve port", "Oil", 2e-5, 1e-2,
               "volume of a 5 m hose with 19 mm inner diameter"),
        number("seal_viscous", 8e3, "N s/m", "viscous friction of the cylinder seals", "Seals and dampers",
               0.0, 1e6),
    ),
)  # fmt: skip
