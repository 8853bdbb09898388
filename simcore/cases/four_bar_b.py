"""Defines the hydraulic four-bar of Jaiswal 2021, Publication II: one cylinder drives the linkage.

The linkage consists of crank, coupler and rocker. Parameters, their provenance and measured results are in
docs/cases/four-bar-b.md.
"""

from __future__ import annotations

import math
from dataclasses import replace

from simcore.cases.one_cylinder import SPOOL, reduced, reduction_parameters, spool_update
from simcore.cases.seals import seal, seal_parameters
from simcore.model.case import Case, Chosen, Parameter
from simcore.model.elements import (
    GROUND,
    Beam,
    Body,
    CutRevolute,
    Cylinder,
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
from simcore.model.geometry import static_force
from simcore.model.profile import DemoSite, PlatformProfile
from simcore.model.quantity import Origin, Quantity, Vector, assumed, place, printed, reconstructed

_Z = (0.0, 0.0, 1.0)
_PRINTED_FORCE = 681.23  # N
_LAMINAR = printed(2e5, "Pa", "laminar below 2 bar")

PARAMETERS = (
    Parameter("crank_mass", 16.0, "kg", "printed", "mass of the crank", 0.1, 1e4),
    Parameter("coupler_mass", 64.0, "kg", "printed", "mass of the coupler", 0.1, 1e4),
    Parameter("rocker_mass", 40.0, "kg", "printed", "mass of the rocker", 0.1, 1e4),
    Parameter(
        "crank_start",
        math.radians(60.0),
        "rad",
        "printed",
        "crank angle at t = 0",
        0.1,
        1.7,
        label="crank angle at the start",
    ),
    Parameter("pump_pressure", 7.6e6, "Pa", "printed", "constant supply pressure", 1e5, 5e7),
    Parameter(
        "tank_pressure", 1e5, "Pa", "printed", "tank pressure, equal to atmospheric pressure", 0.0, 5e6
    ),
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
        5.5e-3,
        "s",
        "reconstructed",
        "spool time constant, chosen so that the cylinder does the published amount of work",
        1e-4,
        1.0,
        label="spool time constant",
    ),
    SPOOL,
    Parameter(
        "throttle_area",
        2.83e-5,
        "m²",
        "printed",
        "flow area of the throttle between hose and cylinder",
        1e-8,
        1e-2,
    ),
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
    Parameter("density", 850.0, "kg/m³", "printed", "density of the oil", 500.0, 1500.0, label="oil density"),
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
        "l20",
        0.45,
        "m",
        "assumed",
        "piston chamber length in the published start position; the published 0.83 m is impossible",
        0.15,
        0.85,
        label="piston chamber length",
    ),
    *seal_parameters("brown-mcphee", "passive", "printed"),
    *reduction_parameters("series"),
    Parameter(
        "start",
        "printed",
        "",
        "printed",
        "“printed”: the cylinder starts with the published force of 681.23 N; “equilibrium”: it starts with"
        " the force that holds the rig still (-386.00 N)",
        choices=("printed", "equilibrium"),
        label="start state",
    ),
)


def _beam(
    name: str, parent: str, at: Vector, mass: Quantity, length: float, start: Quantity, width: float
) -> Body:
    """Slender bar along x: J = m L²/12 about y and z, zero about x."""
    across = float(mass) * length**2 / 12
    return Body(
        name=name,
        joint=Revolute(parent, at, _Z, start, assumed(0.0, "rad/s", "at rest")),
        mass=mass,
        centre=place(length / 2, 0, 0, "printed", "middle of the bar"),
        inertia=Vector((0.0, across, across), "kg m²", "printed", "m L²/12"),
        shapes=(Beam(printed(length, "m"), *[assumed(width, "m", "display")] * 2),),
    )


def bodies(chosen: Chosen) -> tuple[Body, ...]:
    """Crank, coupler and rocker; `rocker_bearing` closes the loop."""
    note = "published to 0.01°; solved so that the loop closes exactly"
    return (
        _beam("crank", GROUND, place(0, 0, 0), chosen.quantity("crank_mass"), 2.0,
              chosen.quantity("crank_start"), 0.2),
        _beam("coupler", "crank", place(2, 0, 0), chosen.quantity("coupler_mass"), 8.0,
              reconstructed(math.radians(-37.9044), "rad", note), 0.2),
        _beam("rocker", "coupler", place(8, 0, 0), chosen.quantity("rocker_mass"), 5.0,
              reconstructed(math.radians(-93.5833), "rad", note), 0.2),
    )  # fmt: skip


