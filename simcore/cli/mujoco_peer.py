"""A tree of hinges in MuJoCo, the engine that ours is timed against (extra dependency, imported late)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.model.elements import GROUND, Machine, Revolute
from simcore.model.geometry import Array
from simcore.model.quantity import Vector

_LEAST = 1e-12  # kg m²; MuJoCo takes no slender body without any inertia about its axis


def available() -> bool:
    """Whether MuJoCo is installed."""
    try:
        import mujoco  # noqa: F401
    except ImportError:
        return False
    return True


class Hinges:
    """The machine's bodies on their hinges, stepped by MuJoCo's RK4."""

    def __init__(self, machine: Machine, dt: float) -> None:
        import mujoco

        option = f'<option integrator="RK4" timestep="{dt!r}" gravity="{_text(machine.gravity.xyz)}">'
        flags = '<flag contact="disable" constraint="disable"/></option>'
        compiler = '<compiler angle="radian" inertiafromgeom="false"/>'
        tree = f"<worldbody>{_bodies(machine, GROUND)}</worldbody>"
        self._engine: Any = mujoco
        self._model = mujoco.MjModel.from_xml_string(f"<mujoco>{compiler}{option}{flags}{tree}</mujoco>")
        self._data = mujoco.MjData(self._model)
        self._data.qpos[:] = [float(_hinge(machine, i).start) for i in range(len(machine.bodies))]

    def advance(self, steps: int) -> None:
        self._engine.mj_step(self._model, self._data, nstep=steps)

    def coordinates(self) -> Array:
        return np.array(self._data.qpos)


def _hinge(machine: Machine, i: int) -> Revolute:
    joint = machine.bodies[i].joint
    if not isinstance(joint, Revolute):
        raise TypeError(f"{machine.bodies[i].name!r} is not on a hinge")
    return joint


def _bodies(machine: Machine, parent: str) -> str:
    found = ""
    for i, body in enumerate(machine.bodies):
        joint = _hinge(machine, i)
        if joint.parent == parent:
            given = body.inertia.xyz if isinstance(body.inertia, Vector) else body.inertia.six[:3]
            principal = tuple(max(moment, _LEAST) for moment in given)
            found += (
                f'<body pos="{_text(joint.at.xyz)}"><joint type="hinge" axis="{_text(joint.axis)}"/>'
                f'<inertial pos="{_text(body.centre.xyz)}" mass="{float(body.mass)!r}" '
                f'diaginertia="{_text(principal)}"/>{_bodies(machine, body.name)}</body>'
            )
    return found


def _text(numbers: tuple[float, ...]) -> str:
    return " ".join(repr(float(x)) for x in numbers)
