"""Packs the descriptions of diesel engines and digging buckets into the records that the kernels read."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from simcore.errors import BadMachine
from simcore.model import plan as p
from simcore.model.elements import GROUND, Diesel, Digging, Machine
from simcore.model.geometry import coordinates
from simcore.model.tree import Tree


def diesels(machine: Machine) -> p.Records:
    """The records of all engines."""
    found = np.zeros(len(machine.diesels), dtype=p.DIESEL)
    where = coordinates(machine)
    for record, engine in zip(found, machine.diesels, strict=True):
        record["coord"] = where[engine.shaft].start
        record["speed"], record["droop"] = float(engine.speed), float(engine.droop)
        record["drag"], record["tau"] = float(engine.drag), float(engine.time_constant)
        count = len(engine.full_load.speeds)
        record["points"] = count
        record["at"][:count], record["full"][:count] = engine.full_load.speeds, engine.full_load.torques
        _lay_map(record, engine)
    return found


def governed(engine: Diesel, speed: float) -> float:
    """Torque that an engine's governor requests at a speed, N m; written independently of the kernel."""
    x = min(max((float(engine.speed) - speed) / float(engine.droop), 0.0), 1.0)
    share, full = x * x * (3 - 2 * x), np.interp(speed, engine.full_load.speeds, engine.full_load.torques)
    return float(share * full - (1 - share) * float(engine.drag))


def _lay_map(record: p.Records, engine: Diesel) -> None:
    """Fuel map on a grid with a column for zero torque; smaller maps are filled by repeating edge cells."""
    fuel = engine.fuel
    speeds, torques = np.array(fuel.speeds), np.array(fuel.torques)
    rates = np.zeros((len(speeds), 1 + len(torques)))
    rates[:, 0] = fuel.idle
    rates[:, 1:] = np.array(fuel.specific) * np.outer(speeds, torques)
    for name, axis in (("map_speed", speeds), ("map_torque", np.append(0.0, torques))):
        more = axis[-1] + np.arange(1, 1 + p.GRID - len(axis))
        record[name] = np.append(axis, more)
    rows = np.minimum(np.arange(p.GRID), len(speeds) - 1)
    columns = np.minimum(np.arange(p.GRID), len(torques))
    record["map_rate"] = rates[np.ix_(rows, columns)]


def soils(machine: Machine, tree: Tree) -> p.Records:
    """The records of all buckets that dig."""
    found = np.zeros(len(machine.digging), dtype=p.SOIL)
    for record, d in zip(found, machine.digging, strict=True):
        frame = tree.frames[d.edge.body]
        record["body"], record["edge"] = tree.mount(d.edge)
        record["forward"], record["mouth"] = frame.direction(d.axis_forward), frame.direction(d.axis_mouth)
        record["centre"] = frame.point(d.centre.xyz)
        normal = np.array(d.ground.axis)
        record["normal"] = normal
        record["level"] = normal @ tree.frames[GROUND].point(d.ground.at.xyz)
        record["width"], record["soft"] = float(d.width), float(d.soft_depth)
        record["fade_speed"], record["capacity"] = float(d.turn_velocity), float(d.capacity)
        for name in ("weight", "cohesion", "surcharge", "backward", "swell", "density", "pour_time"):
            record[name] = float(getattr(d.soil, name))
        record["pours"], record["open"] = float(d.pours_below), float(d.open_below)
    return found


def drives_are_sound(machine: Machine) -> None:
    """Refuse engine curves whose points do not rise, and impossible buckets or soils."""
    for engine in machine.diesels:
        full, fuel = engine.full_load, engine.fuel
        _rises(f"{engine.name}.full_load", full.speeds, p.KNOTS)
        _rises(f"{engine.name}.fuel.speeds", fuel.speeds, p.GRID)
        _rises(f"{engine.name}.fuel.torques", (0.0, *fuel.torques), p.GRID)
        _all_fit(f"{engine.name}.full_load.torques", full.torques, len(full.speeds))
        _all_fit(f"{engine.name}.fuel.idle", fuel.idle, len(fuel.speeds))
        if len(fuel.specific) != len(fuel.speeds):
            raise BadMachine(
                f"{engine.name}.fuel.specific has {len(fuel.specific)} rows; "
                f"must be {len(fuel.speeds)}, one per speed"
            )
        for row in fuel.specific:
            _all_fit(f"{engine.name}.fuel.specific", row, len(fuel.torques))
    for d in machine.digging:
        if abs(float(d.pours_below)) > 1:
            raise BadMachine(f"{d.name}.pours_below = {float(d.pours_below):g}: must be -1 to 1")
        _share_is_sound(d)


def _share_is_sound(d: Digging) -> None:
    if float(d.soil.backward) > 1:
        raise BadMachine(f"{d.name}.soil.backward = {float(d.soil.backward):g}: must not exceed 1")


def _rises(name: str, values: tuple[float, ...], most: int) -> None:
    if not 2 <= len(values) <= most:
        raise BadMachine(f"{name} has {len(values)} points: must be 2 to {most}")
    for low, high in pairwise(values):
        if not low < high < math.inf:
            raise BadMachine(
                f"{name}: {high:g} comes after {low:g}: each value must be larger than the one before"
            )


def _all_fit(name: str, values: tuple[float, ...], count: int) -> None:
    if len(values) != count or not all(0 <= v < math.inf for v in values):
        raise BadMachine(f"{name} has {len(values)} numbers: must be {count}, all finite and zero or more")
