"""A machine as the engine sees it: a few record arrays whose types never vary.

All machines share the same compiled code because only the contents of these arrays differ.
Body 0 is the ground; the joint that carries body j has coordinate j - 1 (simcore/model/tree.py makes it so).
The rotation of a ball is exp(z) times the quaternion behind the coordinates; z is zero between steps.
Nodes are the volumes, then the pressure sources.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

# record arrays are read by field name in the kernels, which the type checker cannot follow
Records = Any

REVOLUTE, PRISMATIC, BALL = range(3)  # kinds of joints
POINT, TILT, ROD = range(3)  # kinds of loop rows
SPRING, PUSH, TWIST = range(3)  # kinds of links
ANGLE, RATE, PRESSURE, LENGTH, FORCE, COMMAND, SPOOL = range(7)  # kinds of channels
FIXED = -1  # an edge that no spool moves; a coordinate that is not independent

HEAD = np.dtype(
    [
        ("coords", "i8"),  # joint coordinates n
        ("free", "i8"),  # independent ones
        ("rows", "i8"),  # loop equations; n - free of them are independent
        ("redundant", "i8"),  # loop equations that follow from others
        ("balls", "i8"),
        ("volumes", "i8"),
        ("valves", "i8"),
        ("cylinders", "i8"),
        ("states", "i8"),  # of the filter: 2 free + volumes
        # offsets into the flat state vector
        ("at_z", "i8"),  # positions, rad or m
        ("at_q", "i8"),  # quaternions of the balls, scalar first; follow the positions
        ("at_v", "i8"),  # velocities, rad/s or m/s
        ("at_a", "i8"),  # accelerations, rad/s²
        ("at_p", "i8"),  # pressures, Pa
        ("at_dp", "i8"),  # pressure rates, Pa/s
        ("at_u", "i8"),  # spools, V
        ("at_l", "i8"),  # multipliers of the loop rows, N
        ("at_c", "i8"),  # commands, V
        ("size", "i8"),
        ("gravity", "f8", (3,)),  # m/s²
        ("penalty", "f8"),  # N/m
        ("tol_z", "f8"),  # rad
        ("tol_p", "f8"),  # Pa
        ("max_iterations", "i8"),
        ("noise_a", "f8"),  # rad/s² per √Hz
        ("noise_dp", "f8"),  # Pa/s per √Hz
    ],
    align=True,
)
BODY = np.dtype(
    [
        ("parent", "i8"),
        ("kind", "i8"),
        ("carrier", "i8"),  # body that axis and point are fixed to: the parent, or within a ball its parent
        ("ball", "i8"),  # quaternion of the ball that this body completes, or FIXED
        ("free", "i8"),  # index of its joint among the independent ones, or FIXED
        ("dependent", "i8"),  # among the others, or FIXED
        ("at", "f8", (3,)),  # joint in the parent's frame, m
        ("axis", "f8", (3,)),
        ("mass", "f8"),
        ("centre", "f8", (3,)),
        ("inertia", "f8", (6,)),  # about the centre, body axes: xx yy zz xy xz yz, kg m²
        ("stiffness", "f8"),  # of the joint, N m/rad or N/m
        ("damping", "f8"),
        ("rest", "f8"),  # coordinate without torque
    ],
    align=True,
)
ROW = np.dtype(
    [
        ("kind", "i8"),
        ("a", "i8"),
        ("b", "i8"),
        ("at_a", "f8", (3,)),
        ("at_b", "f8", (3,)),
        ("direction", "f8", (3,)),  # fixed to body a
        ("hinge", "f8", (3,)),  # fixed to body b; used by tilt rows
        ("length", "f8"),  # of a rod, m
    ],
    align=True,
)
LINK = np.dtype(
    [
        ("kind", "i8"),
        ("a", "i8"),
        ("b", "i8"),
        ("follows", "i8"),  # body whose axes a push or twist is fixed to
        ("at_a", "f8", (3,)),
        ("at_b", "f8", (3,)),
        ("vector", "f8", (3,)),  # N or N m
        ("stiffness", "f8"),  # N/m
        ("damping", "f8"),  # N s/m
        ("length", "f8"),  # without force, m
    ],
    align=True,
)
NODE = np.dtype([("pressure", "f8"), ("compliance", "f8")], align=True)  # Pa at t = 0; hose V/B, m³/Pa
EDGE = np.dtype(
    [
        ("a", "i8"),
        ("b", "i8"),
        ("valve", "i8"),  # whose spool opens it, or FIXED
        ("sign", "f8"),  # spool direction that opens it
        ("coefficient", "f8"),  # m³/(s √Pa), per volt behind a spool
        ("laminar", "f8"),  # Pa
    ],
    align=True,
)
VALVE = np.dtype([("tau", "f8"), ("limit", "f8")], align=True)
CYLINDER = np.dtype(
    [
        ("a", "i8"),
        ("b", "i8"),
        ("at_a", "f8", (3,)),
        ("at_b", "f8", (3,)),
        ("node_a", "i8"),
        ("node_b", "i8"),
        ("area_a", "f8"),  # m²
        ("area_b", "f8"),
        ("offset", "f8"),  # length of chamber A = distance of the mounts - offset, m
        ("tube", "f8"),  # m
        ("softness", "f8"),  # 1/B of oil and wall, 1/Pa
        ("coulomb", "f8"),  # N
        ("static", "f8"),  # N
        ("stribeck", "f8"),  # m/s
        ("viscous", "f8"),  # N s/m
    ],
    align=True,
)
CHANNEL = np.dtype([("kind", "i8"), ("index", "i8"), ("sigma", "f8")], align=True)


class Plan(NamedTuple):
    """What kernels read and never write."""

    head: Records
    bodies: Records
    rows: Records
    links: Records
    nodes: Records
    edges: Records
    valves: Records
    cylinders: Records
    channels: Records
