"""Checks that static forces from virtual work agree with the equations of motion.

Virtual work uses finite differences of cylinder lengths and potential energy from the description; the
kernels use neither. The accelerations that the kernels compute give the change of cylinder forces that would
stop all motion. This change is zero if both calculations are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from simcore.machines.model import MachineModel
from simcore.model.case import Case, Value
from simcore.model.elements import Machine, Volume
from simcore.model.equilibrium import static_forces
from simcore.model.quantity import assumed
from simcore.model.workspace import Array
from simcore.run.engine import Engine

_NUDGE = 1e5  # Pa; accelerations are linear in pressures, so its size does not matter
_FREE = 1e-9  # of the largest: an acceleration that no cylinder changes


def force_errors(machine: Machine) -> dict[str, float]:
    """Error of each cylinder's static force against the equations of motion, relative to the largest."""
    start = _accelerations(machine)
    volumes = [v for v in machine.volumes if v.name in {c.chamber_a for c in machine.cylinders}]
    slopes = np.column_stack([(_accelerations(_nudged(machine, v)) - start) / _NUDGE for v in volumes])
    moved = np.max(np.abs(slopes), axis=1) > _FREE * np.max(np.abs(slopes))
    wrong = np.linalg.lstsq(slopes[moved], -start[moved], rcond=None)[0]
    by_volume = {v.name: float(p) for v, p in zip(volumes, wrong, strict=True)}
    largest = max(abs(force) for force in static_forces(machine).values())
    return {
        c.name: abs(by_volume[c.chamber_a]) * np.pi * float(c.bore) ** 2 / 4 / largest
        for c in machine.cylinders
    }


def _accelerations(machine: Machine) -> Array:
    engine = Engine(machine, 1e-3)
    head = engine.plan.head[0]
    return np.array(engine.state[head["at_a"] : head["at_a"] + head["coords"]])


def _nudged(machine: Machine, volume: Volume) -> Machine:
    more = replace(volume, start=assumed(float(volume.start) + _NUDGE, "Pa"))
    return replace(machine, volumes=tuple(more if v is volume else v for v in machine.volumes))


def poses_of(case: Case, overrides: Mapping[str, Value]) -> Iterable[tuple[str, dict[str, Value]]]:
    """The start pose and every pose that the machine must reach, as parameters."""
    yield "start", dict(overrides)
    if isinstance(case, MachineModel):
        known = {p.name for p in case.parameters}
        for name, pose in case.poses(case.chosen(overrides)).items():
            starts: dict[str, Value] = {f"{body}_start": at for body, at in pose.items()}
            if starts.keys() <= known:
                yield name, {**overrides, **starts}
