"""Compares nine variants of the excavator in the same work cycle.

The comparison covers time, fuel, load, breakout force and dipper speed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from simcore.machines.excavator.choices import equipped
from simcore.machines.excavator.machine import EXCAVATOR
from simcore.machines.excavator.parameters import SIZES
from simcore.machines.reach import pose_coordinates
from simcore.model.case import Value
from simcore.model.geometry import cylinder_length
from simcore.operate.operator import perform, repeat
from simcore.run.simulation import Simulation

_NUDGE = 1e-5  # rad
_ROUNDS = 2  # the first cycle starts at rest, the second where the first ended
_BREAKOUT = {"boom": 0.3, "dipper": -1.6, "bucket": -1.2}  # rad


def variants(given: Mapping[str, Value]) -> Iterator[dict[str, Any]]:
    """A row for every combination of bucket and dipper cylinder; other parameters are as given."""
    for bucket in SIZES:
        for cylinder in SIZES:
            yield compare({**given, "bucket": bucket, "dipper_cylinder": cylinder})


def compare(given: Mapping[str, Value]) -> dict[str, Any]:
    """Breakout force, dipper speed and second work cycle of one variant."""
    machine, chosen = EXCAVATOR.build(**given), equipped(EXCAVATOR.chosen(given))
    done = perform(Simulation(machine), EXCAVATOR.cycle("dig-swing-dump", **given), _ROUNDS)
    (run,) = repeat(machine, done, 1e-3)
    begin = done.phases[len(done.phases) // _ROUNDS][0]
    ends = [*(t for t, _ in done.phases[1:]), done.seconds]
    second = list(zip(done.phases, ends, strict=True))[len(done.phases) // _ROUNDS :]
    late = run.t >= begin
    seconds, fuel = done.seconds - begin, _sum(run["engine.fuel"][late], run.t[late])
    load = float(run["bucket.fill"][late].max()) * float(machine.digging[0].soil.density)
    return {
        "bucket": given["bucket"],
        "dipper_cylinder": given["dipper_cylinder"],
        "cycle_s": seconds,
        "dig_s": sum(end - t for (t, name), end in second if name in ("sink", "dig", "curl")),
        "fuel_g": fuel * 1e3,
        "load_kg": load,
        "tonnes_per_hour": load * 3.6 / seconds,
        "grams_per_tonne": fuel * 1e6 / load,
        "dipper_force_N": breakout(given),
        "dipper_speed": dipper_speed(given),
        "pump_p_max_Pa": float(run["pump.p"][late].max()),
        "bore_m": chosen.number("dipper_bore"),
    }


def _sum(values: Any, t: Any) -> float:
    return float(((values[1:] + values[:-1]) * (t[1:] - t[:-1])).sum() / 2)


def _gear(given: Mapping[str, Value]) -> float:
    """Cylinder stroke per radian of the dipper in the breakout pose, m."""
    machine = EXCAVATOR.build(**given)
    cylinder = next(c for c in machine.cylinders if c.name == "dipper")
    lengths = []
    for sign in (1, -1):
        pose = {**_BREAKOUT, "dipper": _BREAKOUT["dipper"] + sign * _NUDGE}
        lengths.append(cylinder_length(machine, cylinder, pose_coordinates(machine, pose, "breakout")))
    return abs(lengths[0] - lengths[1]) / (2 * _NUDGE)


def breakout(given: Mapping[str, Value]) -> float:
    """Breakout force at the teeth, perpendicular to the dipper, with its cylinder at relief pressure, N."""
    chosen = equipped(EXCAVATOR.chosen(given))
    push = chosen.number("relief_pressure") * math.pi * chosen.number("dipper_bore") ** 2 / 4
    arm = chosen.number("dipper_length") + chosen.number("bucket_radius") * math.cos(_BREAKOUT["bucket"])
    across = chosen.number("bucket_radius") * math.sin(_BREAKOUT["bucket"])
    return push * _gear(given) / math.hypot(arm, across)


def dipper_speed(given: Mapping[str, Value]) -> float:
    """Angular velocity of the dipper with the full flow of its valve behind the piston, rad/s."""
    chosen = equipped(EXCAVATOR.chosen(given))
    area = math.pi * chosen.number("dipper_bore") ** 2 / 4
    return chosen.number("dipper_flow") / area / _gear(given)
