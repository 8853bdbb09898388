"""Parameters of the loader crane: a truck-mounted crane of about 13 t m with 7.2 m reach.

Publications on such cranes (Baharudin 2016, table 3.4; Rahikainen 2019, Publication III) give no dimensions,
so geometry and masses are typical engineering values for that class.
"""

from __future__ import annotations

from simcore.machines.parameters import SENSORS, actuator_parameters, number, oil_parameters
from simcore.model.case import Parameter

POSE, COLUMN, BOOM, JIB, EXTENSION, LOAD, TRUCK, SLEW, RATING = (
    "Pose at the start",
    "Column",
    "Main boom",
    "Folding boom",
    "Extension",
    "Load",
    "Truck and stabilisers",
    "Slewing",
    "Load rating",
)
_SECTION = "the cross-section is a closed box of four plates"


def _section(
    name: str, group: str, height: float, tip: float, width: float, wall: float
) -> tuple[Parameter, ...]:
    return (
        number(f"{name}_height", height, "m", "section height at the hinge", group, 0.08, 0.8, _SECTION),
        number(f"{name}_tip", tip, "m", "section height at the tip", group, 0.06, 0.8, _SECTION),
        number(f"{name}_width", width, "m", "section width", group, 0.06, 0.6, _SECTION),
        number(f"{name}_wall", wall, "m", "plate thickness", group, 0.003, 0.03, _SECTION),
    )


