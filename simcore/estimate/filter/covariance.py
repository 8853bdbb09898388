"""Propagates the covariance of states and biases through a step: P ← F P Fᵀ + G Gᵀ.

The array `system` contains F, followed by G, from column n onwards (prediction.py).
"""

from __future__ import annotations

from simcore.algebra.linear import multiply
from simcore.kernels.jit import inner
from simcore.model.workspace import Array


@inner
def transpose(n: int, followers: int, system: Array, at: int, count: int, transposed: Array) -> None:
    """Transpose `count` columns of `system` from column `at` onwards, without the rows of the followers."""
    for i in range(followers, n):
        for k in range(count):
            transposed[k, i - followers] = system[i, at + k]


@inner
def _multiply_transposed(
    n: int, followers: int, a: Array, at: int, count: int, transposed: Array, out: Array
) -> None:
    """out = A Bᵀ on and below the diagonal, without the rows of the followers; Bᵀ is in `transposed`."""
    for i in range(followers, n, 4):
        last = min(i + 4, n)
        multiply(a, at, i, last, transposed, count, last - followers, out)
    for i in range(followers, n):
        for j in range(i - followers, -1, -1):
            out[i, followers + j] = out[i, j]


@inner
def propagate(
    n: int,
    followers: int,
    d: int,
    m: int,
    dt: float,
    system: Array,
    cov: Array,
    spare: Array,
    transposed: Array,
) -> None:
    """P ← F P Fᵀ, F = [Φ Γ; 0 I] with [Φ Γ] in `system` from column n onwards; biases do not change.

    d: states and biases with a column in F; m: all, with errors of sensors, which have none.
    followers: number of leading positions, which need no rows of F because they follow from their velocities,
    x₊ = x + dt/2 (v + v₊). The remaining rows of F are also in `transposed`, as columns.
    """
    half = 0.5 * dt
    multiply(system, n, followers, n, cov, d, m, spare)
    for f in range(followers):
        for j in range(m):
            spare[f, j] = cov[f, j] + half * (cov[followers + f, j] + spare[followers + f, j])
    _multiply_transposed(n, followers, spare, 0, d, transposed, cov)
    for i in range(followers, n):
        for j in range(followers, i):
            cov[j, i] = cov[i, j]
    for i in range(n - 1, -1, -1):
        for f in range(min(i + 1, followers)):
            cov[i, f] = spare[i, f] + half * (spare[i, followers + f] + cov[i, followers + f])
            cov[f, i] = cov[i, f]
        for j in range(n, m):
            cov[i, j] = spare[i, j]
            cov[j, i] = spare[i, j]


@inner
def propagate_columns(
    n: int, followers: int, m: int, dt: float, system: Array, at: int, columns: Array, spare: Array
) -> None:
    """c ← F c for the columns from `at` onwards; F and followers as in `propagate`."""
    count = columns.shape[1]
    for i in range(followers, n if count > at else 0):
        for v in range(at, count):
            spare[i, v] = 0.0
        for k in range(m):
            share = system[i, n + k]
            if share != 0.0:
                for v in range(at, count):
                    spare[i, v] += share * columns[k, v]
    for f in range(followers if count > at else 0):
        for v in range(at, count):
            columns[f, v] += 0.5 * dt * (columns[followers + f, v] + spare[followers + f, v])
    for i in range(followers, n if count > at else 0):
        for v in range(at, count):
            columns[i, v] = spare[i, v]


@inner
def gather_noise(
    n: int, followers: int, d: int, kicks: int, dt: float, system: Array, transposed: Array
) -> None:
    """Q = G Gᵀ on and below the diagonal, stored in columns of `system` that are no longer needed.

    G has `kicks` columns in `system` after F; followers get half a step times the noise of their velocities.
    """
    half = 0.5 * dt
    transpose(n, followers, system, n + d, kicks, transposed)
    _multiply_transposed(n, followers, system, n + d, kicks, transposed, system)
    for f in range(followers):
        for i in range(followers, n):
            v = followers + f
            system[i, f] = half * (system[i, v] if v <= i else system[v, i])
        for g in range(f + 1):
            system[f, g] = half * system[followers + f, g]
