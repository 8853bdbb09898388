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
def subtract_row(a: Array, i: int, k: int, ratio: float, first: int, last: int) -> None:
    """a[i] -= ratio a[k] in the columns `first` to `last` - 1, four columns side by side."""
    j = first
    while j + 4 <= last:
        x0, x1 = a[i, j] - ratio * a[k, j], a[i, j + 1] - ratio * a[k, j + 1]
        x2, x3 = a[i, j + 2] - ratio * a[k, j + 2], a[i, j + 3] - ratio * a[k, j + 3]
        a[i, j], a[i, j + 1], a[i, j + 2], a[i, j + 3] = x0, x1, x2, x3
        j += 4
    while j < last:
        a[i, j] -= ratio * a[k, j]
        j += 1


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
                subtract_row(a, i, k, ratio, 0, k)


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
                subtract_row(a, i, k, ratio, k + 1, width)
    for i in range(last - 1, first - 1, -1):
        for j in range(i + 1, last):
            ratio = a[i, j]
            if ratio != 0.0:
                subtract_row(a, i, j, ratio, last, width)
        for c in range(last, width):
            a[i, c] *= a[i, i]


@inner
def multiply(
    a: Array, at: int, first: int, last: int, b: Array, count: int, columns: int, out: Array
) -> None:
    """out = A B for the rows `first` to `last` - 1 of A, with `count` entries from column `at` onwards.

    Works on four rows and four columns at a time: a sum waits for its last addition, so sixteen independent
    sums, which stay in registers, take little longer than eight.
    """
    i = first
    while i < last:
        # rows beyond the last repeat it
        k, m, n = min(i + 1, last - 1), min(i + 2, last - 1), min(i + 3, last - 1)
        j = 0
        while j + 4 <= columns:
            s0, s1, s2, s3, t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            u0, u1, u2, u3, v0, v1, v2, v3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for c in range(count):
                w, x, y, z = a[i, at + c], a[k, at + c], a[m, at + c], a[n, at + c]
                b0, b1, b2, b3 = b[c, j], b[c, j + 1], b[c, j + 2], b[c, j + 3]
                s0 += w * b0
                s1 += w * b1
                s2 += w * b2
                s3 += w * b3
                t0 += x * b0
                t1 += x * b1
                t2 += x * b2
                t3 += x * b3
                u0 += y * b0
                u1 += y * b1
                u2 += y * b2
                u3 += y * b3
                v0 += z * b0
                v1 += z * b1
                v2 += z * b2
                v3 += z * b3
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = s0, s1, s2, s3
            out[k, j], out[k, j + 1], out[k, j + 2], out[k, j + 3] = t0, t1, t2, t3
            out[m, j], out[m, j + 1], out[m, j + 2], out[m, j + 3] = u0, u1, u2, u3
            out[n, j], out[n, j + 1], out[n, j + 2], out[n, j + 3] = v0, v1, v2, v3
            j += 4
        while j < columns:
            s0, t0, u0, v0 = 0.0, 0.0, 0.0, 0.0
            for c in range(count):
                x = b[c, j]
                s0 += a[i, at + c] * x
                t0 += a[k, at + c] * x
                u0 += a[m, at + c] * x
                v0 += a[n, at + c] * x
            out[i, j], out[k, j], out[m, j], out[n, j] = s0, t0, u0, v0
            j += 1
        i += 4


@inner
def mirror(a: Array, n: int) -> None:
    """Copy the lower triangle of the leading n rows to the upper triangle."""
    for i in range(n):
        for j in range(i):
            a[j, i] = a[i, j]
