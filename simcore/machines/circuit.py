"""Builds the hydraulics of a machine from its parameters: a supply, and a valve and cylinder per function.

Names begin with the function: valve `lift valve`, volumes `lift piston`, `lift rod` and, behind a
counterbalance valve, `lift hose A`; channels `lift.command`, `lift.p_A`, `lift.p_B`, `lift.length`,
`lift.force`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from simcore.model.case import Chosen
from simcore.model.elements import (
    BrownMcPhee,
    CheckValve,
    CounterbalanceValve,
    Cylinder,
    DirectionalValve,
    Element,
    EndDamper,
    Friction,
    Leakage,
    LuGre,
    Mount,
    Output,
    PressureSource,
    Pump,
    ReliefValve,
    Volume,
)
from simcore.model.quantity import Quantity, assumed, derived

SUPPLY, TANK, RETURN = "pump line", "tank", "return line"
FULL = 10.0  # V, command of a valve at full stroke
_RATED_DROP = 1e6  # Pa over one edge, at which a valve's flow is rated
_LAMINAR = assumed(2e5, "Pa", "below it an edge is laminar")
_OPEN_WIDE = 2.0  # flow of a fully open relief valve over the flow it must carry


@dataclass(frozen=True, slots=True)
class Circuit:
    """A part of a machine's hydraulics; parts are joined with `+`."""

    volumes: tuple[Volume, ...] = ()
    sources: tuple[PressureSource, ...] = ()
    valves: tuple[DirectionalValve, ...] = ()
    cylinders: tuple[Cylinder, ...] = ()
    elements: tuple[Element, ...] = ()
    outputs: tuple[Output, ...] = ()

    def __add__(self, other: Circuit) -> Circuit:
        return Circuit(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class Actuator:
    """A cylinder with its valve; the parameters `<name>_bore`, `<name>_rod`, … describe it.

    holds: chambers behind a counterbalance valve. measured: those of p_A, p_B, length, force with a sensor.
    """

    name: str
    label: str
    base: Mount
    rod: Mount
    holds: str = "A"  # "A", "AB" or ""
    measured: tuple[str, ...] = ("p_A", "p_B")

    def node(self, part: str) -> str:
        return f"{self.name} {part}"


def supply(chosen: Chosen) -> Circuit:
    """Supply: constant-speed pump, pump line, main relief valve and tank."""
    speed = chosen.quantity("pump_speed")
    per_radian = chosen.number("pump_flow") / float(speed)
    relief, tank = chosen.number("relief_pressure"), chosen.number("tank_pressure")
    pump = Pump(
        name="pump",
        inlet=TANK,
        outlet=SUPPLY,
        displacement=derived(per_radian, "m³/rad", "flow over speed"),
        shaft=None,
        speed=speed,
        volumetric_efficiency=chosen.quantity("pump_volumetric"),
        mechanical_efficiency=chosen.quantity("pump_mechanical"),
        rated_speed=speed,
        rated_pressure=chosen.quantity("relief_pressure"),
    )
    start = derived(relief, "Pa", "at the relief pressure")
    line = Volume(SUPPLY, "Pump line", chosen.quantity("pump_line"), chosen.quantity("hose_modulus"), start)
    main = relief_valve("main relief", SUPPLY, TANK, relief - tank, chosen, chosen.number("pump_flow"))
    gauge = chosen.quantity("pressure_noise")
    return Circuit(
        volumes=(line,),
        sources=(
            PressureSource(TANK, chosen.quantity("tank_pressure")),
            PressureSource(RETURN, chosen.quantity("return_pressure")),
        ),
        elements=(pump, main),
        outputs=(Output("pump.p", "Pump pressure", "pressure", SUPPLY, "sensor", gauge),),
    )


def relief_valve(name: str, a: str, b: str, setting: float, chosen: Chosen, flow: float) -> ReliefValve:
    """Relief valve that opens at the setting and passes the given flow at half its span."""
    wide = _OPEN_WIDE * flow / math.sqrt(max(setting, 1e5))
    return ReliefValve(
        name=name,
        a=a,
        b=b,
        setting=derived(setting, "Pa", "above its outlet"),
        span=chosen.quantity("relief_span"),
        coefficient=derived(wide, "m³/(s √Pa)", "passes twice the required flow"),
        laminar_below=_LAMINAR,
    )


def suction(name: str, volume: str, chosen: Chosen, flow: float) -> CheckValve:
    """Anti-cavitation valve from the return line, whose pressure a check valve keeps above tank pressure."""
    return CheckValve(
        name=name,
        a=RETURN,
        b=volume,
        cracking=assumed(1e4, "Pa", "soft spring"),
        span=assumed(5e4, "Pa", "fully open"),
        coefficient=derived(flow / math.sqrt(5e4), "m³/(s √Pa)", "the function's flow at half a bar"),
        laminar_below=assumed(2e4, "Pa", "wide and short"),
    )


def proportional_valve(name: str, ports: tuple[str, str], chosen: Chosen, flow: float) -> DirectionalValve:
    """4/3 valve whose fully open edges pass `flow` at 10 bar."""
    return DirectionalValve(
        name=name,
        supply=SUPPLY,
        tank=RETURN,
        port_a=ports[0],
        port_b=ports[1],
        coefficient=derived(flow / math.sqrt(_RATED_DROP) / FULL, "m³/(s √Pa V)", "rated flow at 10 bar"),
        time_constant=chosen.quantity("valve_lag"),
        command_limit=assumed(FULL, "V", "full stroke"),
        laminar_below=_LAMINAR,
        smooth=True,
    )


def leak(name: str, volume: str, chosen: Chosen) -> Leakage:
    """Spool leakage: in neutral the port drains into the return line, so that load-holding valves close."""
    return Leakage(name, volume, RETURN, chosen.quantity("spool_leak"))


def actuate(actuator: Actuator, chosen: Chosen) -> Circuit:
    """One function: valve, hoses, load-holding, shock and suction valves, and cylinder."""
    name, flow = actuator.name, chosen.number(f"{actuator.name}_flow")
    chambers = {"A": actuator.node("piston"), "B": actuator.node("rod")}
    ports = {s: actuator.node(f"hose {s}") if s in actuator.holds else chambers[s] for s in "AB"}
    volumes: list[Volume] = []
    elements: list[Element] = []
    for side, other in (("A", "B"), ("B", "A")):
        volumes.append(_volume(chambers[side], chosen, "port_volume" if side in actuator.holds else "hose"))
        if side in actuator.holds:
            volumes.append(_volume(ports[side], chosen, "hose"))
            elements.append(_counterbalance(actuator, side, ports, chambers[side], ports[other], chosen))
        else:
            shock = chosen.number("shock_pressure") - chosen.number("tank_pressure")
            elements.append(relief_valve(f"{name} shock {side}", chambers[side], TANK, shock, chosen, flow))
        elements.append(suction(f"{name} suction {side}", ports[side], chosen, flow))
        elements.append(leak(f"{name} leak {side}", ports[side], chosen))
    return Circuit(
        volumes=tuple(volumes),
        valves=(proportional_valve(actuator.node("valve"), (ports["A"], ports["B"]), chosen, flow),),
        cylinders=(_cylinder(actuator, chambers, chosen),),
        elements=tuple(elements),
        outputs=_outputs(actuator, chambers, chosen),
    )


def _volume(name: str, chosen: Chosen, size: str) -> Volume:
    label = f"{name[0].upper()}{name[1:]}"
    start = chosen.quantity("return_pressure")
    return Volume(name, label, chosen.quantity(size), chosen.quantity("hose_modulus"), start)


def _counterbalance(
    actuator: Actuator, side: str, ports: dict[str, str], load: str, pilot: str, chosen: Chosen
) -> CounterbalanceValve:
    flow = chosen.number(f"{actuator.name}_flow")
    return CounterbalanceValve(
        name=f"{actuator.name} holding {side}",
        load=load,
        outlet=ports[side],
        pilot=pilot,
        setting=chosen.quantity("holding_pressure"),
        ratio=chosen.quantity("pilot_ratio"),
        span=chosen.quantity("holding_span"),
        coefficient=derived(flow / math.sqrt(_RATED_DROP), "m³/(s √Pa)", "rated flow at 10 bar"),
        check_cracking=assumed(5e4, "Pa", "free flow to the load"),
        laminar_below=_LAMINAR,
    )


def _cylinder(actuator: Actuator, chambers: dict[str, str], chosen: Chosen) -> Cylinder:
    def number(part: str) -> Quantity:
        return chosen.quantity(f"{actuator.name}_{part}")

    return Cylinder(
        name=actuator.name,
        base=actuator.base,
        rod=actuator.rod,
        chamber_a=chambers["A"],
        chamber_b=chambers["B"],
        bore=number("bore"),
        rod_diameter=number("rod"),
        tube_length=number("stroke"),
        reference_length=number("closed"),
        chamber_a_at_reference=assumed(0.0, "m", "retracted: the oil volume of the port remains"),
        wall_bulk_modulus=chosen.quantity("wall_modulus"),
        friction=_seal(number("bore"), chosen),
        end_damper=EndDamper(
            chosen.quantity("damper_length"),
            derived(_stopping(actuator, chosen), "N/m", "stops the full oil force within the damper"),
            chosen.quantity("damper_damping"),
        ),
    )


def _stopping(actuator: Actuator, chosen: Chosen) -> float:
    """Stiffness that stops the piston halfway through the end damper at relief pressure, N/m."""
    area = math.pi * chosen.number(f"{actuator.name}_bore") ** 2 / 4
    return 2 * area * chosen.number("relief_pressure") / chosen.number("damper_length")


def _seal(bore: Quantity, chosen: Chosen) -> Friction:
    """Seal friction, in proportion to the bore; the parameters are for a bore of 0.1 m."""
    share = float(bore) / 0.1
    coulomb, static = (
        derived(chosen.number(f"seal_{part}") * share, "N", "of the bore") for part in ("coulomb", "static")
    )
    turn, viscous = chosen.quantity("seal_stribeck"), chosen.quantity("seal_viscous")
    if chosen.word("seal_law") == "brown-mcphee":
        return BrownMcPhee(coulomb, static, turn, viscous)
    return LuGre(
        coulomb,
        static,
        turn,
        viscous,
        assumed(2.0, "-", "usual Stribeck exponent"),
        chosen.quantity("bristle_stiffness"),
        chosen.quantity("bristle_damping"),
    )


def _outputs(actuator: Actuator, chambers: dict[str, str], chosen: Chosen) -> tuple[Output, ...]:
    name, label = actuator.name, actuator.label
    gauge, wire = chosen.quantity("pressure_noise"), chosen.quantity("length_noise")
    rows = (
        ("p_A", f"{label} piston pressure", "pressure", chambers["A"], gauge),
        ("p_B", f"{label} rod pressure", "pressure", chambers["B"], gauge),
        ("length", f"{label} cylinder length", "length", name, wire),
        ("force", f"{label} cylinder force", "force", name, None),
    )
    found = []
    for end, title, reads, element, noise in rows:
        measured = end in actuator.measured and noise is not None
        role, sigma = ("sensor", noise) if measured else ("estimate", None)
        found.append(Output(f"{name}.{end}", title, reads, element, role, sigma))  # type: ignore[arg-type]
    valve = actuator.node("valve")
    return (
        *found,
        Output(f"{name}.command", f"{label} lever", "command", valve, "input"),
        Output(f"{name}.spool", f"{label} spool", "spool", valve, "model"),
    )
