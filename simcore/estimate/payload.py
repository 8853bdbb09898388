"""Masses as biases: a payload, in a point of a body, that may change at once, and the weight of a body.

A body of mass m₀ with centre c₀ and inertia J₀ carries m at the point r (docs/methods/error-state-filter.md):
c = c₀ + m d/(m₀ + m), J = J₀ + m₀ m/(m₀ + m) (d·d I - d dᵀ), d = r - c₀.
A body that weighs more than described does so everywhere: same centre, J = J₀ (m₀ + m)/m₀.
"""

from __future__ import annotations

import numpy as np

from simcore.algebra.vector3 import carried, cross, dot, minus, plus, point_velocity, times, triple
from simcore.errors import SimcoreError
from simcore.kernels.jit import inner
from simcore.model.elements import Machine
from simcore.model.plan import Plan, Records
from simcore.model.tree import expand
from simcore.model.workspace import FREE, Array, Workspace

MASS_FIELDS = (
    ("at", "f8", (3,)),  # where it is on the body, m
    ("described", "f8"),  # kg that it has by the description
    ("inert", "f8"),  # 1: its inertia tells of it as well as its weight; 0: its weight alone
    ("least", "f8"),  # kg; a bucket may carry less than what was simulated to be in it
    ("bare_mass", "f8"),  # of the body without it, kg
    ("bare_centre", "f8", (3,)),
    ("bare_inertia", "f8", (6,)),  # as a plan has it
)
_LIGHTEST = 0.2  # of the described mass, that a body has at least
_LIFTED = 0.5  # of the mass of an empty bucket, by which its fill may be too much
_LEAST = 0.01  # standard deviations; less would make a body that carries nothing else massless
_NOTHING = 1e-9  # share of a mass that is rounding


def without_payload(machine: Machine, plan: Plan, bias: Records) -> None:
    """Where the payload of a machine is, and the body that carries it without what it was described with."""
    payload = machine.model_error.payload
    if payload is None:
        return
    body = next(b for b in machine.bodies if b.name == payload.body)
    frame = expand(machine).frames[body.name]
    if frame.index == 0:
        raise SimcoreError(f"{machine.name!r}: payload on {body.name!r}, which the ground carries")
    whole = plan.bodies[frame.index]
    carried_mass, total = float(body.mass), float(whole["mass"])
    at, bare = frame.point(body.centre.xyz), total - carried_mass
    bias["index"], bias["at"], bias["described"] = frame.index, at, carried_mass
    bias["bare_centre"], bias["bare_inertia"] = at, whole["inertia"]
    bias["inert"] = 0.0 if payload.by_weight else 1.0
    digs = np.any(plan.soils["body"] == frame.index)
    bias["least"] = -_LIFTED * bare if digs else _LEAST * bias["unit"]
    if bare > _NOTHING * total:
        bias["bare_mass"] = bare
        bias["bare_centre"] = (total * whole["centre"] - carried_mass * at) / bare
        bias["bare_inertia"] -= bare * carried_mass / total * _arms(at - bias["bare_centre"])


def as_described(plan: Plan, bias: Records) -> None:
    """Where the weight of a body is, what it weighs by its description; the unit becomes kg from a share."""
    body = plan.bodies[int(bias["index"])]
    bias["at"], bias["bare_centre"] = body["centre"], body["centre"]
    bias["bare_mass"], bias["bare_inertia"] = body["mass"], body["inertia"]
    bias["unit"] *= body["mass"]


def _arms(d: Array) -> Array:
    """d·d I - d dᵀ as xx yy zz xy xz yz."""
    x, y, z = d
    return np.array([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z])


@inner
def payload_of(plan: Plan, bias: Records) -> float:
    """What the body carries, or weighs more than described, kg."""
    return float(plan.bodies[bias.index].mass - bias.bare_mass)


@inner
def put_payload(plan: Plan, bias: Records, mass: float) -> None:
    """Let the body carry so much, kg, rounded as the plan holds it: what is read can be put back."""
    body = plan.bodies[bias.index]
    total = bias.bare_mass + mass
    mass = total - bias.bare_mass
    share, both = mass / total, bias.bare_mass * mass / total
    body.mass = total
    d = minus(triple(bias.at), triple(bias.bare_centre))
    for k in range(3):
        body.centre[k] = bias.bare_centre[k] + share * d[k]
        body.inertia[k] = bias.bare_inertia[k] + both * (dot(d, d) - d[k] * d[k])
    body.inertia[3] = bias.bare_inertia[3] - both * d[0] * d[1]
    body.inertia[4] = bias.bare_inertia[4] - both * d[0] * d[2]
    body.inertia[5] = bias.bare_inertia[5] - both * d[1] * d[2]


@inner
def put_weight(plan: Plan, bias: Records, mass: float) -> None:
    """Let the body weigh so much more than described, kg, rounded as the plan holds it."""
    body = plan.bodies[bias.index]
    body.mass = max(bias.bare_mass + mass, _LIGHTEST * bias.bare_mass)
    for k in range(6):
        body.inertia[k] = bias.bare_inertia[k] * (body.mass / bias.bare_mass)


@inner
def mass_column(plan: Plan, bias: Records, column: int, slope: Array, ws: Workspace) -> None:
    """What a mass adds to the rates: the torques Jᵀ(a - g) that it needs, J of its point, or -Jᵀg alone.

    To be called after inverse dynamics with the accelerations of the state.
    """
    free, here = plan.head[0].free, ws.bodies[bias.index]
    r, w = carried(here, bias.at), triple(here.twist[3:])
    turning = plus(cross(triple(here.accel[3:]), r), cross(w, point_velocity(here, r)))
    motion = times(bias.inert, plus(triple(here.accel[:3]), turning))
    force = times(bias.unit, minus(motion, triple(plan.head[0].gravity)))
    moment = cross(r, force)
    j = bias.index
    while j > 0:
        b = ws.bodies[j].b
        needed = dot(triple(b[:3]), force) + dot(triple(b[3:]), moment)
        for f in range(free):
            slope[free + f, column] -= ws.matrix[FREE, f, free + j - 1] * needed
        j = plan.bodies[j].parent
