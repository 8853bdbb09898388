"""Condition of a machine: present differences from its description in masses, torques, gains and pressures.

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


class Condition(NamedTuple):
    """Records in the order of the plan; initially they equal the description."""

    bodies: Records
    valves: Records
    nodes: Records


def make_condition(plan: Plan) -> Condition:
    """The condition of a machine that is exactly as described."""
    bodies = np.zeros(len(plan.bodies), dtype=BODY_CONDITION)
    for name in ("mass", "centre", "inertia"):
        bodies[name] = plan.bodies[name]
    valves = np.ones(len(plan.valves), dtype=VALVE_CONDITION)
    nodes = np.zeros(len(plan.nodes), dtype=NODE_CONDITION)
    nodes["pressure"] = plan.nodes["pressure"]
    return Condition(bodies, valves, nodes)
