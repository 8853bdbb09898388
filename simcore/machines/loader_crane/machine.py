"""Assembles the complete loader crane: structure, hydraulics, sensors, work cycle."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from simcore.machines.analyses import CapacityPoint
from simcore.machines.circuit import (
    TANK,
    Actuator,
    Circuit,
    actuate,
    leak,
    proportional_valve,
    relief_valve,
    suction,
    supply,
)
from simcore.machines.loader_crane.parameters import PARAMETERS
from simcore.machines.loader_crane.profile import PROFILE
from simcore.machines.loader_crane.rating import bending_load, tipping_load
from simcore.machines.loader_crane.structure import bodies, extend_mounts, fold_mounts, lift_mounts
from simcore.machines.loader_crane.work_cycle import COMMAND_SCHEDULE, CYCLES, poses
from simcore.machines.model import MachineModel
from simcore.machines.numerics import MODEL_ERROR, SOLVER
from simcore.model.case import Chosen, Value
from simcore.model.elements import (
    Air,
    BrownMcPhee,
    Fluid,
    JointFriction,
    JointSpring,
    Link,
    Machine,
    Output,
    Payload,
    Pump,
    Reads,
    Volume,
)
from simcore.model.equilibrium import at_rest
from simcore.model.quantity import Quantity, Vector, assumed, derived

_MODEL_ERROR = replace(
    MODEL_ERROR,
    unexplained_torque=assumed(400.0, "N m", "at rest, seal friction can hold up to 800 N m"),
    unexplained_force=assumed(600.0, "N", "at rest, seals and pads can hold up to 1100 N"),
    unexplained_on=("boom", "jib", "extension"),
    weight=assumed(0.05, "-", "plates, welds, fittings and oil are known to a twentieth"),
    weight_on=("boom", "jib", "extension"),
    leakage=assumed(1e-12, "m³/(s Pa)", "across a worn piston: 3 % of the pump's flow at relief pressure"),
    leakage_on=("lift", "fold"),
    relief_setting=assumed(2.6e5, "Pa", "set by a gauge in the workshop: a hundredth"),
    relief_on=("main relief",),
    least_rate=assumed(5.0, "Hz", "measured: at 5 Hz its pressures are off by 2 %, at 1 Hz by 4 to 10 %"),
    payload=Payload(
        "load",
        known=assumed(30.0, "kg", "an empty hook can be weighed"),
        change=assumed(800.0, "kg", "typical load of such a crane"),
        by_weight=True,
    ),
)


def _slewing(chosen: Chosen) -> Circuit:
    """Slewing drive: rack and pinion as a motor with displacement A r, and its control and safety valves."""
    displacement = chosen.number("rack_area") * chosen.number("pinion_radius")
    flow, tank = chosen.number("slew_flow"), chosen.number("tank_pressure")
    ports = ("slew A", "slew B")
    rack = Pump(
        name="slewing rack",
        inlet=ports[0],
        outlet=ports[1],
        displacement=derived(displacement, "m³/rad", "piston area × pinion radius"),
        shaft="column",
        speed=None,
        volumetric_efficiency=assumed(0.99, "-", "seals of the rack"),
        mechanical_efficiency=assumed(0.93, "-", "mesh and guides"),
        rated_speed=assumed(0.4, "rad/s"),
        rated_pressure=chosen.quantity("slew_shock"),
    )
    volume = chosen.quantity("slew_chamber")
    walls, start = chosen.quantity("hose_modulus"), chosen.quantity("return_pressure")
    shock = chosen.number("slew_shock") - tank
    return Circuit(
        volumes=tuple(Volume(name, f"Slewing {name[-1]}", volume, walls, start) for name in ports),
        valves=(proportional_valve("slew valve", ports, chosen, flow),),
        elements=(
            rack,
            *(relief_valve(f"{name} shock", name, TANK, shock, chosen, flow) for name in ports),
            *(suction(f"{name} suction", name, chosen, flow) for name in ports),
            *(leak(f"{name} leak", name, chosen) for name in ports),
        ),
        outputs=(
            Output("slew.p_A", "Slewing pressure A", "pressure", ports[0], "estimate"),
            Output("slew.p_B", "Slewing pressure B", "pressure", ports[1], "estimate"),
            Output("slew.command", "Slewing lever", "command", "slew valve", "input"),
            Output("slew.spool", "Slewing spool", "spool", "slew valve", "model"),
        ),
    )


def _oil(chosen: Chosen) -> Circuit:
    lift = Actuator("lift", "Lift", *lift_mounts(chosen))
    fold = Actuator("fold", "Fold", *fold_mounts(chosen), measured=("p_A",))
    extend = Actuator("extend", "Extension", *extend_mounts(chosen), measured=())
    whole = supply(chosen) + _slewing(chosen)
    for actuator in (lift, fold, extend):
        whole += actuate(actuator, chosen)
    return whole


def _motions(chosen: Chosen) -> tuple[Output, ...]:
    """Motion channels: encoders on the arm, a draw wire on the extension; the swing has no sensor."""
    encoder, wire = chosen.quantity("angle_noise"), chosen.quantity("length_noise")
    rows: tuple[tuple[str, str, str, Reads, Quantity | None], ...] = (
        ("slew", "Slewing", "column", "angle", encoder),
        ("boom", "Main boom", "boom", "angle", encoder),
        ("jib", "Folding boom", "jib", "angle", encoder),
        ("extension", "Extension", "extension", "slide", wire),
        ("swing", "Swing along the boom", "link", "angle", None),
        ("sway", "Swing across the boom", "hook", "angle", None),
    )
    ends = {"angle": "angle", "slide": "length"}
    return tuple(
        Output(
            f"{name}.{ends[reads]}", label, reads, element, "estimate" if noise is None else "sensor", noise
        )
        for name, label, element, reads, noise in rows
    )


def _links(chosen: Chosen) -> tuple[Link, ...]:
    def seal(level: str, viscous: Quantity, turn: Quantity, unit: str) -> BrownMcPhee:
        coulomb = chosen.number(level)
        return BrownMcPhee(
            derived(coulomb, unit),
            derived(1.3 * coulomb, unit, "a third more before it slides"),
            turn,
            viscous,
        )

    free, rest = assumed(0.0, "N m/rad", "it hangs"), assumed(0.0, "rad")
    swing = chosen.quantity("swing_damping")
    return (
        JointFriction(
            "slewing bearing", "column",
            seal("slew_friction", chosen.quantity("slew_damping"), assumed(0.02, "rad/s"), "N m"),
        ),
        JointFriction(
            "slide pads", "extension",
            seal("extension_friction", assumed(2e3, "N s/m", "grease"), assumed(0.02, "m/s"), "N"),
        ),
        JointSpring("swing", "link", free, swing, rest),
        JointSpring("sway", "hook", free, swing, rest),
    )  # fmt: skip


def assemble(chosen: Chosen) -> Machine:
    """The crane with the chosen parameters; its cylinders hold it still and the load hangs at rest."""
    oil = _oil(chosen)
    air = Air(
        chosen.quantity("oil_air"),
        assumed(1e5, "Pa", "where the share of air is given"),
        assumed(1.0, "-", "small bubbles have the temperature of the oil"),
        chosen.quantity("vapour_pressure"),
    )
    machine = Machine(
        name="loader-crane",
        gravity=Vector((0.0, -chosen.number("gravity"), 0.0), "m/s²", "standard"),
        bodies=bodies(chosen),
        loops=(),
        independent=("column", "boom", "jib", "extension", "link", "hook"),
        fluid=Fluid(chosen.quantity("oil_density"), chosen.quantity("oil_modulus"), air=air),
        volumes=oil.volumes,
        sources=oil.sources,
        orifices=(),
        valves=oil.valves,
        cylinders=oil.cylinders,
        outputs=_motions(chosen) + oil.outputs,
        solver=SOLVER,
        model_error=_MODEL_ERROR,
        elements=oil.elements,
        links=_links(chosen),
    )
    return at_rest(machine)


# stretched out: boom and folding boom above the level, rad; share of the extension's stroke that is out
_STRETCHED = (math.radians(6.0), math.radians(-3.0), 0.97)


def limits(overrides: Mapping[str, Value]) -> dict[str, Quantity]:
    """Limit of the payload at the longest reach; more would tip the truck or overstress a beam."""
    boom, jib, out = _STRETCHED
    extension = out * Chosen(PARAMETERS, overrides).number("extend_stroke")
    pose = {"boom_start": boom, "jib_start": jib - boom, "extension_start": extension}
    chosen = Chosen(PARAMETERS, {**overrides, **pose})
    machine = assemble(chosen)
    bends, beam = bending_load(machine, chosen)
    tips = tipping_load(machine, chosen)
    why = f"overstress the {beam}" if bends < tips else "tip the truck"
    return {
        "payload.mass": derived(
            min(bends, tips), "kg", f"with the crane stretched out; a larger load could {why}"
        )
    }


def _capacity_chart(overrides: Mapping[str, Value], points: int) -> list[CapacityPoint]:
    from simcore.machines.loader_crane.capacity import chart  # loads the engine

    return chart(overrides, points)


LOADER_CRANE = MachineModel(
    name="loader-crane",
    sentence="13 t m loader crane on a truck, with slewing column, main boom, folding boom, extension and a"
    " load on a hook",
    parameters=PARAMETERS,
    assemble=assemble,
    command_schedule=COMMAND_SCHEDULE,
    dt=1e-3,
    t_end=20.0,
    kind="Loader crane",
    profile=PROFILE,
    poses=poses,
    cycles=CYCLES,
    limits=limits,
    capacity_chart=_capacity_chart,
)
