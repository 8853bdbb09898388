"""Refuses impossible hydraulics: cylinders, valves, pumps and the circuit that they form."""

from __future__ import annotations

import math
from itertools import pairwise

from simcore.errors import BadMachine
from simcore.model.elements import Curve, Machine, Pump
from simcore.model.friction_check import friction_is_sound
from simcore.model.geometry import cylinder_length, start_angles
from simcore.model.netlist import ports
from simcore.model.plan import KNOTS


def cylinders_are_sound(machine: Machine) -> None:
    for c in machine.cylinders:
        friction_is_sound(c.name, c.friction)
        if float(c.rod_diameter) >= float(c.bore):
            raise BadMachine(
                f"{c.name}.rod_diameter = {float(c.rod_diameter):g} m: must be below "
                f"the bore of {float(c.bore):g} m"
            )


def elements_are_sound(machine: Machine) -> None:
    for valve in machine.valves:
        for curve in valve.curves or ():
            _curve_is_sound(valve.name, curve)
        if valve.throttled_a is not None and (valve.hold_a is not None or valve.check_supply):
            raise BadMachine(
                f"valve {valve.name!r}: a valve with throttled_a must not have hold_a or check_supply"
            )
    for orifice in machine.orifices:
        _leads_somewhere(orifice.name, orifice.a, orifice.b)
    for element in machine.elements:
        _leads_somewhere(element.name, *ports(element))
        if isinstance(element, Pump):
            _pump_is_sound(element)
    air = machine.fluid.air
    if air is not None:
        vapour = float(air.vapour_pressure)
        starts = {"air": float(air.at_pressure)} | {v.name: float(v.start) for v in machine.volumes}
        for name, pressure in starts.items():
            if pressure <= vapour:
                raise BadMachine(
                    f"{name}: {pressure:g} Pa: must be above the vapour pressure of {vapour:g} Pa"
                )


def _leads_somewhere(name: str, a: str, b: str) -> None:
    if a == b:
        raise BadMachine(f"{name!r} joins {a!r} to itself; give two different nodes")


def _curve_is_sound(name: str, curve: Curve) -> None:
    points = list(zip((0.0, *curve.openings), (0.0, *curve.coefficients), strict=False))
    if len(curve.openings) != len(curve.coefficients) or not 2 <= len(points) <= KNOTS + 1:
        raise BadMachine(f"{name}: a curve must have 1 to {KNOTS} openings and a coefficient for each")
    for (low, _), (high, coefficient) in pairwise(points):
        if not (low < high < math.inf and 0 <= coefficient < math.inf):
            raise BadMachine(
                f"{name}: curve point ({high:g} V, {coefficient:g}): openings must rise from zero and "
                "coefficients must be zero or more"
            )


def _pump_is_sound(pump: Pump) -> None:
    if (pump.shaft is None) == (pump.speed is None):
        raise BadMachine(f"{pump.name!r}: a pump must have either a shaft or a speed, not both")
    if pump.demands and pump.control is not None:
        raise BadMachine(
            f"{pump.name!r}: control and demands both set the displacement; give only one of them"
        )
    for field in ("volumetric_efficiency", "mechanical_efficiency"):
        value = float(getattr(pump, field))
        if value > 1:
            raise BadMachine(f"{pump.name}.{field} = {value:g}: must not exceed 1")


def circuit_is_connected(machine: Machine) -> None:
    """Refuse a volume without oil, or without a path through orifices and valves to a pressure source."""
    links = [{o.a, o.b} for o in machine.orifices]
    links += [{v.supply, v.tank, v.port_a, v.port_b} for v in machine.valves]
    links += [set(ports(element)) for element in machine.elements]
    reached = {s.name for s in machine.sources}
    while grown := {n for link in links if link & reached for n in link} - reached:
        reached |= grown
    chambers = {name for c in machine.cylinders for name in (c.chamber_a, c.chamber_b)}
    for volume in machine.volumes:
        if volume.name not in reached:
            known = ", ".join(sorted(s.name for s in machine.sources)) or "none"
            raise BadMachine(
                f"volume {volume.name!r} is not connected to a pressure source; "
                f"connect it through an orifice or a valve to one of: {known}"
            )
        if float(volume.hose) == 0 and volume.name not in chambers:
            raise BadMachine(f"volume {volume.name!r} contains no oil: give it a hose or a cylinder chamber")


def chambers_have_room(machine: Machine) -> None:
    """Refuse a machine whose loops do not close or whose pistons start outside their tubes."""
    z = start_angles(machine)
    for c in machine.cylinders:
        length = cylinder_length(machine, c, z)
        inside = float(c.chamber_a_at_reference) + length - float(c.reference_length)
        if not 0 < inside < float(c.tube_length):
            raise BadMachine(
                f"cylinder {c.name!r}: at its start length of {length:.4g} m chamber A would be "
                f"{inside:.4g} m long; it must be 0 to {float(c.tube_length):g} m"
            )
