"""Allows for what a load does to a machine while it settles: the boom bounces, and a hanging load swings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simcore.kernels.jit import inner
from simcore.model.plan import Plan
from simcore.model.workspace import Array

_BOUNCE = 6.0  # times the usual noise on accelerations while a load settles: the boom bounces


@inner
def inflate_velocity_noise(plan: Plan, span: float, cov: Array) -> None:
    """Add velocity noise over `span` s: while a load settles, the motion says little about the load."""
    head = plan.head[0]
    rough = _BOUNCE * head.noise_a
    for i in range(head.free, 2 * head.free):
        cov[i, i] += rough * rough * span


@inner
def drop_pendulum_coupling(
    plan: Plan, load_steps: Array, hanging: npt.NDArray[np.int64], jacobian: Array
) -> None:
    """Remove the effect of a payload's mass on the joints that it hangs from.

    The swing of a pendulum does not depend on its mass; linearised at a light load, the effect is too large.
    """
    n, free = plan.head[0].states, plan.head[0].free
    for k in range(len(load_steps)):
        if load_steps[k] > 0.0:
            for i in range(len(hanging)):
                jacobian[free + hanging[i], n + k] = 0.0
