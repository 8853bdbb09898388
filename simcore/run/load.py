"""Sets the payload and the extra body masses in a machine's condition.

A body of mass m₀ with centre c₀ and inertia J₀ carries a payload m at the point r. Together they have
c = c₀ + m d/(m₀ + m), J = J₀ + m₀ m/(m₀ + m) (d·d I - d dᵀ), d = r - c₀ (docs/methods/error-state-filter.md).
A body's extra mass is distributed like its own mass: same centre, J = J₀ (m₀ + m)/m₀.
"""

from __future__ import annotations

import numpy as np

from simcore.algebra.vector3 import dot, minus, triple
from simcore.errors import SimcoreError
from simcore.kernels.jit import inner, kernel
from simcore.model.condition import Condition
from simcore.model.elements import Machine
from simcore.model.plan import Plan, Records
from simcore.model.tree import expand
from simcore.model.workspace import Array

LOAD_FIELDS = (
    ("at", "f8", (3,)),  # where it is on the body, m
    ("described", "f8"),  # kg that it has by the description
    ("inert", "f8"),  # 1: its inertia counts as well as its weight; 0: its weight alone
    ("least", "f8"),  # kg; a bucket may carry less than its simulated fill
    ("bare_mass", "f8"),  # of the body without it, kg
    ("bare_centre", "f8", (3,)),
    ("bare_inertia", "f8", (6,)),  # as a plan has it
)
LOAD = np.dtype([("index", "i8"), *LOAD_FIELDS], align=True)  # index: body that carries it
_LIGHTEST = 0.2  # share of its described mass that a body keeps at least
_LIFTED = 0.5  # of the mass of an empty bucket, by which its fill may be too much
_LEAST = 0.01  # standard deviations; less would make a body that carries nothing else massless
_NOTHING = 1e-9  # share of a mass that is rounding


def payload_of(machine: Machine, plan: Plan) -> Records:
    """Place of the declared payload, and its body without it: one LOAD record, or none without a payload."""
    payload = machine.model_error.payload
    found = np.zeros(0 if payload is None else 1, dtype=LOAD)
    if payload is None:
        return found
    load = found[0]
    body = next(b for b in machine.bodies if b.name == payload.body)
    frame = expand(machine).frames[body.name]
    if frame.index == 0:
        raise SimcoreError(
            f"{machine.name!r}: the payload is on {body.name!r}, which is fixed to the ground; "
            "it must be on a body that can move"
        )
    whole = plan.bodies[frame.index]
    carried_mass, total = float(body.mass), float(whole["mass"])
    at, bare = frame.point(body.centre.xyz), total - carried_mass
    load["index"], load["at"], load["described"] = frame.index, at, carried_mass
    load["bare_centre"], load["bare_inertia"] = at, whole["inertia"]
    load["inert"] = 0.0 if payload.by_weight else 1.0
    digs = np.any(plan.soils["body"] == frame.index)
    load["least"] = -_LIFTED * bare if digs else _LEAST * float(payload.known)
    if bare > _NOTHING * total:
        load["bare_mass"] = bare
        load["bare_centre"] = (total * whole["centre"] - carried_mass * at) / bare
        load["bare_inertia"] -= bare * carried_mass / total * _arms(at - load["bare_centre"])
    return found


def weight_of(plan: Plan, body: int) -> Records:
    """Additional weight of a body as a load: it is zero at first and is spread like the body's own mass."""
    found, described = np.zeros(1, dtype=LOAD), plan.bodies[body]
    load = found[0]
    load["index"], load["at"], load["bare_centre"] = body, described["centre"], described["centre"]
    load["bare_mass"], load["bare_inertia"] = described["mass"], described["inertia"]
    return found


def _arms(d: Array) -> Array:
    """d·d I - d dᵀ as xx, yy, zz, xy, xz, yz."""
    x, y, z = d
    return np.array([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z])


@inner
def load_mass(condition: Condition, load: Records) -> float:
    """Mass that the body carries, or its additional weight, kg."""
    return float(condition.bodies[load.index].mass - load.bare_mass)


@inner
def set_payload(condition: Condition, load: Records, mass: float) -> None:
    """Let the body carry this mass, kg, rounded as in the condition, so that reading returns what was set."""
    body = condition.bodies[load.index]
    total = load.bare_mass + mass
    mass = total - load.bare_mass
    share, both = mass / total, load.bare_mass * mass / total
    body.mass = total
    d = minus(triple(load.at), triple(load.bare_centre))
    for k in range(3):
        body.centre[k] = load.bare_centre[k] + share * d[k]
        body.inertia[k] = load.bare_inertia[k] + both * (dot(d, d) - d[k] * d[k])
    body.inertia[3] = load.bare_inertia[3] - both * d[0] * d[1]
    body.inertia[4] = load.bare_inertia[4] - both * d[0] * d[2]
    body.inertia[5] = load.bare_inertia[5] - both * d[1] * d[2]


@inner
def set_weight(condition: Condition, load: Records, mass: float) -> None:
    """Let the body weigh this much more than described, kg, rounded as in the condition."""
    body = condition.bodies[load.index]
    body.mass = max(load.bare_mass + mass, _LIGHTEST * load.bare_mass)
    for k in range(6):
        body.inertia[k] = load.bare_inertia[k] * (body.mass / load.bare_mass)


@kernel
def carry_payload(condition: Condition, payload: Records, mass: float) -> None:
    """Let a simulated machine carry this mass, kg, at least its smallest payload. payload: a LOAD record."""
    set_payload(condition, payload[0], max(mass, payload[0].least))
