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
def eliminate(a: Array, n: int, columns: int, first: int = 0) -> None:
    """Solve A X = B with partial pivoting: a = [A | B], n rows; B, so many columns, becomes X, A is lost.

    first: row and column where A begins; a slice of the array would be slower to read.
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
def multiply_row(row: Array, a: Array, count: int, columns: int, out: Array) -> None:
    """out = row A, of a row with `count` entries: four columns at a time, whose sums stay in registers."""
    j = 0
    while j + 4 <= columns:
        one, two, three, four = 0.0, 0.0, 0.0, 0.0
        for k in range(count):
            x = row[k]
            one += x * a[k, j]
            two += x * a[k, j + 1]
            three += x * a[k, j + 2]
            four += x * a[k, j + 3]
        out[j], out[j + 1], out[j + 2], out[j + 3] = one, two, three, four
        j += 4
    while j < columns:
        one = 0.0
        for k in range(count):
            one += row[k] * a[k, j]
        out[j] = one
        j += 1


@inner
def multiply_transposed(row: Array, a: Array, count: int, first: int, last: int, out: Array) -> None:
    """out[j] = row · row j of A, `count` entries each, for j from first to before last: four at a time."""
    j = first
    while j + 4 <= last:
        one, two, three, four = 0.0, 0.0, 0.0, 0.0
        for k in range(count):
            x = row[k]
            one += x * a[j, k]
            two += x * a[j + 1, k]
            three += x * a[j + 2, k]
            four += x * a[j + 3, k]
        out[j], out[j + 1], out[j + 2], out[j + 3] = one, two, three, four
        j += 4
    while j < last:
        one = 0.0
        for k in range(count):
            one += row[k] * a[j, k]
        out[j] = one
        j += 1


@inner
def mirror(a: Array, n: int) -> None:
    """Copy what is below the diagonal of the leading n rows above it."""
    for i in range(n):
        for j in range(i):
            a[j, i] = a[i, j]
