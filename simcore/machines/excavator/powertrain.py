"""Builds engine, pump, swing drive and cylinders of the excavator."""

from __future__ import annotations

from dataclasses import replace

from simcore.machines.circuit import (
    FULL,
    RETURN,
    SUPPLY,
    TANK,
    Actuator,
    Circuit,
    actuate,
    proportional_valve,
    relief_valve,
    suction,
)
from simcore.machines.excavator.structure import mounts
from simcore.model.case import Chosen
from simcore.model.elements import (
    Demand,
    Diesel,
    DirectionalValve,
    FuelMap,
    FullLoad,
    Holding,
    Leakage,
    Output,
    PressureSource,
    Pump,
    Volume,
)
from simcore.model.quantity import assumed, derived

_KWH = 3.6e6  # J
# torque over speed (of the largest), rad/s; a charged four-cylinder engine of 110 kW
_SPEEDS = (80.0, 105.0, 147.0, 168.0, 199.0, 225.0)
_SHARES = (0.60, 0.82, 1.00, 0.98, 0.87, 0.55)
# g/kWh by speed and share of the largest torque; about 205 at best, as such engines have it
_MAP_SPEEDS = (90.0, 130.0, 170.0, 210.0)
_MAP_SHARES = (0.15, 0.35, 0.60, 0.85, 1.05)
_MAP = (
    (290.0, 234.0, 216.0, 212.0, 216.0),
    (292.0, 231.0, 211.0, 206.0, 209.0),
    (310.0, 238.0, 215.0, 208.0, 210.0),
    (345.0, 254.0, 225.0, 216.0, 218.0),
)
_IDLE = (0.6, 1.1, 1.9, 2.9)  # kg/h without load


def diesel(chosen: Chosen) -> Diesel:
    top = chosen.number("engine_torque")
    return Diesel(
        name="engine",
        shaft="crankshaft",
        speed=chosen.quantity("engine_speed"),
        droop=chosen.quantity("engine_droop"),
        drag=chosen.quantity("engine_drag"),
        time_constant=chosen.quantity("engine_lag"),
        full_load=FullLoad(_SPEEDS, tuple(top * s for s in _SHARES), "assumed", "charged engine"),
        fuel=FuelMap(
            _MAP_SPEEDS,
            tuple(top * s for s in _MAP_SHARES),
            tuple(tuple(g * 1e-3 / _KWH for g in row) for row in _MAP),
            tuple(rate / 3600.0 for rate in _IDLE),
            "assumed",
            "stage V engines of this size",
        ),
    )


def supply(chosen: Chosen, demands: tuple[Demand, ...]) -> Circuit:
    """Supply: a pump that follows the levers up to its power limit, pump line, relief valve and tank."""
    relief, tank = chosen.number("relief_pressure"), chosen.number("tank_pressure")
    flow = chosen.number("pump_displacement") * chosen.number("pump_speed")
    pump = Pump(
        name="pump",
        inlet=TANK,
        outlet=SUPPLY,
        displacement=chosen.quantity("pump_displacement"),
        shaft="crankshaft",
        speed=None,
        volumetric_efficiency=chosen.quantity("pump_volumetric"),
        mechanical_efficiency=chosen.quantity("pump_mechanical"),
        rated_speed=chosen.quantity("pump_speed"),
        rated_pressure=chosen.quantity("relief_pressure"),
        demands=demands,
        power_limit=chosen.quantity("pump_power"),
    )
    start = chosen.quantity("return_pressure")
    line = Volume(SUPPLY, "Pump line", chosen.quantity("pump_line"), chosen.quantity("hose_modulus"), start)
    gauge, tachometer = chosen.quantity("pressure_noise"), chosen.quantity("speed_noise")
    return Circuit(
        volumes=(line,),
        sources=(
            PressureSource(TANK, chosen.quantity("tank_pressure")),
            PressureSource(RETURN, chosen.quantity("return_pressure")),
        ),
        elements=(pump, relief_valve("main relief", SUPPLY, TANK, relief - tank, chosen, flow)),
        outputs=(
            Output("engine.speed", "Engine speed", "speed", "crankshaft", "sensor", tachometer),
            Output("engine.torque", "Engine torque", "torque", "engine", "estimate"),
            Output("engine.fuel", "Fuel", "fuel", "engine", "estimate"),
            Output("pump.p", "Pump pressure", "pressure", SUPPLY, "sensor", gauge),
        ),
    )


