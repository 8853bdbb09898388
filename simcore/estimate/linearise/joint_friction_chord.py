"""Linearises joint friction near rest with a chord over a standard deviation of the speed.

Friction is steep near rest. With its tangent at rest, the filter would be certain within milliseconds that
the joint has stopped, although it may be sliding (docs/methods/error-state-filter.md).
"""

from __future__ import annotations

from math import sqrt

from simcore.friction.brown_mcphee import brown_mcphee
from simcore.kernels.jit import kernel
from simcore.model.plan import BROWN_MCPHEE, Plan
from simcore.model.workspace import MOBILITY, Array, Workspace


@kernel
def chord_friction(plan: Plan, v: Array, cov: Array, jacobian: Array, ws: Workspace) -> None:
    """Damping of free joints: slope of the friction chord over one standard deviation on either side."""
    head = plan.head[0]
    free = head.free
    for k in range(head.cylinders, len(plan.frictions)):
        law = plan.frictions[k]
        j, f = law.coord, plan.bodies[law.coord + 1].free
        sigma = sqrt(max(cov[free + f, free + f], 0.0)) if f >= 0 else 0.0
        if law.law != BROWN_MCPHEE or sigma == 0.0:
            continue
        above, _ = brown_mcphee(v[j] + sigma, law.coulomb, law.static, law.stribeck, law.viscous)
        below, _ = brown_mcphee(v[j] - sigma, law.coulomb, law.static, law.stribeck, law.viscous)
        _, tangent = brown_mcphee(v[j], law.coulomb, law.static, law.stribeck, law.viscous)
        more = (above - below) / (2.0 * sigma) - tangent
        for i in range(free):
            jacobian[free + i, free + f] -= more * ws.matrix[MOBILITY, i, free + j]