def rocker_bearing(origin: Origin = "printed") -> CutRevolute:
    """Where the rocker meets the ground, 10 m from the crank's bearing."""
    at = Mount(GROUND, place(10, 0, 0, origin))
    return CutRevolute("rocker bearing", at, Mount("rocker", place(5, 0, 0)), _Z, _Z)


def _cylinder(chosen: Chosen) -> Cylinder:
    return Cylinder(
        name="cylinder",
        base=Mount(GROUND, place(-1, 0, 0)),
        rod=Mount("crank", place(1, 0, 0, "printed", "centre of mass of the crank")),
        chamber_a="piston chamber",
        chamber_b="rod chamber",
        bore=printed(0.080, "m"),
        rod_diameter=printed(0.035, "m"),
        tube_length=printed(0.9, "m"),
        reference_length=reconstructed(math.sqrt(3.0), "m", "published 1.73; length at a crank angle of 60°"),
        chamber_a_at_reference=chosen.quantity("l20"),
        wall_bulk_modulus=chosen.quantity("wall_bulk_modulus"),
        friction=seal(chosen),
    )


def _volumes(chosen: Chosen, p_a: Quantity) -> tuple[Volume, ...]:
    hose = chosen.quantity("hose_bulk_modulus")
    return (
        Volume("hose", "Hose", printed(4.71e-5, "m³"), hose, p_a),
        Volume("piston chamber", "Piston chamber", printed(3.14e-5, "m³"), hose, p_a),
        Volume("rod chamber", "Rod chamber", printed(7.85e-5, "m³"), hose, chosen.quantity("p_B_start")),
    )


_OUTPUTS = (
    Output("crank.angle", "Crank angle", "angle", "crank", "sensor",
           assumed(math.radians(0.25), "rad", "encoder")),
    Output("crank.rate", "Crank rate", "rate", "crank", "sensor", assumed(0.01, "rad/s", "gyroscope")),
    Output("hose.p", "Hose pressure", "pressure", "hose", "sensor", assumed(5e4, "Pa", "0.5 bar")),
    Output("cylinder.p_A", "Piston chamber pressure", "pressure", "piston chamber", "estimate"),
    Output("cylinder.p_B", "Rod chamber pressure", "pressure", "rod chamber", "sensor",
           assumed(5e4, "Pa", "0.5 bar")),
    Output("coupler.angle", "Coupler angle", "angle", "coupler", "estimate"),
    Output("rocker.angle", "Rocker angle", "angle", "rocker", "estimate"),
    Output("cylinder.length", "Cylinder length", "length", "cylinder", "estimate"),
    Output("cylinder.force", "Cylinder force", "force", "cylinder", "estimate"),
    Output("valve.command", "Valve command", "command", "valve", "input"),
    Output("valve.spool", "Valve spool", "spool", "valve", "model"),
)  # fmt: skip


