"""Small dense linear systems, in place, for matrices of a few rows."""

from __future__ import annotations

from simcore.jit import inner
from simcore.work import Array


@inner
def copy(source: Array, target: Array) -> None:
    """target[:] = source, which numba would guard with an allocation."""
    for i in range(len(source)):
        target[i] = source[i]


@inner
def factor(a: Array, n: int) -> None:
    """LU of the leading n rows without pivoting, in place; any leading block factorises its own."""
    for k in range(n):
        inverse = 1.0 / a[k, k]
        for i in range(k + 1, n):
            if a[i, k] != 0.0:
                ratio = a[i, k] * inverse
                a[i, k] = ratio
                for j in range(k + 1, n):
                    a[i, j] -= ratio * a[k, j]


@inner
def solve(lu: Array, x: Array, n: int) -> None:
    """Solve with the leading n rows of a factorised matrix; x holds the right side, then the solution."""
    # column by column: no subtraction waits for the one before
    for j in range(n):
        known = x[j]
        for i in range(j + 1, n):
            x[i] -= lu[i, j] * known
    for j in range(n - 1, -1, -1):
        x[j] /= lu[j, j]
        known = x[j]
        for i in range(j):
            x[i] -= lu[i, j] * known


@inner
def eliminate(a: Array, n: int, columns: int) -> None:
    """Solve A X = B with partial pivoting: a = [A | B], n rows; B, so many columns, becomes X, A is lost."""
    width = n + columns
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if best != k:
            for j in range(k, width):
                a[k, j], a[best, j] = a[best, j], a[k, j]
        a[k, k] = 1.0 / a[k, k]
        for i in range(k + 1, n):
            ratio = a[i, k] * a[k, k]
            if ratio != 0.0:
                for j in range(k + 1, width):
                    a[i, j] -= ratio * a[k, j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            ratio = a[i, j]
            for c in range(n, width):
                a[i, c] -= ratio * a[j, c]
        for c in range(n, width):
            a[i, c] *= a[i, i]
