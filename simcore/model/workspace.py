"""Scratch memory of the kernels, allocated once per machine, so that steps allocate nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simcore.model.condition import Condition
from simcore.model.plan import Plan, Records

Array = npt.NDArray[np.float64]

BODY_WORK = np.dtype(
    [
        ("rotation", "f8", (3, 3)),  # body -> ground
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
        ("free", "i8"),  # as in the plan; coordinate partitioning may choose others
        ("dependent", "i8"),
        ("hold", "f8"),  # torque of the joint's spring less the unexplained torque, N m or N
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
        ("force", "f8"),  # λ that closes the loop, N or N m: on body b against the wrench
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
        ("contact", "f8"),  # part of it from the dampers at the ends of the stroke, N
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

# Slots of Workspace.matrix; each use takes the corner that it needs. A line lists the names of one slot: a
# stage that writes one of them destroys the others, so their contents last no longer than said here.
#
# slot name             written by                        holds, until
# 0    MASS             multibody/dynamics.py mass_matrix mass matrix of the tree, kg m²; the next call
# 1    TANGENT          integrate/tangent.py              tangent of an implicit step; the end of the step
#      PENALISED_MASS   formulation/index1.py             factors of M + Φ_zᵀ α Φ_z; the end of the rates
#      LEVERS           linearise                         two rows of one element; the next element
#      LOOP_BALANCE     formulation/reactions.py          [Φ_z Φ_zᵀ | right side]; the loop forces
# 2    CONDUCTANCE      hydraulics/circuit.py flows       d inflow / d pressure; the next call
# 3    LOOP_SYSTEM      formulation/partition.py          [J_d | -J_free | right side]; the next solution
#      LOOP_INVERSE     linearise/jacobian.py             [. | J_d⁻¹]; the end of fill_jacobian
# 4    REDUCTION        partition.py, linearise/jacobian  ∂v/∂v_free, then (partition) accelerations at zero
#                                                         free acceleration; the next of either
# 5    REDUCED_SYSTEM   formulation/partition.py          RᵀMR and its solutions; the end of settle
#      PROJECTION       integrate/trapezoidal.py          tangent's block of the coordinates; the step's end
#      HALF_REDUCED     integrate/double_step.py          T R; the reduced tangent
#      MOBILITY         linearise/jacobian.py             (RᵀMR)⁻¹Rᵀ behind the reduced mass; read by all of
#                                                         estimate/linearise until the next step or settle
MASS, TANGENT, CONDUCTANCE, LOOP_SYSTEM, REDUCTION, REDUCED_SYSTEM = range(6)
PENALISED_MASS = LEVERS = LOOP_BALANCE = TANGENT
LOOP_INVERSE = LOOP_SYSTEM
PROJECTION = HALF_REDUCED = MOBILITY = REDUCED_SYSTEM
# Slots of Workspace.vector, in the same way:
#
# 0    RESIDUAL         integrate                         residual, then increment; the end of an iteration
#      NO_ACCELERATION  partition.py joint_forces         zeros; the end of joint_forces
#      PIVOT_OF         partition.py choose_partition     pivot row of each coordinate; its end
# 1    JOINT_FORCE      formulation, double_step.py       forces on the coordinates; the end of the rates
#      PATH_ROW         integrate/tangent.py              gradient of one link; the next link
#      GRADIENT         linearise/jacobian.py             gradient of one shaft, accelerations of one nudge
#      LONG_STEP_NOISE  linearise/digging_noise.py        effect of one resistance; the next one
#      MISSING_FORCE    formulation/reactions.py          forces on the coordinates without loops; its end
# 2    NEW              integrate                         state at the end of a step or stage
# 3    RATES            integrate/rk4.py                  rates of ball increments; the next stage
# 4    RATE_SUM         integrate/rk4.py                  weighted sum of the rates; the end of the step
#      BALANCE_CHANGE   linearise/jacobian.py             misses of the loops, then change of the balance
#      RESISTANCE       linearise/digging_noise.py        accelerations by one resistance; the next one
# 5    STEP_BACKUP      integrate/advance.py              state before a step; the end of the step
# 6    NUDGED           linearise                         nudged state; the end of the function
# 7    STEP_START       integrate/implicit.py             state before the first stage; the end of the step
#      BASE_BALANCE     linearise/jacobian.py             balance before any nudge; its end
RESIDUAL, JOINT_FORCE, NEW, RATES, RATE_SUM, STEP_BACKUP, NUDGED, STEP_START = range(8)
NO_ACCELERATION = PIVOT_OF = RESIDUAL
PATH_ROW = GRADIENT = LONG_STEP_NOISE = MISSING_FORCE = JOINT_FORCE
BALANCE_CHANGE = RESISTANCE = RATE_SUM

BASE_BALANCE = STEP_START


class Workspace(NamedTuple):
    """Scratch arrays of the kernels, and the condition. Every array costs compile time, so they are few."""

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
    matrix: Array  # slots MASS ... above
    vector: Array  # slots RESIDUAL ... above: per unknown or coordinate, or whole states


def make_workspace(plan: Plan, condition: Condition) -> Workspace:
    """Scratch memory in the size that a plan needs."""
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
    bodies["rotation"][0] = np.eye(3)
    for name in ("free", "dependent"):
        bodies[name] = plan.bodies[name]
    return bodies
