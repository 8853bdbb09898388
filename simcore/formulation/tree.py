"""Rates of a machine without loops, where every coordinate is free."""

from __future__ import annotations

from simcore.formulation.evaluate import evaluate
from simcore.hydraulics.circuit import load_shafts
from simcore.hydraulics.cylinders import scalar_rate
from simcore.kernels.jit import inner
from simcore.model.plan import Plan
from simcore.model.workspace import FORCE, Array, Work
from simcore.multibody.articulated import accelerate_tree


@inner
def tree_rates(plan: Plan, state: Array, work: Work) -> None:
    """Accelerations and rates of pressures and frictions of positions and velocities as they are."""
    head = plan.head[0]
    force = work.vector[FORCE]
    evaluate(plan, state, work)
    for j in range(head.coords):
        force[j] = 0.0
        for k in range(head.cylinders):
            force[j] += work.cylinders[k].push * work.jac[k, j]
    load_shafts(plan, work, force, -1.0)
    accelerate_tree(plan, force, work, state[head.at_a : head.at_a + head.coords])
    for k in range(head.scalars):
        state[head.at_dp + k] = scalar_rate(plan, work, k)
