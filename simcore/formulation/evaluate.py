"""Evaluates everything that follows from positions, velocities, pressures and spools of a machine."""

from __future__ import annotations

from simcore.friction.law import drag_joints
from simcore.hydraulics.circuit import fill_volumes, flows
from simcore.hydraulics.cylinders import place_cylinders, push_cylinders
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import Plan
from simcore.model.workspace import Array, Workspace
from simcore.multibody.kinematics import move_bodies, place_bodies
from simcore.multibody.links import move_links, place_links
from simcore.multibody.loops import move_rows, place_rows
from simcore.powertrain.diesel import run_diesels
from simcore.soil.digging import dig


@inner
def place(plan: Plan, z: Array, ws: Workspace) -> None:
    """Evaluate everything that follows from positions (coordinates and quaternions) alone."""
    place_bodies(plan.bodies, ws.condition.bodies, z, ws.bodies)
    place_fixtures(plan, ws)


@inner
def place_fixtures(plan: Plan, ws: Workspace) -> None:
    """Evaluate loop rows, links and cylinders of placed bodies; kinds that the machine lacks are skipped."""
    if len(plan.rows) > 0:
        place_rows(plan, ws)
    if len(plan.links) > 0:
        place_links(plan, ws)
    if len(plan.cylinders) > 0:
        place_cylinders(plan, ws)


@inner
def move_mechanism(plan: Plan, v: Array, p: Array, ws: Workspace) -> None:
    """Evaluate the effect of velocities on bodies, loops, links and soil. p: friction states and fills."""
    move_bodies(plan.bodies, v, ws.bodies)
    if len(plan.frictions) > len(plan.cylinders):
        drag_joints(plan, v, p, ws)
    if len(plan.rows) > 0:
        move_rows(plan, ws)
    if len(plan.links) > 0:
        move_links(plan, ws)
    if len(plan.soils) > 0:
        fills = p[plan.head[0].scalars - plan.head[0].soils :]
        dig(plan.soils, plan.head[0].gravity, ws.bodies, fills, ws.soils)


@inner
def move(plan: Plan, v: Array, p: Array, u: Array, ws: Workspace) -> None:
    """Evaluate everything that depends on velocities, pressures and spools; call `place` first."""
    move_mechanism(plan, v, p, ws)
    if len(plan.cylinders) > 0:
        push_cylinders(plan, p, ws)
    if len(plan.nodes) > 0:
        flows(plan, v, p, u, ws)
        fill_volumes(plan, p, ws)
    if len(plan.diesels) > 0:
        torques = p[plan.head[0].volumes + plan.head[0].inner :]
        run_diesels(plan.diesels, ws.condition.whole[0].governor, v, torques, ws.diesels)


@kernel
def evaluate(plan: Plan, state: Array, ws: Workspace) -> None:
    """Evaluate the machine at a state: `place`, then `move`."""
    head = plan.head[0]
    place(plan, state[head.at_z : head.at_v], ws)
    move(
        plan,
        state[head.at_v : head.at_v + head.coords],
        state[head.at_p : head.at_p + head.scalars],
        state[head.at_u : head.at_u + head.valves],
        ws,
    )
