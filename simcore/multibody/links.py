"""Computes the forces and torques of springs, dampers and other links (docs/methods/forces.md)."""

from __future__ import annotations

from math import sqrt

from simcore.algebra.vector3 import (
    carried,
    cross,
    dot,
    dot6,
    minus,
    rotated,
    store,
    times,
)
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import PUSH, SPRING, Plan
from simcore.model.workspace import Workspace


@outlined
def place_links(plan: Plan, ws: Workspace) -> None:
    """Wrench on body b: for a spring per unit of force, for a force or torque the wrench itself."""
    for k in range(len(plan.links)):
        link, here = plan.links[k], ws.links[k]
        b = ws.bodies[link.b]
        if link.kind == SPRING:
            at = carried(ws.bodies[link.a], link.at_a)
            arm = minus(carried(b, link.at_b), at)
            here.length = sqrt(dot(arm, arm))
            along = times(1.0 / here.length, arm)
            store(along, here.wrench[:3])
            store(cross(at, along), here.wrench[3:])
            continue
        vector = rotated(ws.bodies[link.follows].rotation, link.vector)
        if link.kind == PUSH:
            store(vector, here.wrench[:3])
            store(cross(carried(b, link.at_b), vector), here.wrench[3:])
        else:
            store((0.0, 0.0, 0.0), here.wrench[:3])
            store(vector, here.wrench[3:])


@outlined
def move_links(plan: Plan, ws: Workspace) -> None:
    """Force of each link: tension of springs and dampers; forces and torques are constant."""
    for k in range(len(plan.links)):
        link, here = plan.links[k], ws.links[k]
        here.speed = dot6(here.wrench, ws.bodies[link.b].twist) - dot6(here.wrench, ws.bodies[link.a].twist)
        here.push = 1.0
        if link.kind == SPRING:
            here.push = -link.stiffness * (here.length - link.length) - link.damping * here.speed


@inner
def apply_links(plan: Plan, ws: Workspace) -> None:
    """Subtract the links' wrenches from the wrenches that the bodies need."""
    for k in range(len(plan.links)):
        link, here = plan.links[k], ws.links[k]
        for i in range(6):
            wrench = here.push * here.wrench[i]
            ws.bodies[link.b].wrench[i] -= wrench
            ws.bodies[link.a].wrench[i] += wrench


@inner
def spring_energy(plan: Plan, ws: Workspace) -> float:
    """Energy of the springs between points, J."""
    energy = 0.0
    for k in range(len(plan.links)):
        if plan.links[k].kind == SPRING:
            stretch = ws.links[k].length - plan.links[k].length
            energy += 0.5 * plan.links[k].stiffness * stretch * stretch
    return energy
