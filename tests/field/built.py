"""The machine as built: the description with scatter, and with the draw's cause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from simcore import registry
from simcore.model.case import Value
from simcore.model.elements import Curve, Leakage, Machine, Pump
from simcore.model.quantity import Quantity, Tensor, Vector, assumed
from tests.field.causes import Cause
from tests.field.draws import SCATTER, Draw
from twin.fleet import catalogue

# standard deviations from machine to machine, shares of the described values (assumed): well below the causes
_SPREAD = {
    "steel_density": 0.01, "oil_modulus": 0.04, "hose_modulus": 0.05, "oil_air": 0.3,
    "seal_viscous": 0.2, "valve_lag": 0.06, "relief_pressure": 0.01, "holding_pressure": 0.01,
    "pump_displacement": 0.006, "pump_power": 0.02, "engine_speed": 0.002, "engine_torque": 0.02,
    "engine_lag": 0.1, "engine_inertia": 0.05, "swing_friction": 0.15, "swing_damping": 0.15,
    "frame_mass": 0.03, "linkage_mass": 0.03, "pump_flow": 0.006, "slew_friction": 0.15,
    "slew_damping": 0.15, "extension_friction": 0.15, "hook_mass": 0.02, "crank_mass": 0.02,
    "coupler_mass": 0.02, "rocker_mass": 0.02, "oil_bulk_modulus": 0.04, "pump_pressure": 0.005,
    "valve_coefficient": 0.03, "throttle_area": 0.03, "viscous_friction": 0.15, "tau": 0.06,
}  # fmt: skip
_WALLS, _VALVES, _SEALS = 0.015, 0.04, 0.12
_SEAL_NAMES = ("seal_coulomb", "seal_static", "coulomb_friction", "static_friction")  # one factor for all
_FARTHEST = 2.5  # standard deviations
_SOILS = ("sand", "gravel", "loam", "clay")
_RATED = 1e7  # Pa, at which leakage is counted

Change = Callable[[Machine], Machine]


def build(draw: Draw) -> Machine:
    """With the platform's channels, so that truth and twin can be compared by name."""
    parameters = scattered(draw)
    machine = catalogue.build(draw.machine, parameters)
    change = _CHANGES.get(draw.cause.name)
    return change(machine, draw.cause) if change else machine


def scattered(draw: Draw) -> dict[str, Value]:
    """The true parameters, with a cause that is a parameter."""
    chance, case = draw.chance(SCATTER), registry.get(draw.machine)
    nominal = {p.name: p.value for p in case.parameters} | dict(draw.described)
    found: dict[str, Value] = dict(draw.described)
    tight = 1.0 + _SEALS * _normal(chance)
    for parameter in case.parameters:
        normal = _normal(chance)
        if parameter.choices or parameter.name in found:
            continue
        factor = tight if parameter.name in _SEAL_NAMES else 1.0 + _spread(parameter.name) * normal
        factor *= _as_parameter(draw.machine, draw.cause).get(parameter.name, 1.0)
        if factor != 1.0:
            value = float(nominal[parameter.name]) * factor
            found[parameter.name] = min(max(value, parameter.low), parameter.high)
    if draw.machine == "excavator":
        found["soil"] = str(chance.choice(_SOILS))
    return found


def _normal(chance: np.random.Generator) -> float:
    return float(np.clip(chance.standard_normal(), -_FARTHEST, _FARTHEST))


def _spread(name: str) -> float:
    if name.endswith("_wall"):
        return _WALLS
    return _SPREAD.get(name, _VALVES if name.endswith("_flow") else 0.0)


def _as_parameter(machine: str, cause: Cause) -> Mapping[str, float]:
    """Factors on parameters."""
    rig = machine == "four-bar-b"
    if cause.name == "oil":
        return {"oil_bulk_modulus" if rig else "oil_modulus": 1.0 - cause.sizes["softer"]}
    if cause.name == "spool":
        return {"tau" if rig else "valve_lag": cause.sizes["slower"]}
    if cause.name == "pump" and rig:
        return {"pump_pressure": 1.0 - cause.sizes["less"]}
    return {}


def _less_delivery(machine: Machine, cause: Cause) -> Machine:
    """The main pump turns with the same speed and moves less oil."""
    share = 1.0 - cause.sizes["less"]
    elements = tuple(
        replace(e, displacement=_times(e.displacement, share))
        if isinstance(e, Pump) and e.name == "pump"
        else e
        for e in machine.elements
    )
    return replace(machine, elements=elements)


def _dead_band(machine: Machine, cause: Cause) -> Machine:
    """Edges open only beyond a share of the stroke, with the described slope from there on."""
    valves = []
    for valve in machine.valves:
        full, begin = float(valve.command_limit), cause.sizes["share"] * float(valve.command_limit)
        top = float(valve.coefficient) * (full - begin)
        curve = Curve((begin, full), (0.0, top), "assumed")
        valves.append(replace(valve, curves=(curve,) * 4))
    return replace(machine, valves=tuple(valves))


def _leaking_piston(machine: Machine, cause: Cause) -> Machine:
    """A laminar gap between the chambers of a cylinder."""
    cylinder = next(c for c in machine.cylinders if c.name == cause.part)
    valve = next(v for v in machine.valves if cylinder.chamber_b in (v.port_a, v.port_b))
    rated = float(valve.coefficient) * float(valve.command_limit) * _RATED**0.5  # m³/s at full stroke
    gap = assumed(cause.sizes["share"] * rated / _RATED, "m³/(s Pa)")
    leak = Leakage("worn piston", cylinder.chamber_a, cylinder.chamber_b, gap)
    return replace(machine, elements=(*machine.elements, leak))


def _heavier(machine: Machine, cause: Cause) -> Machine:
    """A link has another mass, spread as described."""
    share = 1.0 + cause.sizes["more"]
    bodies = tuple(
        replace(
            b,
            mass=_times(b.mass, share),
            inertia=_spread_as_before(b.inertia, share),
        )
        if b.name == cause.part
        else b
        for b in machine.bodies
    )
    return replace(machine, bodies=bodies)


def _spread_as_before(inertia: Vector | Tensor, share: float) -> Vector | Tensor:
    if isinstance(inertia, Tensor):
        return replace(inertia, six=tuple(share * x for x in inertia.six))  # type: ignore[arg-type]
    return replace(inertia, xyz=tuple(share * x for x in inertia.xyz))  # type: ignore[arg-type]


def _times(quantity: Quantity, factor: float) -> Quantity:
    return replace(quantity, value=factor * float(quantity))


_CHANGES: Mapping[str, Callable[[Machine, Cause], Machine]] = {
    "pump": lambda machine, cause: (
        machine if machine.sources[0].name == "pump" else _less_delivery(machine, cause)
    ),
    "dead-band": _dead_band,
    "leakage": _leaking_piston,
    "mass": _heavier,
}
