"""Defines the rig of Khadim 2021, Publication II, which was built to estimate valve curves.

The rig consists of a four-bar, a pump with a relief valve and a four-edge valve. The published values cannot
be simulated. The values used instead, their provenance and the results are in docs/cases/valve-rig.md.
"""

from __future__ import annotations

import math
from dataclasses import replace

from simcore.cases.four_bar_b import bodies, rocker_bearing
from simcore.cases.one_cylinder import GRAVITY, MODEL_ERROR, PISTON, ROD, SPOOL, spool_update
from simcore.cases.power_pack import PUMP_LINE, TANK, pack_parameters, power_pack, pump_pressure
from simcore.cases.seals import seal, seal_parameters
from simcore.cases.valve_curves import edge_curve
from simcore.model.case import Case, Chosen, Parameter, staircase
from simcore.model.elements import (
    GROUND,
    Curve,
    Cylinder,
    DirectionalValve,
    Fluid,
    Machine,
    Mount,
    Output,
    Solver,
    Volume,
)
from simcore.model.geometry import static_force
from simcore.model.quantity import Quantity, assumed, place, printed, reconstructed

_AREA_A, _AREA_B = 2e-3, 1.8e-3  # m²
_LENGTH = math.sqrt(3)  # m, of tube and of the cylinder at the start
_LIMIT = 10.0  # V
_RIGID = assumed(1e15, "Pa", "rigid walls: the published law contains the oil only")
# inner control points of C_v at 2, 4, 6, 8 V; the straight line would be 19, 38, 57, 76
_CONTROL = {
    "a": (24.0, 45.0, 62.0, 79.0),
    "b": (6.0, 22.0, 66.0, 88.0),  # S-shaped
    "c": (12.0, 30.0, 50.0, 72.0),
    "d": (12.0, 26.0, 44.0, 70.0),  # below a: oil leaves the rod side no faster than it fills the other
}
_EDGES = {"a": "supply to A", "d": "B to tank", "c": "supply to B", "b": "A to tank"}  # engine's order


def _control_parameters() -> tuple[Parameter, ...]:
    return tuple(
        Parameter(
            f"cv_{edge}_{k}",
            value,
            "cv_unit",
            "assumed",
            f"flow coefficient curve of the valve edge from {_EDGES[edge]}: control point at {2 * k} V",
            0.0,
            1e3,
            label=f"C_v at {2 * k} V, edge from {_EDGES[edge]}",
        )
        for edge, values in _CONTROL.items()
        for k, value in enumerate(values, start=1)
    )


PARAMETERS = (
    Parameter("crank_mass", 100.0, "kg", "printed", "mass of the crank, which is 2 m long", 0.1, 1e4),
    Parameter("coupler_mass", 400.0, "kg", "printed", "mass of the coupler, which is 8 m long", 0.1, 1e4),
    Parameter("rocker_mass", 250.0, "kg", "printed", "mass of the rocker, which is 5 m long", 0.1, 1e4),
    Parameter(
        "crank_start",
        math.pi / 3,
        "rad",
        "reconstructed",
        "crank angle at t = 0, calculated from a cylinder length of √3 m",
        0.1,
        1.7,
        label="crank angle at the start",
    ),
    *pack_parameters(
        Parameter("pump_flow", 1e-3, "m³/s", "printed", "constant pump flow", 0.0, 0.1),
        Parameter(
            "pump_volume",
            3.42e-3,
            "m³",
            "printed",
            "oil volume of the pump line",
            1e-6,
            0.1,
            label="pump line volume",
        ),
    ),
    Parameter(
        "p_P_start",
        7.6e6,
        "Pa",
        "printed",
        "pump line pressure at t = 0",
        1e5,
        5e7,
        label="pump line pressure at the start",
    ),
    Parameter(
        "p_A_start",
        1e6,
        "Pa",
        "printed",
        "piston chamber pressure at t = 0; the rod-side pressure starts at the value that holds the machine"
        " still",
        1e5,
        5e7,
        label="piston chamber pressure at the start",
    ),
    Parameter(
        "hose_volume",
        3.42e-4,
        "m³",
        "assumed",
        "oil volume of each hose; the published 0.342 m³ (342 litres) is not plausible",
        1e-6,
        1.0,
    ),
    Parameter(
        "density",
        869.0,
        "kg/m³",
        "printed",
        "oil density; has no effect in this model",
        500.0,
        1500.0,
        label="oil density",
    ),
    Parameter(
        "oil_bulk_modulus",
        1.6e9,
        "Pa",
        "printed",
        "k_p in the formula for the bulk modulus at pressure p: k_p + k_0 p",
        1e7,
        1e10,
    ),
    Parameter(
        "stiffening",
        0.5,
        "-",
        "printed",
        "k_0 in the formula for the bulk modulus at pressure p: k_p + k_0 p",
        0.0,
        100.0,
        label="bulk modulus increase with pressure",
    ),
    Parameter(
        "l10",
        _LENGTH / 2,
        "m",
        "assumed",
        "piston chamber length when the cylinder is √3 m long",
        0.3,
        1.4,
        label="piston chamber length",
    ),
    Parameter(
        "tau",
        1 / (70 * math.pi),
        "s",
        "reconstructed",
        "time constant of a similar valve, whose spool lags its command by 45° at 35 Hz",
        1e-4,
        1.0,
        label="spool time constant",
    ),
    SPOOL,
    Parameter(
        "cv_unit",
        1e-10,
        "m³/(s √Pa V)",
        "assumed",
        "unit of all C_v values; the publication does not state it, so this is our choice",
        0.0,
        1e-6,
        label="unit of C_v",
    ),
    Parameter(
        "cv_max",
        95.0,
        "cv_unit",
        "printed",
        "flow coefficient C_v of each valve edge when fully open",
        0.0,
        1e3,
        label="largest C_v",
    ),
    *_control_parameters(),
    *seal_parameters("brown-mcphee", "passive", "printed"),
)