def assemble(chosen: Chosen) -> Machine:
    """The rig with the chosen parameters."""
    machine = Machine(
        name="four-bar-b",
        gravity=Vector((0.0, -9.81, 0.0), "m/s²", "reconstructed", "as in Publication I"),
        bodies=bodies(chosen),
        loops=(rocker_bearing(),),
        independent=("crank",),
        fluid=Fluid(chosen.quantity("density"), chosen.quantity("oil_bulk_modulus")),
        volumes=_volumes(chosen, reconstructed(1e6, "Pa")),
        sources=(
            PressureSource("pump", chosen.quantity("pump_pressure")),
            PressureSource("tank", chosen.quantity("tank_pressure")),
        ),
        orifices=(
            Orifice(
                "throttle",
                "hose",
                "piston chamber",
                chosen.quantity("throttle_area"),
                chosen.quantity("discharge"),
                _LAMINAR,
            ),
        ),
        valves=(
            DirectionalValve(
                name="valve",
                supply="pump",
                tank="tank",
                port_a="hose",
                port_b="rod chamber",
                coefficient=chosen.quantity("valve_coefficient"),
                time_constant=chosen.quantity("tau"),
                command_limit=printed(10.0, "V"),
                laminar_below=_LAMINAR,
            ),
        ),
        cylinders=(_cylinder(chosen),),
        outputs=_OUTPUTS,
        solver=Solver(
            penalty=printed(1e11, "N/m"),
            position_tolerance=printed(1e-7, "rad"),
            pressure_tolerance=printed(1e-2, "Pa"),
            max_iterations=20,
            spool=spool_update(chosen),
        ),
        model_error=ModelError(
            acceleration=assumed(0.02, "rad/s²/√Hz", "friction and masses are known to a few per cent"),
            pressure_rate=assumed(7e4, "Pa/s/√Hz", "bulk modulus is known to a few per cent"),
            input_fresh=assumed(0.05, "s", "one lost sample of 50 Hz telemetry, and some jitter"),
            input_memory=assumed(3.0, "s", "an operator's stroke lasts about that long"),
            start_position=assumed(0.1, "rad"),
            start_rate=assumed(0.2, "rad/s"),
            start_pressure=assumed(2e6, "Pa"),
            unexplained_torque=assumed(30.0, "N m", "a fifth of 250 N of friction at 0.5 m, and some weight"),
            torque_memory=assumed(10.0, "s", "friction turns round with every movement"),
            valve_gain=assumed(0.1, "-", "a valve's flow is known to a tenth"),
            supply_pressure=assumed(5e5, "Pa", "a pump's setting drifts by a few bar"),
            bias_memory=assumed(100.0, "s", "slower than any movement"),
        ),
    )
    start = _start_pressure(chosen, machine)
    return reduced(chosen, replace(machine, volumes=_volumes(chosen, start)))


def _in_service(machine: Machine) -> Machine:
    """The rig with wear, drift of its oil and the zero of its encoder, which the published filter lacks."""
    return replace(
        machine,
        model_error=replace(
            machine.model_error,
            oil_stiffness=assumed(0.1, "-", "temperature and finely spread air change it by a tenth"),
            dead_band=assumed(0.02, "-", "overlap of a proportional valve's edges"),
            leakage=assumed(8e-13, "m³/(s Pa)", "a worn piston: 3 % of the valve's flow at full pressure"),
            leakage_on=("cylinder",),
            command_lag=assumed(0.01, "s", "spool, driver and clock of the command"),
            cause_memory=assumed(1e3, "s", "oil warms in a quarter of an hour"),
            angle_error=assumed(2e-3, "rad", "zero point of a laboratory encoder: 0.1 degrees"),
        ),
    )


def _start_pressure(chosen: Chosen, machine: Machine) -> Quantity:
    """Pressure of the piston chamber at t = 0: p_A = (F + p_B A_B)/A_A, without friction."""
    cylinder = machine.cylinders[0]
    equilibrium = chosen.word("start") == "equilibrium"
    force = static_force(machine) if equilibrium else _PRINTED_FORCE
    area_a = math.pi * float(cylinder.bore) ** 2 / 4
    area_b = area_a - math.pi * float(cylinder.rod_diameter) ** 2 / 4
    pressure = (force + chosen.number("p_B_start") * area_b) / area_a
    return reconstructed(pressure, "Pa", f"holds a cylinder force of {force:.2f} N")


FOUR_BAR_B = Case(
    name="four-bar-b",
    sentence="Laboratory rig: crank, coupler and rocker moved by one hydraulic cylinder (published in Jaiswal"
    " 2021, Publication II)",
    kind="Four-bar rig",
    parameters=PARAMETERS,
    assemble=assemble,
    command_schedule=(
        (0.0, {"valve.command": 0.0}),
        (1.0, {"valve.command": 10.0}),
        (2.5, {"valve.command": 0.0}),
        (5.0, {"valve.command": -10.0}),
        (8.0, {"valve.command": 0.0}),
    ),
    dt=1e-3,
    t_end=10.0,
    in_service=_in_service,
    profile=PlatformProfile(
        standing={"start": "equilibrium"},
        compared="energies, extreme values and final state of the published simulation"
        " (docs/cases/four-bar-b.md).",
        demo_site=DemoSite("Laboratory", "workshop", 0.0, 0.0),
    ),
)
