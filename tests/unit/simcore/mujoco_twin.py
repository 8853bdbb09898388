"""The same machine in MuJoCo: an engine written by others, for comparison.

Its balls have angular velocities along the body's axes, ours along the parent's; `velocity_map` is T in
their = T ours. The map's rate does nothing to a velocity, so forces and accelerations map with T as well.
"""

from __future__ import annotations

import mujoco
import numpy as np

from simcore.model.elements import (
    GROUND,
    Body,
    Cylindrical,
    Fixed,
    Floating,
    Machine,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from simcore.model.geometry import coordinates, inertia_matrix, quaternion, start_angles, start_rates, turned


def _text(numbers: object) -> str:
    return " ".join(f"{float(x):.17g}" for x in numbers)  # type: ignore[attr-defined]


def _joints(body: Body) -> str:
    def one(kind: str, axis: object) -> str:
        return f'<joint type="{kind}" axis="{_text(axis)}"/>'

    joint = body.joint
    match joint:
        case Revolute():
            return one("hinge", joint.axis)
        case Prismatic():
            return one("slide", joint.axis)
        case Cylindrical():
            return one("hinge", joint.axis) + one("slide", joint.axis)
        case Universal():
            return one("hinge", joint.axis_first) + one("hinge", joint.axis_second)
        case Spherical():
            return '<joint type="ball"/>'
        case Floating():
            return "".join(one("slide", axis) for axis in np.eye(3)) + '<joint type="ball"/>'
    return ""


def _xml(machine: Machine, parent: str) -> str:
    found = ""
    for body in machine.bodies:
        if body.joint.parent != parent:
            continue
        turn = (
            quaternion(turned(np.array(body.joint.turn.xyz)))
            if isinstance(body.joint, Fixed)
            else (1, 0, 0, 0)
        )
        j = inertia_matrix(body.inertia)
        six = j[0, 0], j[1, 1], j[2, 2], j[0, 1], j[0, 2], j[1, 2]
        found += (
            f'<body name="{body.name}" pos="{_text(body.joint.at.xyz)}" quat="{_text(turn)}">'
            f'<inertial pos="{_text(body.centre.xyz)}" mass="{float(body.mass):.17g}" '
            f'fullinertia="{_text(six)}"/>'
            f"{_joints(body)}{_xml(machine, body.name)}</body>"
        )
    return found


class Twin:
    """Mass matrix, bias force and acceleration at the described start, over our joint velocities."""

    def __init__(self, machine: Machine, v: np.ndarray | None = None) -> None:
        option = f'<option gravity="{_text(machine.gravity.xyz)}"><flag constraint="disable"/></option>'
        compiler = '<compiler angle="radian" inertiafromgeom="false"/>'
        self.text = f"<mujoco>{compiler}{option}<worldbody>{_xml(machine, GROUND)}</worldbody></mujoco>"
        self.model = mujoco.MjModel.from_xml_string(self.text)
        self.data = mujoco.MjData(self.model)
        z, v = start_angles(machine), start_rates(machine) if v is None else v
        n = z.size
        assert self.model.nv == n
        # MuJoCo goes through the tree depth first, we in the order of the description
        self.map = np.zeros((n, n))
        at_q = at_v = 0
        order: list[str] = []

        def walk(parent: str) -> None:
            for body in machine.bodies:
                if body.joint.parent == parent:
                    order.append(body.name)
                    walk(body.name)

        walk(GROUND)
        joints = {body.name: body.joint for body in machine.bodies}
        where = coordinates(machine)
        for name in order:
            mine = range(where[name].start, where[name].stop)
            ball = isinstance(joints[name], Spherical | Floating)
            for j in list(mine)[: len(mine) - 3] if ball else mine:
                self.data.qpos[at_q] = z[j]
                self.map[at_v, j] = 1.0
                at_q, at_v = at_q + 1, at_v + 1
            if ball:
                turn = turned(z[mine.stop - 3 : mine.stop])
                self.data.qpos[at_q : at_q + 4] = quaternion(turn)
                self.map[at_v : at_v + 3, mine.stop - 3 : mine.stop] = turn.T
                at_q, at_v = at_q + 4, at_v + 3
        self.data.qvel[:] = self.map @ v
        mujoco.mj_forward(self.model, self.data)
        mass = np.zeros((n, n))
        for row, unit in zip(mass, np.eye(n), strict=True):
            mujoco.mj_mulM(self.model, self.data, row, unit)
        self.mass = self.map.T @ mass @ self.map
        self.bias = self.map.T @ self.data.qfrc_bias
        self.acceleration = self.map.T @ self.data.qacc
