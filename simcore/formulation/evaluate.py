"""Everything about a machine that follows from positions, velocities, pressures and spools."""

from __future__ import annotations

from simcore.friction.law import drag_joints
from simcore.hydraulics.circuit import fill_volumes, flows
from simcore.hydraulics.cylinders import place_cylinders, push_cylinders
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import Plan
from simcore.model.workspace import Array, Work
from simcore.multibody.kinematics import move_bodies, place_bodies
from simcore.multibody.links import move_links, place_links
from simcore.multibody.loops import move_rows, place_rows
from simcore.powertrain.diesel import run_diesels
from simcore.soil.digging import dig


@inner
def place(plan: Plan, z: Array, work: Work) -> None:
    """All that follows from positions alone: coordinates and quaternions."""
    place_bodies(plan.bodies, z, work.bodies)
    place_fixtures(plan, work)


@inner
def place_fixtures(plan: Plan, work: Work) -> None:
    """Loop rows, links and cylinders of placed bodies. What a machine has none of costs no call."""
    if len(plan.rows) > 0:
        place_rows(plan, work)
    if len(plan.links) > 0:
        place_links(plan, work)
    if len(plan.cylinders) > 0:
        place_cylinders(plan, work)


@inner
def move_mechanism(plan: Plan, v: Array, p: Array, work: Work) -> None:
    """What velocities do to bodies, joints, loops, links and soil; p: frictions and fills have states."""
    move_bodies(plan.bodies, v, work.bodies)
    if len(plan.frictions) > len(plan.cylinders):
        drag_joints(plan, v, p, work)
    if len(plan.rows) > 0:
        move_rows(plan, work)
    if len(plan.links) > 0:
        move_links(plan, work)
    if len(plan.soils) > 0:
        fills = p[plan.head[0].scalars - plan.head[0].soils :]
        dig(plan.soils, plan.head[0].gravity, work.bodies, fills, work.soils)


@inner
def move(plan: Plan, v: Array, p: Array, u: Array, work: Work) -> None:
    """All that velocities, pressures and spools add; needs `place` before it."""
    move_mechanism(plan, v, p, work)
    if len(plan.cylinders) > 0:
        push_cylinders(plan, p, work)
    if len(plan.nodes) > 0:
        flows(plan, v, p, u, work)
        fill_volumes(plan, p, work)
    if len(plan.diesels) > 0:
        run_diesels(plan.diesels, v, p[plan.head[0].volumes + plan.head[0].inner :], work.diesels)


@kernel
def evaluate(plan: Plan, state: Array, work: Work) -> None:
    """Place and move the machine as a state says."""
    head = plan.head[0]
    place(plan, state[head.at_z : head.at_v], work)
    move(
        plan,
        state[head.at_v : head.at_v + head.coords],
        state[head.at_p : head.at_p + head.scalars],
        state[head.at_u : head.at_u + head.valves],
        work,
    )
