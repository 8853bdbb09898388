"""A load that was picked up or put down at once, some time after the last readings.

It has moved the machine by then: pressures and velocities are off together with the mass. With Γ of the time
T since the last readings (sdirk_transition.py) and the standard deviation j of what may have been picked
up, at a moment that is anywhere within T (docs/methods/error-state-filter.md):

    P ← P + c cᵀ + g gᵀ/3,   c = [g; j],   g = Γ j/2
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simcore.estimate.filter.sdirk_transition import leap
from simcore.kernels.jit import inner, outlined
from simcore.model.plan import Plan
from simcore.model.workspace import Array

_ROUGH = 6.0  # times the usual noise on accelerations while a load settles: the boom bounces


@inner
def roughen(plan: Plan, span: float, cov: Array) -> None:
    """While a load settles motion is no evidence: more noise on the velocities over `span` s."""
    head = plan.head[0]
    rough = _ROUGH * head.noise_a
    for i in range(head.free, 2 * head.free):
        cov[i, i] += rough * rough * span


@inner
def leave_hanging(plan: Plan, jumps: Array, hanging: npt.NDArray[np.int64], slope: Array) -> None:
    """A pendulum swings the same whatever its mass; linearised at a light one, it would seem to fly."""
    n, free = plan.head[0].states, plan.head[0].free
    for k in range(len(jumps)):
        if jumps[k] > 0.0:
            for i in range(len(hanging)):
                slope[free + hanging[i], n + k] = 0.0


@outlined
def allow_for_loads(
    plan: Plan,
    m: int,
    slope: Array,
    span: float,
    jumps: Array,
    hanging: npt.NDArray[np.int64],
    cov: Array,
    system: Array,
    spare: Array,
    turned: Array,
) -> None:
    """The covariance when loads may have changed within the last `span` s; jumps: of the biases."""
    n = plan.head[0].states
    leave_hanging(plan, jumps, hanging, slope)
    leap(n, plan.head[0].free, m, slope, slope, span, system, spare, turned)
    for k in range(m - n):
        j = jumps[k]
        if j > 0.0:
            for a in range(n):
                left = 0.5 * j * system[a, 2 * n + k]
                for b in range(n):
                    cov[a, b] += 4.0 / 3.0 * left * 0.5 * j * system[b, 2 * n + k]
                cov[a, n + k] += left * j
                cov[n + k, a] += left * j
            cov[n + k, n + k] += j * j
