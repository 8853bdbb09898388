"""Factorises and solves small dense systems of linear equations. Each result overwrites its input."""

from __future__ import annotations

from simcore.kernels.jit import inner
from simcore.model.workspace import Array


@inner
def copy(source: Array, target: Array) -> None:
    """target[:] = source, written as a loop because numba's own copy allocates memory."""
    for i in range(len(source)):
        target[i] = source[i]


@inner
def factor(a: Array, n: int) -> None:
    """Factorise the leading n rows in place, without pivoting; the last unknown is eliminated first.

    The unknowns of a step are coordinates, followed by pressures and other scalars. Eliminated from the end,
    each scalar couples to few others, so there is little fill-in. The diagonal contains inverse pivots.
    """
    for k in range(n - 1, -1, -1):
        inverse = 1.0 / a[k, k]
        a[k, k] = inverse
        for i in range(k):
            if a[i, k] != 0.0:
                ratio = a[i, k] * inverse
                a[i, k] = ratio
                for j in range(k):
                    a[i, j] -= ratio * a[k, j]


@inner
def solve(factors: Array, x: Array, n: int) -> None:
    """Solve with the leading n rows of a factorised matrix; the solution replaces the right-hand side x."""
    # column by column: no subtraction waits for the one before
    for j in range(n - 1, 0, -1):
        known = x[j]
        for i in range(j):
            x[i] -= factors[i, j] * known
    for j in range(n):
        x[j] *= factors[j, j]
        known = x[j]
        for i in range(j + 1, n):
            x[i] -= factors[i, j] * known


@inner
def eliminate(a: Array, n: int, columns: int, first: int = 0) -> None:
    """Solve A X = B with partial pivoting: a = [A | B], n rows; B, `columns` wide, becomes X.

    A is overwritten. first: row and column at which A begins (faster than passing a slice).
    """
    last = first + n
    width = last + columns
    for k in range(first, last):
        best = k
        for i in range(k + 1, last):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if best != k:
            for j in range(k, width):
                a[k, j], a[best, j] = a[best, j], a[k, j]
        a[k, k] = 1.0 / a[k, k]
        for i in range(k + 1, last):
            ratio = a[i, k] * a[k, k]
            if ratio != 0.0:
                for j in range(k + 1, width):
                    a[i, j] -= ratio * a[k, j]
    for i in range(last - 1, first - 1, -1):
        for j in range(i + 1, last):
            ratio = a[i, j]
            if ratio != 0.0:
                for c in range(last, width):
                    a[i, c] -= ratio * a[j, c]
        for c in range(last, width):
            a[i, c] *= a[i, i]


@inner
def multiply(
    a: Array, at: int, first: int, last: int, b: Array, count: int, columns: int, out: Array
) -> None:
    """out = A B for the rows `first` to `last` - 1 of A, with `count` entries from column `at` onwards.

    Works on two rows and four columns at a time: eight independent sums stay in registers.
    """
    i = first
    while i < last:
        k = min(i + 1, last - 1)  # an odd last row is done twice
        j = 0
        while j + 4 <= columns:
            s0, s1, s2, s3, t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for c in range(count):
                x, y = a[i, at + c], a[k, at + c]
                b0, b1, b2, b3 = b[c, j], b[c, j + 1], b[c, j + 2], b[c, j + 3]
                s0 += x * b0
                s1 += x * b1
                s2 += x * b2
                s3 += x * b3
                t0 += y * b0
                t1 += y * b1
                t2 += y * b2
                t3 += y * b3
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = s0, s1, s2, s3
            out[k, j], out[k, j + 1], out[k, j + 2], out[k, j + 3] = t0, t1, t2, t3
            j += 4
        while j < columns:
            s0, t0 = 0.0, 0.0
            for c in range(count):
                s0 += a[i, at + c] * b[c, j]
                t0 += a[k, at + c] * b[c, j]
            out[i, j], out[k, j] = s0, t0
            j += 1
        i += 2


@inner
def mirror(a: Array, n: int) -> None:
    """Copy the lower triangle of the leading n rows to the upper triangle."""
    for i in range(n):
        for j in range(i):
            a[j, i] = a[i, j]
