"""Computes the rates of a machine without loops, where every coordinate is free."""

from __future__ import annotations

from simcore.formulation.evaluate import evaluate
from simcore.hydraulics.circuit import load_shafts
from simcore.hydraulics.cylinders import scalar_rate
from simcore.kernels.jit import inner
from simcore.model.plan import Plan
from simcore.model.workspace import JOINT_FORCE, Array, Workspace
from simcore.multibody.articulated import accelerate_tree


@inner
def tree_rates(plan: Plan, state: Array, ws: Workspace) -> None:
    """Accelerations and rates of pressures and friction states at the present positions and velocities."""
    head = plan.head[0]
    force = ws.vector[JOINT_FORCE]
    evaluate(plan, state, ws)
    for j in range(head.coords):
        force[j] = 0.0
        for k in range(head.cylinders):
            force[j] += ws.cylinders[k].push * ws.jac[k, j]
    load_shafts(plan, ws, force, -1.0)
    accelerate_tree(plan, force, ws, state[head.at_a : head.at_a + head.coords])
    for k in range(head.scalars):
        state[head.at_dp + k] = scalar_rate(plan, ws, k)
