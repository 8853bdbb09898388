"""Scratch memory of the kernels, allocated once per machine: nothing is allocated in the step loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simcore.model.plan import Plan, Records

Array = npt.NDArray[np.float64]

BODY_WORK = np.dtype(
    [
        ("turn", "f8", (3, 3)),  # body -> ground
        ("origin", "f8", (3,)),  # joint in ground, m
        ("centre", "f8", (3,)),  # centre of mass in ground, m
        ("b", "f8", (6,)),  # velocity of the body per unit joint rate, Z form
        ("twist", "f8", (6,)),  # Z = [velocity of the point at the origin, angular velocity]
        ("d", "f8", (6,)),  # acceleration that velocities alone cause, this joint's part
        ("bias", "f8", (6,)),  # the same, summed along the path
        ("accel", "f8", (6,)),  # dZ/dt
        ("wrench", "f8", (6,)),  # [force, moment about the origin] the subtree needs
        ("inertia", "f8", (10,)),  # m, m g (3), inertia about the origin xx yy zz xy xz yz; subtree
    ],
    align=True,
)
ROW_WORK = np.dtype(
    [
        ("wrench", "f8", (6,)),  # gap rate = wrench . (Z_b - Z_a)
        ("gap", "f8"),
        ("rate", "f8"),
        ("curve", "f8"),  # second derivative of the gap at zero joint acceleration
    ],
    align=True,
)
CYLINDER_WORK = np.dtype(
    [
        ("wrench", "f8", (6,)),
        ("length", "f8"),  # m
        ("speed", "f8"),  # m/s, extending
        ("chamber_a", "f8"),  # m
        ("chamber_b", "f8"),  # m
        ("push", "f8"),  # force on the mounts, N, extending
        ("damping", "f8"),  # -d push / d speed, N s/m
    ],
    align=True,
)


class Work(NamedTuple):
    """What kernels write and nobody keeps."""

    bodies: Records
    rows: Records
    cylinders: Records
    jac: Array  # loop rows x coordinates
    cyl_jac: Array  # cylinders x coordinates
    mass: Array  # coordinates x coordinates
    force: Array  # coordinates
    compliance: Array  # nodes, m³/Pa
    inflow: Array  # nodes, m³/s
    conductance: Array  # nodes x nodes, d inflow / d pressure
    tangent: Array  # (coordinates + volumes) squared
    residual: Array  # coordinates + volumes
    dependent: Array  # rows x (rows + free + 1): linear systems of the loops
    reduce: Array  # coordinates x (free + 1): dz/dz_free, and accelerations at zero free acceleration
    free: Array  # free x (free + 1)
    saved: Array  # 8 copies of a state


def make_work(plan: Plan) -> Work:
    """Scratch memory of the right size for a plan."""
    head = plan.head[0]
    n, m, free, volumes = (int(head[k]) for k in ("coords", "rows", "free", "volumes"))
    nodes, cylinders = len(plan.nodes), len(plan.cylinders)
    return Work(
        bodies=_ground(np.zeros(len(plan.bodies), dtype=BODY_WORK)),
        rows=np.zeros(m, dtype=ROW_WORK),
        cylinders=np.zeros(cylinders, dtype=CYLINDER_WORK),
        jac=np.zeros((m, n)),
        cyl_jac=np.zeros((cylinders, n)),
        mass=np.zeros((n, n)),
        force=np.zeros(n),
        compliance=np.zeros(nodes),
        inflow=np.zeros(nodes),
        conductance=np.zeros((nodes, nodes)),
        tangent=np.zeros((n + volumes, n + volumes)),
        residual=np.zeros(n + volumes),
        dependent=np.zeros((m, m + free + 1)),
        reduce=np.zeros((n, free + 1)),
        free=np.zeros((free, free + 1)),
        saved=np.zeros((8, int(head["size"]))),
    )


def _ground(bodies: Records) -> Records:
    bodies["turn"][0] = np.eye(3)
    return bodies
