"""Scratch memory of the kernels, allocated once per machine: nothing is allocated in the step loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simcore.model.condition import Condition
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
        ("articulated", "f8", (21,)),  # inertia of the subtree with free joints, upper triangle by rows
        ("spread", "f8", (6,)),  # articulated inertia times b
        ("pivot", "f8"),  # 1 / (b . spread)
        ("pull", "f8"),  # torque that the subtree takes at zero acceleration
        ("inertia", "f8", (10,)),  # m, m g (3), inertia about the origin xx yy zz xy xz yz; subtree
        ("free", "i8"),  # as in the plan; coordinate partitioning may choose anew
        ("dependent", "i8"),
        ("hold", "f8"),  # torque of the joint's spring less what a twin has learned of it, N m or N
        ("drag", "f8"),  # torque of damper and friction in its joint, N m or N
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
LINK_WORK = np.dtype(
    [
        ("wrench", "f8", (6,)),  # on body b, per unit of push
        ("length", "f8"),  # of a spring, m
        ("speed", "f8"),  # wrench . (Z_b - Z_a)
        ("push", "f8"),
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
        ("stiffness", "f8"),  # -d push / d length, N/m
        ("gain", "f8"),  # d push / d hydraulic force
    ],
    align=True,
)


FRICTION_WORK = np.dtype(
    [
        ("force", "f8"),  # against the motion, N or N m
        ("damping", "f8"),  # d force / d speed
        ("gain", "f8"),  # 1 - d force / d hydraulic force
        ("rate", "f8", (2,)),  # of its states
        ("push_x", "f8", (2,)),  # -d force / d states
        ("rate_v", "f8", (2,)),  # d rate / d speed
        ("rate_x", "f8", (2, 2)),  # d rate / d states
    ],
    align=True,
)
NODE_WORK = np.dtype(
    [
        ("compliance", "f8"),  # V/B_e, m³/Pa
        ("inflow", "f8"),  # net of flow and piston, m³/s
        ("softening", "f8"),  # d compliance / d pressure, m³/Pa²
        ("volume", "f8"),  # of its oil, m³
    ],
    align=True,
)

EDGE_WORK = np.dtype(
    [
        ("flow", "f8"),  # m³/s from a to b
        ("slope", "f8"),  # d flow / d (p_a - p_b), m³/(s Pa)
        ("lifted", "f8"),  # d flow / d (weighted sum of its pilots)
        ("stroke", "f8"),  # m³/rad of a pump
        ("torque", "f8"),  # N m that a pump takes from its shaft
        ("torque_p", "f8"),  # d torque / d (p_b - p_a)
        ("torque_v", "f8"),  # d torque / d speed
    ],
    align=True,
)

DIESEL_WORK = np.dtype(
    [
        ("torque", "f8"),  # N m on its shaft
        ("rate", "f8"),  # N m/s
        ("rate_v", "f8"),  # d rate / d speed
    ],
    align=True,
)
SOIL_WORK = np.dtype(
    [
        ("wrench", "f8", (6,)),  # of the soil on the bucket
        ("load", "f8"),  # kg inside
        ("at", "f8", (3,)),  # where it is, m
        ("force", "f8"),  # at the edge, N
        ("cut", "f8"),  # power that cutting takes, W
        ("rate", "f8"),  # of the fill, m³/s
        ("poured", "f8"),  # share of the fill that falls out, 1/s
        ("grip", "f8"),  # resistance over speed, N s/m
        ("pull", "f8", (3,)),  # d force / d velocity = -grip (1 - pull pullᵀ)
        ("edge", "f8", (3,)),  # m
        ("lever", "f8", (6,)),  # a unit force at the edge
    ],
    align=True,
)

# matrices of Workspace.matrix; each uses the corner it needs
MASS, TANGENT, CONDUCTANCE, DEPENDENT, REDUCE, FREE = range(6)
# vectors of Workspace.vector
RESIDUAL, FORCE, NEW, RATES, TOTAL, KEPT, NUDGED, BASE = range(8)


class Workspace(NamedTuple):
    """What kernels write and nobody keeps. Few arrays: each one costs compile time in every kernel."""

    condition: Condition  # what differs from the description at present; kernels read it
    bodies: Records
    rows: Records
    links: Records
    cylinders: Records
    frictions: Records
    nodes: Records
    edges: Records
    diesels: Records
    soils: Records
    jac: Array  # gradient over the coordinates of each loop row, then of each cylinder's length
    matrix: Array  # MASS: of the tree, kg m²
    # TANGENT: of the implicit step; CONDUCTANCE: d inflow / d pressure
    # DEPENDENT, FREE: linear systems of the loops and of the reduced motion; FREE also the tangent's block of
    # the coordinates, for projections
    # REDUCE: ∂v/∂v_free, and in the last column accelerations at zero free acceleration
    vector: Array  # RESIDUAL, FORCE: per unknown or coordinate; the others: whole states


def make_workspace(plan: Plan, condition: Condition) -> Workspace:
    """Scratch memory of the right size for a plan."""
    head = plan.head[0]
    n, rows, scalars, size = (int(head[k]) for k in ("coords", "rows", "scalars", "size"))
    nodes, cylinders = len(plan.nodes), len(plan.cylinders)
    widest = max(n + scalars, nodes, 2 * n, n + 1 + cylinders, 2 * rows)
    return Workspace(
        condition=condition,
        bodies=_bodies(plan),
        rows=np.zeros(rows, dtype=ROW_WORK),
        links=np.zeros(len(plan.links), dtype=LINK_WORK),
        cylinders=np.zeros(cylinders, dtype=CYLINDER_WORK),
        frictions=np.zeros(len(plan.frictions), dtype=FRICTION_WORK),
        nodes=np.zeros(nodes, dtype=NODE_WORK),
        edges=np.zeros(len(plan.edges), dtype=EDGE_WORK),
        diesels=np.zeros(len(plan.diesels), dtype=DIESEL_WORK),
        soils=np.zeros(len(plan.soils), dtype=SOIL_WORK),
        jac=np.zeros((rows + cylinders, n)),
        matrix=np.zeros((6, widest, widest)),
        vector=np.zeros((8, size)),
    )


def _bodies(plan: Plan) -> Records:
    bodies = np.zeros(len(plan.bodies), dtype=BODY_WORK)
    bodies["turn"][0] = np.eye(3)
    for name in ("free", "dependent"):
        bodies[name] = plan.bodies[name]
    return bodies