def _curve(chosen: Chosen, edge: str) -> Curve:
    inner = tuple(chosen.number(f"cv_{edge}_{k}") for k in range(1, 5))
    return edge_curve((0.0, *inner, chosen.number("cv_max")), chosen.number("cv_unit"), _LIMIT, "assumed")


def _valve(chosen: Chosen) -> DirectionalValve:
    mean = chosen.number("cv_max") * chosen.number("cv_unit")
    first, second, third, fourth = (_curve(chosen, edge) for edge in _EDGES)
    return DirectionalValve(
        name="valve",
        supply=PUMP_LINE,
        tank=TANK,
        port_a=PISTON,
        port_b=ROD,
        coefficient=assumed(mean, "m³/(s √Pa V)", "fully open; the curves replace it"),
        time_constant=chosen.quantity("tau"),
        command_limit=printed(_LIMIT, "V"),
        laminar_below=printed(2e5, "Pa", "laminar below 2 bar"),
        curves=(first, second, third, fourth),
    )


def _cylinder(chosen: Chosen) -> Cylinder:
    note = "from the published areas"
    return Cylinder(
        name="cylinder",
        base=Mount(GROUND, place(-1, 0, 0)),
        rod=Mount("crank", place(1, 0, 0, "printed", "centre of mass of the crank")),
        chamber_a=PISTON,
        chamber_b=ROD,
        bore=reconstructed(math.sqrt(4 * _AREA_A / math.pi), "m", note),
        rod_diameter=reconstructed(math.sqrt(4 * (_AREA_A - _AREA_B) / math.pi), "m", note),
        tube_length=printed(_LENGTH, "m"),
        reference_length=printed(_LENGTH, "m"),
        chamber_a_at_reference=chosen.quantity("l10"),
        wall_bulk_modulus=_RIGID,
        friction=seal(chosen),
    )


def _chambers(chosen: Chosen, p_b: Quantity) -> tuple[Volume, Volume]:
    hose = chosen.quantity("hose_volume")
    return (
        Volume(PISTON, "Piston chamber", hose, _RIGID, chosen.quantity("p_A_start")),
        Volume(ROD, "Rod chamber", hose, _RIGID, p_b),
    )


_GAUGE = printed(1.5e5, "Pa", "pressure gauge")
_OUTPUTS = (
    Output("cylinder.length", "Cylinder length", "length", "cylinder", "sensor", printed(1.12e-3, "m")),
    pump_pressure(_GAUGE),
    Output("cylinder.p_A", "Piston chamber pressure", "pressure", PISTON, "sensor", _GAUGE),
    Output("cylinder.p_B", "Rod chamber pressure", "pressure", ROD, "estimate"),
    Output("crank.angle", "Crank angle", "angle", "crank", "estimate"),
    Output("crank.rate", "Crank rate", "rate", "crank", "estimate"),
    Output("coupler.angle", "Coupler angle", "angle", "coupler", "estimate"),
    Output("rocker.angle", "Rocker angle", "angle", "rocker", "estimate"),
    Output("cylinder.force", "Cylinder force", "force", "cylinder", "estimate"),
    Output("valve.command", "Valve command", "command", "valve", "input"),
    Output("valve.spool", "Valve spool", "spool", "valve", "model"),
)


def assemble(chosen: Chosen) -> Machine:
    """The rig with the chosen parameters."""
    pack = power_pack(chosen, _RIGID, chosen.quantity("p_P_start"))
    machine = Machine(
        name="valve-rig",
        gravity=GRAVITY,
        bodies=bodies(chosen),
        loops=(rocker_bearing("reconstructed"),),
        independent=("crank",),
        fluid=Fluid(
            chosen.quantity("density"), chosen.quantity("oil_bulk_modulus"), chosen.quantity("stiffening")
        ),
        volumes=(*_chambers(chosen, reconstructed(2.5e6, "Pa")), pack.volume),
        sources=(pack.tank,),
        orifices=(),
        valves=(_valve(chosen),),
        cylinders=(_cylinder(chosen),),
        outputs=_OUTPUTS,
        solver=Solver(
            penalty=assumed(1e11, "N/m", "as in the earlier publications"),
            position_tolerance=assumed(1e-7, "rad"),
            pressure_tolerance=assumed(1e-2, "Pa"),
            max_iterations=20,
            spool=spool_update(chosen),
        ),
        model_error=MODEL_ERROR,
        elements=pack.elements,
    )
    holding = (chosen.number("p_A_start") * _AREA_A - static_force(machine)) / _AREA_B
    held = reconstructed(holding, "Pa", "holds the machine still at the given piston pressure")
    return replace(machine, volumes=(*_chambers(chosen, held), pack.volume))


def _command(t: float) -> float:
    return _LIMIT * math.sin(0.4 * math.pi * t)


VALVE_RIG = Case(
    name="valve-rig",
    sentence="Four-bar linkage with one cylinder, a valve with a separate flow curve for each"
    " edge, and a pump with relief valve (published in Khadim 2021, Publication II)",
    parameters=PARAMETERS,
    assemble=assemble,
    command_schedule=staircase("valve.command", _command, 0.01, 5.0),
    dt=1e-3,
    t_end=5.0,
)
