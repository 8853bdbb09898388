"""Computes the lift-capacity chart: the largest load at each reach, and what limits it.

Cylinder limits are simulated: a load is too large if the boom does not rise at full lever.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from simcore.errors import BadMachine, Diverged
from simcore.machines.analyses import CapacityPoint
from simcore.machines.loader_crane.machine import LOADER_CRANE
from simcore.machines.loader_crane.rating import bending_load, tipping_load
from simcore.machines.loader_crane.structure import tip
from simcore.model.case import Value
from simcore.run.simulation import Simulation

LIFT, FOLD, STABILITY = "lift cylinder", "fold cylinder", "stability"
_TRY_S = 2.5  # s at full lever
_RISES = math.radians(0.25)  # smallest rise that counts as lifting
_SINKS = math.radians(0.6)  # of the folding boom, from which on its cylinder gives way
_HEAVIEST, _LIGHTEST, _CLOSE = 1.2e4, 20.0, 5.0  # kg
# boom above the level, folding boom above the level, deg; share of the extension's stroke that is out
_PATH = ((30.0, -74.0, 0.01), (30.0, -5.0, 0.01), (20.0, -5.0, 0.01), (20.0, -5.0, 0.97), (6.0, -3.0, 0.97))


def chart(overrides: Mapping[str, Value], points: int = 12) -> list[CapacityPoint]:
    """The chart of a variant, from its shortest to its longest reach."""
    LOADER_CRANE.build(**overrides)  # refuses an impossible variant with the reason
    found = [_pose(overrides, u) for u in np.linspace(0.0, len(_PATH) - 1.0, 200)]
    reaches = np.array([reach for reach, _ in found])
    shown = np.linspace(reaches.min() + 0.02, reaches.max() - 0.02, points)
    return [_point(overrides, float(r), found[int(np.argmin(np.abs(reaches - r)))][1]) for r in shown]


def _pose(overrides: Mapping[str, Value], u: float) -> tuple[float, dict[str, float]]:
    """Reach and start angles at a point of the path."""
    chosen = LOADER_CRANE.chosen(overrides)
    first = min(int(u), len(_PATH) - 2)
    share = u - first
    boom, jib, out = (a + share * (b - a) for a, b in zip(_PATH[first], _PATH[first + 1], strict=True))
    boom, jib = math.radians(boom), math.radians(jib)
    extension = out * chosen.number("extend_stroke")
    reach = -chosen.number("column_offset") + chosen.number("boom_length") * math.cos(boom)
    reach += (tip(chosen) + extension) * math.cos(jib) + 0.1 * math.sin(jib)
    return reach, {"boom_start": boom, "jib_start": jib - boom, "extension_start": extension}


def _point(overrides: Mapping[str, Value], reach: float, pose: dict[str, float]) -> CapacityPoint:
    here = {**overrides, **pose}
    chosen = LOADER_CRANE.chosen(here)
    machine = LOADER_CRANE.assemble(chosen)
    bends, beam = bending_load(machine, chosen)
    lifted, stops = _lifted(here)
    limits = {STABILITY: tipping_load(machine, chosen), beam: bends, stops: lifted}
    limit = min(limits, key=lambda name: limits[name])
    height = chosen.number("mounting_height") + chosen.number("column_height")
    height += chosen.number("boom_length") * math.sin(pose["boom_start"])
    height += (tip(chosen) + pose["extension_start"]) * math.sin(pose["boom_start"] + pose["jib_start"])
    return CapacityPoint(reach, height, limits[limit], limit, limits)


def _lifted(here: Mapping[str, Value]) -> tuple[float, str]:
    """Largest load that the crane lifts, kg, found by bisection, and the cylinder that limits it."""
    low, high, stops = 0.0, _HEAVIEST, LIFT
    if not _lifts(here, _LIGHTEST)[0]:
        return 0.0, LIFT
    low = _LIGHTEST
    while high - low > _CLOSE:
        middle = 0.5 * (low + high)
        lifts, cylinder = _lifts(here, middle)
        if lifts:
            low = middle
        else:
            high, stops = middle, cylinder
    return low, stops


def _lifts(here: Mapping[str, Value], load: float) -> tuple[bool, str]:
    """Whether the boom rises with the load at full lever; if not, also the cylinder that is too weak."""
    try:
        sim = Simulation(LOADER_CRANE.assemble(LOADER_CRANE.chosen({**here, "payload": load})), 1e-3)
        before = sim.outputs()
        sim.advance(round(_TRY_S / sim.dt), {"lift.command": 10.0})
    except (BadMachine, Diverged):
        return False, LIFT
    after = sim.outputs()
    if after["jib.angle"] < before["jib.angle"] - _SINKS:
        return False, FOLD
    return after["boom.angle"] > before["boom.angle"] + _RISES, LIFT
