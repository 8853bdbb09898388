"""Computes the transition of the covariance over many model steps at once, for machines with many states.

Integrates x' = A x + B b over T with the L-stable two-stage rule of Alexander 1977, γ = 1 - 1/√2. Its
matrices follow from W = (I - γ T A)⁻¹ alone (docs/methods/error-state-filter.md):

    F = (1 + √2) W² - √2 W,   Γ = T (γ W + (1 - γ) W²) B,   noise on the rates enters through W²
"""

from __future__ import annotations

from math import sqrt

from simcore.algebra.linear import eliminate, multiply
from simcore.estimate.filter_arrays import FilterScratch
from simcore.kernels.jit import outlined
from simcore.model.workspace import Array

LONG_STEP_FROM = 5.5e-3  # s; over less time the covariance is propagated step by step
_GAMMA = 1.0 - sqrt(0.5)
# Share of the noise that nothing has damped yet: over T, noise on a mode of rate -λ leaves (1 - e^-2λT)/2λ,
# and W² alone forgets the part that is faster than T; 0.1 is right at λT = 5 and too much beyond.
UNDAMPED = 0.1


@outlined
def long_step_transition(
    n: int,
    free: int,
    m: int,
    before: Array,
    after: Array,
    span: float,
    input_rates: Array,
    scratch: FilterScratch,
) -> None:
    """[F Γ] over `span` s in `system` from column n onwards, then a column for unit noise on each rate.

    n: number of states, m: with biases. before, after: Jacobians [A B] at both ends; their mean is used.
    input_rates: rates that unknown openings add, a row each; they act like biases, because an opening lasts
    far longer than `span`. Their columns are the last.
    """
    system, spare, transposed = scratch.system, scratch.spare, scratch.transposed
    g = _GAMMA * span
    for i in range(free, n):
        for j in range(free, n):
            system[i, j] = -0.5 * g * (before[i, j] + after[i, j])
            system[i, n + j] = 0.0
        for f in range(free):
            push = 0.5 * g * (before[i, f] + after[i, f])
            system[i, free + f] -= g * push
            system[i, n + f] = push
        for j in range(n, m):
            system[i, n + j] = 0.5 * (before[i, j] + after[i, j])
        system[i, i] += 1.0
        system[i, n + i] = 1.0
    eliminate(system, n - free, m, free)
    for f in range(free):
        for j in range(m):
            system[f, n + j] = g * system[free + f, n + j]
        system[f, n + f] += 1.0
    for i in range(n):
        for j in range(m):
            transposed[i, j] = system[i, n + j]
    multiply(system, n, 0, n, transposed, n, m, spare)  # W² and W² B
    for v in range(len(input_rates)):
        for i in range(n):
            once, twice = 0.0, 0.0
            for k in range(free, n):
                once += system[i, n + k] * input_rates[v, k]
                twice += spare[i, k] * input_rates[v, k]
            system[i, m + 2 * n - free + v] = span * (_GAMMA * once + (1.0 - _GAMMA) * twice)
    root = sqrt(2.0)
    for i in range(n):
        for j in range(n):
            system[i, n + j] = (1.0 + root) * spare[i, j] - root * system[i, n + j]
        for j in range(n, m):
            system[i, n + j] = span * (_GAMMA * system[i, n + j] + (1.0 - _GAMMA) * spare[i, j])
        for k in range(free, n):
            system[i, m + n + k - free] = spare[i, k] * sqrt((1.0 - UNDAMPED) * span)
