"""Computes geometry, speed and force of double-acting cylinders."""

from __future__ import annotations

from math import sqrt

from simcore.algebra.vector3 import carried, cross, dot, dot6, minus, store, times
from simcore.friction.law import inner_rate, resist
from simcore.hydraulics.circuit import pressure_rate
from simcore.hydraulics.end_dampers import push_back
from simcore.hydraulics.flow import node_pressure
from simcore.kernels.jit import inner
from simcore.model.plan import Plan
from simcore.model.workspace import Array, Workspace
from simcore.multibody.kinematics import path_row


@inner
def place_cylinders(plan: Plan, ws: Workspace) -> None:
    """Length, chamber lengths, and gradient of the length with respect to the coordinates.

    Chamber A grows as the rod extends: l_A = l_A0 + (s - s_0) and l_B = l - l_A. The published signs are
    wrong (docs/methods/hydraulics.md).
    """
    for k in range(len(plan.cylinders)):
        c, here = plan.cylinders[k], ws.cylinders[k]
        base = carried(ws.bodies[c.a], c.at_a)
        arm = minus(carried(ws.bodies[c.b], c.at_b), base)
        length = sqrt(dot(arm, arm))
        along = times(1.0 / length, arm)
        store(along, here.wrench[:3])
        store(cross(base, along), here.wrench[3:])
        here.length = length
        here.chamber_a = length - c.offset
        here.chamber_b = c.tube - here.chamber_a
        path_row(plan, ws, c.a, c.b, here.wrench, ws.jac[len(plan.rows) + k])


@inner
def push_cylinders(plan: Plan, p: Array, ws: Workspace) -> None:
    """Speed and force: F = p_A A_A - p_B A_B - friction, positive if it extends the rod (Jaiswal 2021, II).

    p: pressures of the volumes, then the states of the frictions.
    """
    for k in range(len(plan.cylinders)):
        c, here = plan.cylinders[k], ws.cylinders[k]
        here.speed = dot6(here.wrench, ws.bodies[c.b].twist) - dot6(here.wrench, ws.bodies[c.a].twist)
        force = (
            node_pressure(plan, ws, p, c.node_a) * c.area_a - node_pressure(plan, ws, p, c.node_b) * c.area_b
        )
        resist(plan, k, here.speed, force, p, ws)
        seal = ws.frictions[k]
        here.push = force - seal.force
        here.damping, here.stiffness, here.gain = seal.damping, 0.0, seal.gain
        here.contact = 0.0
        if c.cushion > 0.0:
            push_back(c, here)


@inner
def scalar_rate(plan: Plan, ws: Workspace, k: int) -> float:
    """Rate of a first-order unknown, per second: pressure in Pa, engine torque in N m, bucket fill in m³."""
    head = plan.head[0]
    if k < head.volumes:
        return pressure_rate(ws, k)
    at = k - head.volumes
    if at < head.inner:
        return inner_rate(plan, ws, at)
    at -= head.inner
    if at < head.diesels:
        return float(ws.diesels[at].rate)
    return float(ws.soils[at - head.diesels].rate)


@inner
def scalar_unit(plan: Plan, k: int) -> float:
    """Size of the solver's unit in SI units: pressures are solved in MPa, torques in kN m."""
    head = plan.head[0]
    if k < head.volumes:
        return 1e6
    return 1e3 if head.volumes + head.inner <= k < head.scalars - head.soils else 1.0


@inner
def scalar_tolerance(plan: Plan, k: int) -> float:
    """Increment of a first-order unknown that counts as small, SI units."""
    head = plan.head[0]
    if k < head.volumes:
        return float(head.tol_p)
    if k < head.volumes + head.inner:
        return float(head.tol_x)
    return float(head.tol_torque if k < head.scalars - head.soils else head.tol_fill)