def _swing(chosen: Chosen) -> Circuit:
    """Motor and gear on the slewing ring, with shock and suction valves on either side."""
    flow, tank = chosen.number("swing_flow"), chosen.number("tank_pressure")
    ports = ("swing A", "swing B")
    motor = Pump(
        name="swing motor",
        inlet=ports[0],
        outlet=ports[1],
        displacement=chosen.quantity("swing_displacement"),
        shaft="platform",
        speed=None,
        volumetric_efficiency=assumed(0.95, "-", "axial pistons"),
        mechanical_efficiency=assumed(0.90, "-", "motor and two planetary stages"),
        rated_speed=assumed(1.2, "rad/s"),
        rated_pressure=chosen.quantity("swing_relief"),
    )
    volume, walls = chosen.quantity("swing_chamber"), chosen.quantity("hose_modulus")
    start = chosen.quantity("return_pressure")
    shock = chosen.number("swing_relief") - tank
    return Circuit(
        volumes=tuple(Volume(name, f"Swing {name[-1]}", volume, walls, start) for name in ports),
        valves=(proportional_valve("swing valve", ports, chosen, flow),),
        elements=(
            motor,
            *(relief_valve(f"{name} shock", name, TANK, shock, chosen, flow) for name in ports),
            *(suction(f"{name} suction", name, chosen, flow) for name in ports),
        ),
        outputs=(
            Output("swing.p_A", "Swing pressure A", "pressure", ports[0], "estimate"),
            Output("swing.p_B", "Swing pressure B", "pressure", ports[1], "estimate"),
            Output("swing.command", "Swing lever", "command", "swing valve", "input"),
            Output("swing.spool", "Swing spool", "spool", "swing valve", "model"),
        ),
    )


def _guarded(circuit: Circuit, hold_a: Holding | None = None, hold_b: Holding | None = None) -> Circuit:
    """Valve with load checks towards the pump line and built-in counterbalance valves that do not leak."""
    valve: DirectionalValve = replace(circuit.valves[0], check_supply=True, hold_a=hold_a, hold_b=hold_b)
    tight = tuple(e for e in circuit.elements if not isinstance(e, Leakage))
    return replace(circuit, valves=(valve,), elements=tight)


def _boom(chosen: Chosen, holding: Holding) -> Circuit:
    """Two boom cylinders, left and right, on the same hoses."""
    side = chosen.number("boom_offset")
    one = Actuator("boom", "Boom", *mounts(chosen, "boom", "platform", "boom", side), holds="")
    found = _guarded(actuate(one, chosen), hold_a=holding)
    base, eye = mounts(chosen, "boom", "platform", "boom", -side)
    left = found.cylinders[0]
    return replace(found, cylinders=(left, replace(left, name="boom right", base=base, rod=eye)))


def circuit(chosen: Chosen) -> Circuit:
    """The whole circuit; the pump supplies the sum of the flows that the levers request."""
    holding = Holding(
        chosen.quantity("holding_pressure"), chosen.quantity("pilot_ratio"), chosen.quantity("holding_span")
    )
    dipper = Actuator("dipper", "Dipper", *mounts(chosen, "dipper", "boom", "dipper"), holds="", measured=())
    bucket = Actuator(
        "bucket", "Bucket", *mounts(chosen, "bucket", "dipper", "rocker"), holds="", measured=()
    )
    parts = (
        _guarded(_swing(chosen)),
        _boom(chosen, holding),
        _guarded(actuate(dipper, chosen), hold_b=holding),
        _guarded(actuate(bucket, chosen)),
    )
    whole_flow = chosen.number("pump_displacement") * chosen.number("pump_speed")
    demands = tuple(
        Demand(valve.name, derived(_flow(valve) / whole_flow, "-", "the function's flow over the pump's"))
        for part in parts
        for valve in part.valves
    )
    whole = supply(chosen, demands)
    for part in parts:
        whole += part
    return whole


def _flow(valve: DirectionalValve) -> float:
    """Flow of a valve at full stroke and 10 bar, m³/s."""
    return float(float(valve.coefficient) * FULL * 1e3)
