"""Times a tree of hinges in Pinocchio, which provides the dynamics of trees but no integrator.

Two times are measured. The first is RK4 in Python around the articulated-body algorithm: the cost for a user
of the Python interface. The second is four calls of the algorithm minus four calls for a model without
joints, which have the same Python overhead: a lower bound for RK4 in C++.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simcore.cli.bench.timing import Contender
from simcore.model.elements import GROUND, Machine
from simcore.model.geometry import Array, inertia_matrix, start_angles, start_rates


def _model(machine: Machine) -> Any:
    import pinocchio

    aligned = {
        (1.0, 0.0, 0.0): pinocchio.JointModelRX,
        (0.0, 1.0, 0.0): pinocchio.JointModelRY,
        (0.0, 0.0, 1.0): pinocchio.JointModelRZ,
    }
    model = pinocchio.Model()
    model.gravity = pinocchio.Motion(np.array(machine.gravity.xyz), np.zeros(3))
    joints = {GROUND: 0}
    for body in machine.bodies:
        joint: Any = body.joint
        at = pinocchio.SE3(np.eye(3), np.array(joint.at.xyz))
        joints[body.name] = model.addJoint(joints[joint.parent], aligned[joint.axis](), at, body.name)
        inertia = pinocchio.Inertia(float(body.mass), np.array(body.centre.xyz), inertia_matrix(body.inertia))
        model.appendBodyToJoint(joints[body.name], inertia, pinocchio.SE3.Identity())
    return model


class Tree:
    """The machine's bodies and hinges, stepped by RK4 in Python."""

    def __init__(self, machine: Machine, dt: float) -> None:
        import pinocchio

        self._aba = pinocchio.aba
        self._model = _model(machine)
        self._data = self._model.createData()
        self._dt = dt
        self._q, self._v = start_angles(machine), start_rates(machine)
        self._free = np.zeros(len(self._v))

    def _rate(self, q: Array, v: Array) -> Array:
        return np.array(self._aba(self._model, self._data, q, v, self._free))

    def advance(self, n_steps: int, /) -> None:
        dt, q, v = self._dt, self._q, self._v
        for _ in range(n_steps):
            a1 = self._rate(q, v)
            v2 = v + 0.5 * dt * a1
            a2 = self._rate(q + 0.5 * dt * v, v2)
            v3 = v + 0.5 * dt * a2
            a3 = self._rate(q + 0.5 * dt * v2, v3)
            v4 = v + dt * a3
            a4 = self._rate(q + dt * v3, v4)
            q = q + dt / 6 * (v + 2 * v2 + 2 * v3 + v4)
            v = v + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        self._q, self._v = q, v

    def coordinates(self) -> Array:
        return self._q


class _Calls:
    """Four calls of the algorithm per step, all at the same state."""

    def __init__(self, model: Any, q: Array, v: Array) -> None:
        import pinocchio

        self._aba, self._model, self._data = pinocchio.aba, model, model.createData()
        self._q, self._v, self._free = q, v, np.zeros(len(v))

    def advance(self, n_steps: int, /) -> None:
        aba, model, data, q, v, free = self._aba, self._model, self._data, self._q, self._v, self._free
        for _ in range(4 * n_steps):
            aba(model, data, q, v, free)


def contenders(machine: Machine, steps: int) -> list[Contender]:
    """Four calls per step, with the machine and with a model without joints."""
    import pinocchio

    model, nothing, none = _model(machine), pinocchio.Model(), np.zeros(0)
    q, v = start_angles(machine), start_rates(machine)
    return [
        Contender("calls", lambda: _Calls(model, q, v), steps),
        Contender("empty calls", lambda: _Calls(nothing, none, none), steps),
    ]


def without_calls(calls: Sequence[float], empty: Sequence[float]) -> list[float]:
    """Time of the calls minus the Python overhead."""
    return [time - min(empty) for time in calls]
