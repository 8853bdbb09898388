"""Computes ∂x₊/∂x, the derivative of the state after a step with respect to the state before it.

It follows from the Jacobians at the start and the end of the step (docs/methods/error-state-filter.md).
"""

from __future__ import annotations

from simcore.algebra.linear import eliminate
from simcore.kernels.jit import inner
from simcore.model.workspace import Array


@inner
def assemble_step(
    n: int, free: int, m: int, before: Array, after: Array, blend: float, dt: float, system: Array
) -> None:
    """Equations of a step of the trapezoidal rule, [I - dt/2 A₊ | I + dt/2 A₋ | dt/2 (B₋ + B₊)].

    n: number of states, m: with biases. A and B are the Jacobians of the rates for states and biases, at the
    start (₋) and at the end (₊). Both count because the rule remembers the rates at the start.
    Positions z₊ = z + dt/2 (v + v₊) are substituted, so velocities and pressures remain as unknowns.
    More right-hand sides, of velocities and pressures, may follow.

    blend: 0 for a single step. ½ uses the mean of both Jacobians at both ends, for a step that represents
    several: otherwise a valve that was open only at the start would seem to close abruptly in each of them.
    """
    h = 0.5 * dt
    for i in range(free, n):
        for j in range(free, n):
            change = blend * (before[i, j] - after[i, j])
            system[i, j] = -h * (after[i, j] + change)
            system[i, n + j] = h * (before[i, j] - change)
        for j in range(free):
            change = blend * (before[i, j] - after[i, j])
            geared = h * (after[i, j] + change)
            system[i, free + j] -= h * geared
            system[i, n + j] = geared + h * (before[i, j] - change)
            system[i, n + free + j] += h * geared
        for j in range(n, m):
            system[i, n + j] = h * (before[i, j] + after[i, j])
        system[i, i] += 1.0
        system[i, n + i] += 1.0


@inner
def solve_step(n: int, free: int, columns: int, dt: float, system: Array) -> None:
    """Solve for ∂x₊/∂x, ∂x₊/∂bias and all further right-hand sides, from column n onwards."""
    h = 0.5 * dt
    eliminate(system, n - free, columns, free)
    for f in range(free):
        for j in range(columns):
            system[f, n + j] = h * system[free + f, n + j]
        system[f, n + f] += 1.0
        system[f, n + free + f] += h
