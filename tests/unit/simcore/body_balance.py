"""Newton's and Euler's laws for every rigid body, from positions alone.

Accelerations are second differences of the poses that plain numpy geometry gives for three states in turn;
only the loads come from the engine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simcore.model.elements import GROUND, Machine, Mount
from simcore.model.geometry import Array, inertia_matrix, point, poses
from simcore.model.plan import Records
from simcore.model.quantity import place
from simcore.model.tree import expand
from simcore.run.joint_loads import JointLoads
from simcore.run.simulation import Simulation


class Moment(NamedTuple):
    """What is needed to judge one moment of a motion."""

    zs: list[Array]  # coordinates a step before, at and a step after it
    loads: Records
    soil: Array  # wrench of the ground on each bucket, compiled origin
    fills: Array  # m³


def _spin(turns: list[Array], dt: float) -> tuple[Array, Array]:
    """Angular velocity and acceleration from three rotations."""
    first = (turns[2] - turns[0]) / (2 * dt)
    second = (turns[2] - 2 * turns[1] + turns[0]) / dt**2
    w = first @ turns[1].T
    dw = second @ turns[1].T + first @ first.T  # d(Ȧ Aᵀ)/dt
    return _axial(w), _axial(dw)


def _axial(m: Array) -> Array:
    return 0.5 * np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])


def _wrench(force: Array, at: Array, moment: Array | float = 0.0) -> Array:
    return np.concatenate([force, np.cross(at, force) + moment])


def misses(machine: Machine, moment: Moment, asked: JointLoads, dt: float) -> dict[str, Array]:
    """Wrench that is missing on each rigid body, about the ground's origin, ground axes; soil left out.

    Welded bodies count together.
    """
    frames = expand(machine).frames
    names = {frame.index: name for name, frame in reversed(frames.items())}
    whole = {name: names[frame.index] for name, frame in frames.items()}
    where = [poses(machine, z) for z in moment.zs]
    total = {name: np.zeros(6) for name in whole.values()}
    parents = {b.name: b.joint.parent for b in machine.bodies}
    loops = {loop.name: loop.a.body for loop in machine.loops}
    ends = {c.name: c for c in machine.cylinders}
    gravity = np.array(machine.gravity.xyz)
    for pin, load in zip(asked.pins, moment.loads, strict=False):
        at = place(0.0, 0.0, 0.0)
        if pin.kind == "loop":
            at = next(loop.b.at for loop in machine.loops if loop.name == pin.element)
        elif pin.kind in ("base", "rod"):
            at = getattr(ends[pin.element], pin.kind).at
        turn = where[1][pin.body][0]
        acting = _wrench(turn @ load["force"], point(where[1], Mount(pin.body, at)), turn @ load["moment"])
        total[whole[pin.body]] += acting
        if pin.kind in ("joint", "loop"):
            holder = parents[pin.element] if pin.kind == "joint" else loops[pin.element]
            total[whole[holder]] -= acting
    for body in machine.bodies:
        if whole[body.name] == whole[GROUND]:
            continue
        x = [point(w, Mount(body.name, body.centre)) for w in where]
        turns = [w[body.name][0] for w in where]
        w, dw = _spin(turns, dt)
        j = turns[1] @ inertia_matrix(body.inertia) @ turns[1].T
        a = (x[2] - 2 * x[1] + x[0]) / dt**2
        needs = _wrench(float(body.mass) * (a - gravity), x[1], j @ dw + np.cross(w, j @ w))
        total[whole[body.name]] -= needs
    del total[whole[GROUND]]
    return total


def watch(sim: Simulation, asked: JointLoads) -> Moment:
    """Take three steps and watch the moment after the second."""
    head = sim.plan.head[0]
    at = int(head["at_p"] + head["scalars"])
    sim.advance(1)
    before = sim.coordinates()
    sim.advance(1)
    now, loads = sim.coordinates(), asked.read().copy()
    soil, fills = sim.workspace.soils["wrench"].copy(), sim.state[at - int(head["soils"]) : at].copy()
    sim.advance(1)
    return Moment([before, now, sim.coordinates()], loads, soil, fills)
