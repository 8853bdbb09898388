"""Allows for a load that was suddenly picked up or put down since the last readings.

The load has already moved the machine by then, so the pressures and velocities are wrong as well as the mass.
Γ is the effect of a constant load over the time T since the last readings (sdirk_transition.py); j is the
standard deviation of the load change, which may have happened at any moment within T
(docs/methods/error-state-filter.md):

    P ← P + c cᵀ + g gᵀ/3,   c = [g; j],   g = Γ j/2
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simcore.estimate.filter_arrays import FilterScratch
from simcore.estimate.linearise.sdirk_transition import long_step_transition
from simcore.kernels.jit import inner, outlined
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


@outlined
def allow_for_load_step(
    plan: Plan,
    jacobian: Array,
    span: float,
    load_steps: Array,
    hanging: npt.NDArray[np.int64],
    cov: Array,
    scratch: FilterScratch,
) -> None:
    """Increase the covariance for a load change within the last `span` s. load_steps: j of each bias."""
    n, m, system = plan.head[0].states, len(cov), scratch.system
    drop_pendulum_coupling(plan, load_steps, hanging, jacobian)
    long_step_transition(n, plan.head[0].free, m, jacobian, jacobian, span, scratch.input_rates[:0], scratch)
    for k in range(m - n):
        j = load_steps[k]
        if j > 0.0:
            for a in range(n):
                left = 0.5 * j * system[a, 2 * n + k]
                for b in range(n):
                    cov[a, b] += 4.0 / 3.0 * left * 0.5 * j * system[b, 2 * n + k]
                cov[a, n + k] += left * j
                cov[n + k, a] += left * j
            cov[n + k, n + k] += j * j
