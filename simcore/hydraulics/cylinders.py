"""Double-acting cylinders: geometry, speed and push."""

from __future__ import annotations

from math import sqrt

from simcore.friction.brown_mcphee import brown_mcphee
from simcore.jit import kernel
from simcore.model.plan import Plan
from simcore.multibody.kinematics import path_row
from simcore.multibody.triples import carried, cross, dot, dot6, minus, store, times
from simcore.work import Array, Work


@kernel
def place_cylinders(plan: Plan, work: Work) -> None:
    """Length, chamber lengths and gradient of the length over the coordinates.

    Chamber A grows while the rod extends: l_A = l_A0 + (s - s_0) and l_B = l - l_A; the printed signs are
    the wrong way round (docs/methods/hydraulics.md).
    """
    for k in range(len(plan.cylinders)):
        c, here = plan.cylinders[k], work.cylinders[k]
        base = carried(work.bodies[c.a], c.at_a)
        arm = minus(carried(work.bodies[c.b], c.at_b), base)
        length = sqrt(dot(arm, arm))
        along = times(1.0 / length, arm)
        store(along, here.wrench[:3])
        store(cross(base, along), here.wrench[3:])
        here.length = length
        here.chamber_a = length - c.offset
        here.chamber_b = c.tube - here.chamber_a
        path_row(plan, work, c.a, c.b, here.wrench, work.jac[len(plan.rows) + k])


@kernel
def push_cylinders(plan: Plan, p: Array, work: Work) -> None:
    """Speed and push: F = p_A A_A - p_B A_B - friction, positive when it extends (Jaiswal 2021, II)."""
    for k in range(len(plan.cylinders)):
        c, here = plan.cylinders[k], work.cylinders[k]
        here.speed = dot6(here.wrench, work.bodies[c.b].twist) - dot6(here.wrench, work.bodies[c.a].twist)
        friction, here.damping = brown_mcphee(here.speed, c.coulomb, c.static, c.stribeck, c.viscous)
        here.push = p[c.node_a] * c.area_a - p[c.node_b] * c.area_b - friction
