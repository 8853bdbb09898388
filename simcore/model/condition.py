"""Condition of a machine: present differences from its description, of its parts and of its sensors.

A plan never changes after it is compiled. Instead, loads of a simulation (simcore/run/load.py) and biases of
a filter (simcore/estimate/biases.py) are written to the condition, and the kernels read them there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simcore.model.plan import Plan, Records

BODY_CONDITION = np.dtype(
    [
        ("mass", "f8"),  # with what the body carries, kg
        ("centre", "f8", (3,)),  # m
        ("inertia", "f8", (6,)),  # about the centre, body axes: xx yy zz xy xz yz, kg m²
        ("unexplained", "f8"),  # torque on its joint that nothing described explains, N m or N
    ],
    align=True,
)
VALVE_CONDITION = np.dtype([("gain", "f8")], align=True)  # flow over the described flow
NODE_CONDITION = np.dtype([("pressure", "f8")], align=True)  # of a source, Pa; that of a volume is a state
CHANNEL_CONDITION = np.dtype(
    [
        ("offset", "f8"),  # constant error of its sensor, unit of the channel
        ("delay", "f8"),  # by which its readings are stamped later than they were taken, s
    ],
    align=True,
)
EDGE_CONDITION = np.dtype(
    [
        ("delivery", "f8"),  # displacement of a pump over the described one
        ("leakage", "f8"),  # conductance of a leak beyond the described one, m³/(s Pa)
        ("setting", "f8"),  # by which a valve opens at a higher pressure than described, Pa
    ],
    align=True,
)
WHOLE_CONDITION = np.dtype(
    [
        ("stiffness", "f8"),  # bulk modulus of the oil over the described one
        ("dead_band", "f8"),  # of every valve to either side, share of its full travel
        ("lag", "f8"),  # by which the time constant of every spool is longer, s
        ("governor", "f8"),  # by which engines run faster without load, rad/s
    ],
    align=True,
)


class Condition(NamedTuple):
    """Records in the order of the plan; initially they equal the description."""

    bodies: Records
    valves: Records
    nodes: Records
    edges: Records
    whole: Records  # one record for the whole machine
    channels: Records


def make_condition(plan: Plan) -> Condition:
    """The condition of a machine that is exactly as described."""
    bodies = np.zeros(len(plan.bodies), dtype=BODY_CONDITION)
    for name in ("mass", "centre", "inertia"):
        bodies[name] = plan.bodies[name]
    valves = np.ones(len(plan.valves), dtype=VALVE_CONDITION)
    nodes = np.zeros(len(plan.nodes), dtype=NODE_CONDITION)
    nodes["pressure"] = plan.nodes["pressure"]
    edges = np.zeros(len(plan.edges), dtype=EDGE_CONDITION)
    edges["delivery"] = 1.0
    whole = np.zeros(1, dtype=WHOLE_CONDITION)
    whole["stiffness"] = 1.0
    channels = np.zeros(len(plan.channels), dtype=CHANNEL_CONDITION)
    return Condition(bodies, valves, nodes, edges, whole, channels)
