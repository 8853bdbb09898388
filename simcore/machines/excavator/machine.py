"""Assembles the complete excavator: structure, engine, hydraulics, ground, sensors, work cycle."""

from __future__ import annotations

import math
from dataclasses import replace

from simcore.machines.excavator.choices import equipped, soil
from simcore.machines.excavator.parameters import PARAMETERS
from simcore.machines.excavator.powertrain import circuit, diesel
from simcore.machines.excavator.profile import PROFILE
from simcore.machines.excavator.structure import at, bodies, bucket_pin, inside
from simcore.machines.excavator.variants import VARIANTS
from simcore.machines.excavator.work_cycle import COMMAND_SCHEDULE, CYCLES, poses
from simcore.machines.model import MachineModel
from simcore.machines.numerics import MODEL_ERROR, SOLVER
from simcore.model.case import Chosen
from simcore.model.elements import (
    Air,
    BrownMcPhee,
    Digging,
    Fluid,
    Ground,
    JointFriction,
    Machine,
    Mount,
    Output,
    Payload,
)
from simcore.model.equilibrium import at_rest
from simcore.model.quantity import Vector, assumed, derived

_MODEL_ERROR = replace(
    MODEL_ERROR,
    pressure_rate=assumed(2e6, "Pa/s/√Hz", "bulk modulus and pump flow are known to a few per cent"),
    engine_torque=assumed(30.0, "N m/s/√Hz", "governor and fuel are known to a twentieth"),
    unexplained_torque=assumed(1e3, "N m", "at rest, seal friction can hold up to 2 kN m"),
    unexplained_on=("boom", "dipper", "bucket"),
    weight=assumed(0.03, "-", "plates, welds, fittings and oil are known to a thirtieth"),
    weight_on=("boom", "dipper"),
    leakage=assumed(4e-12, "m³/(s Pa)", "across a worn piston: 2 % of the pump's flow at relief pressure"),
    leakage_on=("boom", "dipper", "bucket"),
    governor_speed=assumed(2.0, "rad/s", "the governor's setting is known to a hundredth"),
    least_rate=assumed(15.0, "Hz", "measured: at 10 Hz pressures of digging machines are off by 3 %"),
    payload=Payload(
        "load",
        known=assumed(20.0, "kg", "an empty bucket can be weighed"),
        change=assumed(800.0, "kg", "typical load of such a bucket"),
        by_weight=True,
    ),
)


def _digging(chosen: Chosen) -> tuple[Digging, ...]:
    """The cutting edge between the outer teeth; it cuts along its path, slightly downwards."""
    name, r = chosen.word("soil"), chosen.number("bucket_radius")
    if name == "none":
        return ()
    slope, along = chosen.number("ground_slope"), math.radians(20.0)
    return (
        Digging(
            name="bucket edge",
            edge=Mount("bucket", at(r, 0.0)),
            axis_forward=(math.sin(along), -math.cos(along), 0.0),
            axis_mouth=(0.0, -1.0, 0.0),
            centre=inside(chosen),
            width=chosen.quantity("bucket_width"),
            capacity=chosen.quantity("bucket_volume"),
            ground=Ground(at(0.0, chosen.number("ground_level")), (-math.sin(slope), math.cos(slope), 0.0)),
            soil=soil(name, 0.4 * r, chosen.number("gravity")),
            soft_depth=assumed(0.03, "m", "loose surface"),
            turn_velocity=assumed(0.05, "m/s", "full resistance from about 0.1 m/s"),
            pours_below=assumed(0.35, "-", "mouth tilted by 70°, beyond the angle of repose"),
            open_below=assumed(0.7, "-", "mouth down by 20°"),
        ),
    )


def _outputs(chosen: Chosen) -> tuple[Output, ...]:
    encoder = chosen.quantity("angle_noise")
    names = (("swing", "platform"), ("boom", "boom"), ("dipper", "dipper"), ("bucket", "bucket"))
    found = [
        Output(f"{name}.angle", f"{name.capitalize()} angle", "angle", part, "sensor", encoder)
        for name, part in names
    ]
    found.append(Output("swing.rate", "Swing rate", "rate", "platform", "estimate"))
    found += [
        Output(f"{name}.angle", f"{name.capitalize()} angle", "angle", name, "estimate")
        for name in ("rocker", "link")
    ]
    if chosen.word("soil") != "none":
        found.append(Output("bucket.fill", "Soil in the bucket", "fill", "bucket edge", "model"))
        found.append(Output("bucket.digging", "Digging resistance", "digging", "bucket edge", "estimate"))
    return tuple(found)


def assemble(given: Chosen) -> Machine:
    """The excavator with the chosen parameters; its cylinders hold it still and its engine runs."""
    chosen = equipped(given)
    oil = circuit(chosen)
    air = Air(
        chosen.quantity("oil_air"),
        assumed(1e5, "Pa", "where the share of air is given"),
        assumed(1.2, "-", "between slow and fast"),
        chosen.quantity("vapour_pressure"),
    )
    ring = chosen.number("swing_friction")
    friction = BrownMcPhee(
        derived(ring, "N m"),
        derived(1.2 * ring, "N m", "a fifth more before it slides"),
        assumed(0.02, "rad/s"),
        chosen.quantity("swing_damping"),
    )
    machine = Machine(
        name="excavator",
        gravity=Vector((0.0, -chosen.number("gravity"), 0.0), "m/s²", "standard"),
        bodies=bodies(chosen),
        loops=(bucket_pin(chosen),),
        independent=("platform", "boom", "dipper", "bucket", "crankshaft"),
        fluid=Fluid(chosen.quantity("oil_density"), chosen.quantity("oil_modulus"), air=air),
        volumes=oil.volumes,
        sources=oil.sources,
        orifices=(),
        valves=oil.valves,
        cylinders=oil.cylinders,
        outputs=_outputs(chosen) + oil.outputs,
        solver=SOLVER,
        model_error=_MODEL_ERROR,
        elements=oil.elements,
        links=(JointFriction("slewing ring", "platform", friction),),
        diesels=(diesel(chosen),),
        digging=_digging(chosen),
    )
    return at_rest(machine)


EXCAVATOR = MachineModel(
    name="excavator",
    sentence="20 t crawler excavator with diesel engine, power-limited pump, swing drive, boom, dipper and"
    " bucket, including the forces of digging",
    parameters=PARAMETERS,
    assemble=assemble,
    command_schedule=COMMAND_SCHEDULE,
    dt=1e-3,
    t_end=18.0,
    kind="Excavator",
    profile=PROFILE,
    poses=poses,
    cycles=CYCLES,
    variants=VARIANTS,
)
