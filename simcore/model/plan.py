"""Plan: a compiled machine as a few record arrays whose types never vary.

All machines share the same compiled code because only the contents of these arrays differ.
Body 0 is the ground; the joint that carries body j has coordinate j - 1 (ensured by simcore/model/tree.py).
The rotation of a ball joint is exp(z) times a quaternion stored after the coordinates; z is zero between
steps. Nodes are the volumes, then the pressure sources.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

# record arrays are read by field name in the kernels, which the type checker cannot follow
Records = Any

REVOLUTE, PRISMATIC, BALL = range(3)  # kinds of joints
POINT, TILT, ROD = range(3)  # kinds of loop rows
SPRING, PUSH, TWIST = range(3)  # kinds of links
ANGLE, RATE, PRESSURE, LENGTH, FORCE, COMMAND, SPOOL, INCLINATION, SPIN = range(9)  # kinds of channels
FLOW, OUTFLOW, ROD_POWER, SOURCE_POWER, PUMP_POWER = range(9, 14)  # those of oil that flows
ENGINE_TORQUE, FUEL, FILL, DIGGING = range(14, 18)  # those of diesel engines and of soil
HEIGHT, CARRIED, POINT_SPEED = range(18, 21)  # of a point over the origin, of what a body carries, of a point
REACTION, LOOP_REACTION, ROD_REACTION = range(21, 24)  # forces in joints of the tree, of loops, of cylinders
NONE, EFFICIENCY, PASSIVE_EFFICIENCY, BENGISU_AKAY, BROWN_MCPHEE, LUGRE, MODIFIED_LUGRE = range(
    7
)  # laws of friction
DIRECT, SERIES, CORRECTED, PILOTED, LEAK, PUMP = range(6)  # kinds of edges
KNOTS = 8  # points of a coefficient curve at most
GRID = 6  # points of a fuel map along either axis
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
        ("lags", "i8"),  # valves whose lag a twin estimates: all or none
        ("cylinders", "i8"),
        ("inner", "i8"),  # states of frictions
        ("diesels", "i8"),
        ("soils", "i8"),
        ("scalars", "i8"),  # volumes + inner + diesels + soils: unknowns of first order, side by side
        ("states", "i8"),  # of the filter: 2 free + volumes + diesels
        # offsets into the flat state vector
        ("at_z", "i8"),  # positions, rad or m
        ("at_q", "i8"),  # quaternions of the balls, scalar first; follow the positions
        ("at_v", "i8"),  # velocities, rad/s or m/s
        ("at_a", "i8"),  # accelerations, rad/s²
        # pressures, Pa; then the states of frictions, m and -, torques of diesels, N m, fills of buckets, m³
        ("at_p", "i8"),
        ("at_dp", "i8"),  # their rates, per second
        ("at_u", "i8"),  # spools, V
        ("at_l", "i8"),  # multipliers of the loop rows, N
        ("at_c", "i8"),  # commands, V
        ("at_s", "i8"),  # derivatives of the spools for their time constant, V/s; where a lag is estimated
        ("size", "i8"),
        ("gravity", "f8", (3,)),  # m/s²
        ("penalty", "f8"),  # N/m, as published; 0: in proportion to the mass of each row
        ("tol_z", "f8"),  # rad
        ("tol_p", "f8"),  # Pa
        ("tol_x", "f8"),  # states of frictions, m and -
        ("tol_torque", "f8"),  # of engines, N m
        ("tol_fill", "f8"),  # of buckets, m³
        ("norm", "i8"),  # 1: the norm of all increments must be small, not each
        ("enclosed", "i8"),  # 1: enclose an unknown whose increments turn back
        ("euler", "i8"),  # 1: spools by forward Euler, as the publications did
        ("max_iterations", "i8"),
        ("shafts", "i8"),  # pumps that a joint drives
        ("reactions", "i8"),  # channels of forces in joints
        ("thin", "i8"),  # 1: the oil's softness depends on its pressure
        ("softness", "f8"),  # of oil at zero pressure, 1/Pa
        ("stiffening", "f8"),  # rise of its bulk modulus per pressure
        ("air", "f8"),  # share of the volume that is free air at its reference pressure
        ("air_pressure", "f8"),  # that pressure above vapour, Pa
        ("air_exponent", "f8"),  # polytropic
        ("vapour", "f8"),  # Pa
        ("noise_a", "f8"),  # rad/s² per √Hz
        ("noise_dp", "f8"),  # Pa/s per √Hz
        ("noise_torque", "f8"),  # of diesels, N m/s per √Hz
        ("input_fresh", "f8"),  # s an input is taken as known after it was given
        ("input_memory", "f8"),  # s over which an unknown input keeps its value
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
        ("mass", "f8"),  # as described, kg; kernels read the present one in the condition
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
        ("mass", "f8"),  # effective mass that the row moves at the start, kg; of a tilt row kg m²
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
NODE = np.dtype(
    [
        ("pressure", "f8"),  # as described, Pa: of a volume at t = 0
        ("compliance", "f8"),  # V/B of the hose, m³/Pa
        ("volume", "f8"),  # of the hose, m³
    ],
    align=True,
)
EDGE = np.dtype(
    [
        ("kind", "i8"),
        ("a", "i8"),
        ("b", "i8"),
        ("valve", "i8"),  # whose spool opens it, or FIXED
        ("sign", "f8"),  # spool direction that opens it
        ("coefficient", "f8"),  # m³/(s √Pa), per volt behind a spool; m³/(s Pa) of a leak; m³/rad of a pump
        ("points", "i8"),  # of its own curve instead, or 0
        ("at", "f8", (KNOTS,)),  # V
        ("value", "f8", (KNOTS,)),  # m³/(s √Pa)
        ("laminar", "f8"),  # Pa
        ("smooth", "i8"),  # 1: no kink between laminar and turbulent
        ("second", "f8"),  # coefficient of the throttle in series, m³/(s √Pa)
        ("factor", "f8"),  # published correction of its flow
        ("pilot", "i8", (3,)),  # nodes whose pressures lift it, or FIXED
        ("weight", "f8", (3,)),
        ("setting", "f8"),  # Pa where it begins to open; N m that a pump takes at most, 0: no limit
        ("span", "f8"),  # Pa more until it is fully open
        ("shaft", "i8"),  # coordinate that drives a pump, or FIXED
        ("speed", "f8"),  # rad/s of a pump without one
        ("follows", "i8"),  # 1: a pump whose displacement follows the spools
        ("drag", "f8"),  # torque lost per ideal torque
    ],
    align=True,
)
VALVE = np.dtype(
    [
        ("tau", "f8"),  # s
        ("low", "f8"),  # V
        ("limit", "f8"),  # V
        ("demand", "f8"),  # share of the displacement that pumps give per volt, where they follow the levers
    ],
    align=True,
)
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
        ("cushion", "f8"),  # m before either end where a damper acts; 0: none
        ("cushion_k", "f8"),  # N/m
        ("cushion_c", "f8"),  # N s/m at the very end
    ],
    align=True,
)
FRICTION = np.dtype(
    [
        ("coord", "i8"),  # coordinate of a joint, or FIXED: the seal of the cylinder of the same number
        ("law", "i8"),
        ("inner", "i8"),  # its first state among those of all frictions
        ("inners", "i8"),  # how many it has
        ("loss", "f8"),  # 1 - efficiency
        ("coulomb", "f8"),  # N; of a hinge all with N m for N and rad for m
        ("static", "f8"),  # N
        ("stribeck", "f8"),  # m/s
        ("viscous", "f8"),  # N s/m
        ("shape", "f8"),  # decay of Bengisu and Akay's law, s/m
        ("exponent", "f8"),  # of the Stribeck curve
        ("bristle", "f8"),  # N/m
        ("micro", "f8"),  # damping of the bristles, N s/m
        ("film_speed", "f8"),  # m/s, where the film is fully there
        ("film_up", "f8"),  # s
        ("film_down", "f8"),  # s
        ("film_dwell", "f8"),  # s
    ],
    align=True,
)
DIESEL = np.dtype(
    [
        ("coord", "i8"),  # coordinate of the shaft
        ("speed", "f8"),  # rad/s at which the governor gives nothing more
        ("droop", "f8"),  # rad/s below it where it gives all
        ("drag", "f8"),  # N m that it takes without fuel
        ("tau", "f8"),  # s, of its torque
        ("points", "i8"),  # of the full-load curve
        ("at", "f8", (KNOTS,)),  # rad/s
        ("full", "f8", (KNOTS,)),  # N m
        ("map_speed", "f8", (GRID,)),  # rad/s
        ("map_torque", "f8", (GRID,)),  # N m
        ("map_rate", "f8", (GRID, GRID)),  # kg/s, by speed and torque
    ],
    align=True,
)
SOIL = np.dtype(
    [
        ("body", "i8"),  # that carries the edge
        ("edge", "f8", (3,)),  # middle of the cutting edge, m
        ("forward", "f8", (3,)),  # direction that it cuts in
        ("mouth", "f8", (3,)),  # direction out of the bucket
        ("centre", "f8", (3,)),  # of the soil inside, m
        ("normal", "f8", (3,)),  # of the ground, upwards
        ("level", "f8"),  # of the ground along it, m
        ("width", "f8"),  # m
        ("soft", "f8"),  # depth within which contact begins, m
        ("weight", "f8"),  # γ N_γ, N/m³
        ("cohesion", "f8"),  # c N_c, N/m²
        ("surcharge", "f8"),  # γ N_q h of a full bucket, N/m²
        ("backward", "f8"),  # share of the resistance against the cutting direction
        ("fade_speed", "f8"),  # m/s below which resistance fades
        ("swell", "f8"),  # volume inside per volume cut
        ("capacity", "f8"),  # m³
        ("density", "f8"),  # of soil inside, kg/m³
        ("pours", "f8"),  # upward share of the mouth's direction below which soil falls out
        ("open", "f8"),  # further down until it falls freely
        ("pour_time", "f8"),  # s
    ],
    align=True,
)
CHANNEL = np.dtype(
    [
        ("kind", "i8"),
        ("index", "i8"),
        ("sigma", "f8"),  # of its sensor
        ("axis", "f8", (3,)),  # on a body: of an inclination, spin or pin; point of a height; bare mass
        # of the flows of an edge and the three behind it; height of the origin; rows of a loop joint and the
        # body of its axis
        ("weight", "f8", (4,)),
    ],
    align=True,
)


class Plan(NamedTuple):
    """The machine as described. It is compiled once, and its arrays are read-only.

    The condition (simcore/model/condition.py) contains present differences from it.
    """

    head: Records
    bodies: Records
    rows: Records
    links: Records
    nodes: Records
    edges: Records
    valves: Records
    cylinders: Records
    frictions: Records  # of the cylinders, then of joints
    diesels: Records
    soils: Records
    channels: Records
