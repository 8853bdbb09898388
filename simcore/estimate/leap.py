"""One step of the covariance over many of the model: for machines with so many states that each step counts.

x' = A x + B b over T by the L-stable rule of two equal stages (Alexander 1977, γ = 1 - 1/√2). With
W = (I - γ T A)⁻¹ its matrices need nothing else (docs/methods/error-state-filter.md):

    F = (1 + √2) W² - √2 W,   Γ = T (γ W + (1 - γ) W²) B,   noise on the rates enters through W²
"""

from __future__ import annotations

from math import sqrt

from simcore.integrate.linear import eliminate, multiply
from simcore.jit import inner, outlined
from simcore.work import Array

LEAP_FROM = 6  # model steps; fewer are taken one by one
_GAMMA = 1.0 - sqrt(0.5)


@inner
def _transition(n: int, free: int, m: int, slope: Array, span: float, system: Array, spare: Array) -> None:
    """[F Γ] in `system` from column n on, and W² in `spare`; slope: A and B side by side."""
    g = _GAMMA * span
    for i in range(free, n):
        for j in range(free, n):
            system[i, j] = -g * slope[i, j]
            system[i, n + j] = 0.0
        for f in range(free):
            system[i, free + f] -= g * g * slope[i, f]
            system[i, n + f] = g * slope[i, f]
        for j in range(n, m):
            system[i, n + j] = slope[i, j]
        system[i, i] += 1.0
        system[i, n + i] = 1.0
    eliminate(system, n - free, m, free)
    for f in range(free):
        for j in range(m):
            system[f, n + j] = g * system[free + f, n + j]
        system[f, n + f] += 1.0
    for i in range(n):  # W² and W² B
        for j in range(m):
            spare[i, j] = 0.0
        for k in range(n):
            w = system[i, n + k]
            if w != 0.0:
                for j in range(m):
                    spare[i, j] += w * system[k, n + j]
    root = sqrt(2.0)
    for i in range(n):
        for j in range(n):
            system[i, n + j] = (1.0 + root) * spare[i, j] - root * system[i, n + j]
        for j in range(n, m):
            system[i, n + j] = span * (_GAMMA * system[i, n + j] + (1.0 - _GAMMA) * spare[i, j])


@inner
def _square(n: int, a: Array, at: int, b: Array, first: int, count: int, turned: Array, out: Array) -> None:
    """out = A Bᵀ on and below the diagonal, of `count` entries from column `at` of A and `first` of B on."""
    for i in range(n):
        for k in range(count):
            turned[k, i] = b[i, first + k]
    for i in range(0, n, 2):
        last = min(i + 2, n)
        multiply(a, at, i, last, turned, count, last, out)


@outlined
def leap(
    n: int,
    free: int,
    m: int,
    slope: Array,
    span: float,
    cov: Array,
    system: Array,
    spare: Array,
    turned: Array,
) -> None:
    """P ← F P Fᵀ + noise over `span` s; n states, m with biases, which stay.

    In column n + m of `system` the densities of the noise on the rates are given.
    """
    for k in range(free, n):
        turned[k, 0] = system[k, n + m]
    _transition(n, free, m, slope, span, system, spare)
    for k in range(free, n):
        size = turned[k, 0] * sqrt(span)
        for i in range(n):
            system[i, n + m + k - free] = spare[i, k] * size
    multiply(system, n, 0, n, cov, m, m, spare)
    _square(n, spare, 0, system, n, m, turned, cov)
    for i in range(n):
        for j in range(n, m):
            cov[i, j] = spare[i, j]
            cov[j, i] = spare[i, j]
    _square(n, system, n + m, system, n + m, n - free, turned, spare)
    for i in range(n):
        for j in range(i + 1):
            cov[i, j] += spare[i, j]
            cov[j, i] = cov[i, j]