PARAMETERS = (
    number("slew_start", 0.0, "rad", "slewing angle", POSE, -3.5, 3.5, "0 means straight over the truck bed"),
    number("boom_start", 0.6, "rad", "main boom angle above horizontal", POSE, -0.3, 1.3),
    number("jib_start", -0.9, "rad", "folding boom angle relative to the main boom", POSE, -2.0, 0.0),
    number("extension_start", 0.3, "m", "distance by which the extension is pushed out", POSE, 0.0, 3.0),
    number("mounting_height", 1.05, "m", "height of the top of the truck frame above the ground", COLUMN, 0.5,
           2.0),
    number("column_height", 1.85, "m", "height of the boom hinge above the truck frame", COLUMN, 1.0, 3.0),
    number("column_offset", 0.15, "m", "distance of the boom hinge behind the slewing axis", COLUMN, 0.0,
           0.5),
    number("column_width", 0.34, "m", "side length of the square cross-section", COLUMN, 0.15, 0.8),
    number("column_wall", 0.012, "m", "plate thickness", COLUMN, 0.004, 0.04),
    number("boom_length", 2.6, "m", "length from hinge to hinge", BOOM, 1.5, 4.5),
    *_section("boom", BOOM, 0.30, 0.24, 0.20, 0.008),
    number("jib_length", 2.6, "m", "length from the hinge to the open end", JIB, 1.5, 4.5),
    *_section("jib", JIB, 0.24, 0.22, 0.18, 0.007),
    number("extension_length", 2.5, "m", "length of the inner beam", EXTENSION, 1.0, 4.5),
    *_section("extension", EXTENSION, 0.18, 0.18, 0.14, 0.006),
    number("extension_friction", 400.0, "N", "friction force of the slide pads", EXTENSION, 0.0, 1e5),
    number("payload", 600.0, "kg", "load on the hook at the start", LOAD, 1.0, 1e4),
    number("usual_load", 600.0, "kg", "load picked up in a work cycle", LOAD, 10.0, 1e4),
    number("hook_mass", 35.0, "kg", "mass of the hook with swivel", LOAD, 2.0, 500.0),
    number("rope_length", 0.9, "m", "distance from boom tip to load centre", LOAD, 0.3, 6.0),
    number("swing_damping", 60.0, "N m s/rad",
           "damping of the load's swing by air and rope, in each direction", LOAD, 0.0, 1e4),
    number("lift_base_x", 0.28, "m", "lift cylinder base pin: distance in front of the slewing axis", COLUMN,
           0.0, 1.0),
    number("lift_base_y", 0.42, "m", "lift cylinder base pin: height above the truck frame", COLUMN, 0.0,
           2.0),
    number("lift_rod_x", 0.55, "m", "lift cylinder rod pin: distance along the main boom", BOOM, 0.2, 1.5),
    number("lift_rod_y", -0.16, "m", "lift cylinder rod pin: height above the main boom's axis", BOOM, -0.6,
           0.3),
    number("fold_base_back", 1.65, "m",
           "fold cylinder base pin: distance back along the main boom from the folding boom's hinge", BOOM,
           0.5, 4.0),
    number("fold_base_y", -0.24, "m", "fold cylinder base pin: height above the main boom's axis", BOOM,
           -0.8, 0.5),
    number("fold_rod_x", 0.36, "m", "fold cylinder rod pin: distance along the folding boom", JIB, 0.05, 1.5),
    number("fold_rod_y", -0.30, "m", "fold cylinder rod pin: height above the folding boom's axis", JIB,
           -0.8, 0.5),
    *actuator_parameters("lift", "Lift", 0.125, 0.080, 0.80, 1.12, 2.4e-4),
    *actuator_parameters("fold", "Fold", 0.125, 0.080, 0.80, 1.22, 2.4e-4),
    *actuator_parameters("extend", "Extension", 0.080, 0.056, 2.10, 2.60, 2.0e-4),
    number("rack_area", 6.36e-3, "m²", "piston area of the slewing rack", SLEW, 5e-4, 0.05,
           "area of a piston with 90 mm diameter"),
    number("pinion_radius", 0.105, "m", "pitch radius of the pinion", SLEW, 0.03, 0.4),
    number("slew_flow", 7e-5, "m³/s", "flow through the fully open valve at 10 bar pressure drop", SLEW, 1e-5,
           1e-2, "determines the maximum speed"),
    number("slew_chamber", 1.2e-3, "m³", "oil volume of one chamber of the slewing rack", SLEW, 1e-4, 1e-2,
           "with the rack in the middle of its stroke"),
    number("slew_shock", 1.8e7, "Pa", "opening pressure of the shock valves", SLEW, 2e6, 4e7,
           "set low to protect column and load"),
    number("slew_friction", 350.0, "N m", "friction torque of the slewing bearing", SLEW, 0.0, 1e4),
    number("slew_damping", 400.0, "N m s/rad", "viscous damping of slewing bearing and rack", SLEW, 0.0, 1e5),
    number("truck_mass", 6400.0, "kg", "mass of the truck with empty bed, without the crane", TRUCK, 3e3,
           3e4),
    number("truck_centre", 0.9, "m", "distance of the truck's centre of mass behind the slewing axis", TRUCK,
           -2.0, 4.0),
    number("stabiliser_spread", 4.2, "m", "distance between the stabiliser feet", TRUCK, 1.8, 9.0),
    number("front_axle", -2.0, "m",
           "distance of the front axle behind the slewing axis (negative: in front of it)", TRUCK, -5.0,
           -0.5),
    number("rear_axle", 3.4, "m", "distance of the rear axle behind the slewing axis", TRUCK, 1.0, 8.0),
    number("track_width", 2.0, "m", "distance between left and right wheels", TRUCK, 1.2, 2.6),
    number("yield_stress", 6.9e8, "Pa", "yield strength of the booms' steel", RATING, 2e8, 1.2e9,
           "steel S690QL according to EN 10025-6", "standard"),
    number("structure_factor", 2.0, "-", "yield strength divided by permitted stress", RATING, 1.0, 4.0,
           "safety factor that also covers dynamic loads"),
    number("overload", 1.25, "-", "load in the tipping test divided by rated load", RATING, 1.0, 2.0),
    number("spin_noise", 5e-3, "rad/s", "gyroscopes: noise (standard deviation)", SENSORS, 1e-5, 0.5),
    number("steel_density", 7850.0, "kg/m³", "density of the steel", RATING, 7000.0, 9000.0,
           "from EN 1991-1-1; welds and fittings are not included", "standard"),
    number("gravity", 9.81, "m/s²", "gravity", RATING, 0.0, 100.0, "acts vertically downwards (along -y)",
           "standard"),
    *oil_parameters(relief=2.6e7, flow=9.5e-4),
)  # fmt: skip
