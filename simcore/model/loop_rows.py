"""Selects the rows that close the loops of a machine, and the coordinates that the rows leave independent."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from simcore.errors import BadMachine
from simcore.model import plan as p
from simcore.model.elements import Loop, Machine, Rod
from simcore.model.geometry import (
    Array,
    closing,
    coordinates,
    count,
    gap_jacobian,
    gaps,
    row_owners,
    start_angles,
)
from simcore.model.tree import Tree, mass_by_coordinate

_CONSTANT = 1e-9  # a loop row that varies less than this over random poses says nothing
_DEPENDENT = 1e-7  # pivots below this share of the largest belong to redundant equations
_NOWHERE = (0.0, 0.0, 0.0)


def useful_rows(machine: Machine) -> npt.NDArray[np.bool_]:
    """Loop rows that depend on the coordinates; in a plane mechanism three of the five per hinge do not."""
    random = np.random.default_rng(7)
    samples = np.array([gaps(machine, random.uniform(-3, 3, count(machine))) for _ in range(8)])
    return np.asarray(np.ptp(samples, axis=0) > _CONSTANT)


def loop_records(machine: Machine, tree: Tree, kept: npt.NDArray[np.bool_]) -> p.Records:
    """Records of the kept rows."""
    rows = [row for loop in machine.loops for row in _loop(tree, loop)]
    found = np.zeros(int(np.sum(kept)), dtype=p.ROW)
    for record, row in zip(found, [row for row, keep in zip(rows, kept, strict=True) if keep], strict=True):
        for name, value in zip(p.ROW.names or (), row, strict=False):
            record[name] = value
    if len(found):
        found["mass"] = _effective_masses(machine, kept)
    return found


def _effective_masses(machine: Machine, kept: npt.NDArray[np.bool_]) -> Array:
    """Mass that a force along each row accelerates at the start: 1/Σ_j Φ_j²/M_jj.

    Couplings between the joints are left out, because the penalty factor needs only the size. A row that
    no joint moves at the start, in a singular position, has the largest mass of the others.
    """
    z = start_angles(machine)
    jacobian = gap_jacobian(machine, z)[kept]
    masses = np.diag(mass_by_coordinate(machine, z)[0])
    mobility = np.sum(jacobian**2 / np.maximum(masses, np.max(masses) * 1e-12), axis=1)
    return np.asarray(1.0 / np.maximum(mobility, 1e-6 * np.max(mobility)))


def _loop(tree: Tree, loop: Loop) -> list[tuple[Any, ...]]:
    (a, at_a), (b, at_b) = tree.mount(loop.a), tree.mount(loop.b)
    if isinstance(loop, Rod):
        return [(p.ROD, a, b, at_a, at_b, _NOWHERE, _NOWHERE, float(loop.length))]
    directions, pairs = closing(loop)
    on_a, on_b = tree.frames[loop.a.body], tree.frames[loop.b.body]
    points = [(p.POINT, a, b, at_a, at_b, tuple(on_a.direction(d)), _NOWHERE, 0.0) for d in directions]
    tilts = [
        (p.TILT, a, b, at_a, at_b, tuple(on_a.direction(n)), tuple(on_b.direction(h)), 0.0) for n, h in pairs
    ]
    return points + tilts


def independent_coordinates(machine: Machine) -> list[int]:
    """Indices of the coordinates that determine all others."""
    return partition(machine, useful_rows(machine))[0]


def partition(machine: Machine, kept: npt.NDArray[np.bool_]) -> tuple[list[int], int]:
    """Independent coordinates, as named or from elimination with full pivoting, and redundant row count."""
    where, n = coordinates(machine), count(machine)
    pivots: list[int] = []
    if np.any(kept):
        pivots = _pivot_columns(gap_jacobian(machine, start_angles(machine))[kept])
    freedoms = n - len(pivots)
    named = [j for name in machine.independent for j in range(where[name].start, where[name].stop)]
    if machine.independent and freedoms != len(named):
        raise BadMachine(
            f"{machine.name!r} has {n} joint coordinates and {len(pivots)} independent loop equations, so "
            f"{freedoms} independent joint coordinates must be named; "
            f"joints named: {', '.join(machine.independent)}"
        )
    redundant = int(np.sum(kept)) - len(pivots)
    return named or [j for j in range(n) if j not in pivots], redundant


def _pivot_columns(matrix: Array) -> list[int]:
    """Pivot columns of Gaussian elimination with full pivoting; the other coordinates are independent."""
    rest, columns = matrix.copy(), []
    largest = float(np.max(np.abs(rest)))
    for _ in range(min(rest.shape)):
        row, column = np.unravel_index(int(np.argmax(np.abs(rest))), rest.shape)
        pivot = rest[row, column]
        if abs(pivot) <= _DEPENDENT * largest:
            break
        columns.append(int(column))
        rest = rest - np.outer(rest[:, column] / pivot, rest[row])
        rest[row] = 0.0
        rest[:, column] = 0.0
    return columns


def redundant_loops(machine: Machine) -> list[str]:
    """Names of the loops whose equations follow from those of other loops at the start."""
    kept = useful_rows(machine)
    jacobian = gap_jacobian(machine, start_angles(machine))[kept]
    owners = np.array(row_owners(machine))[kept]
    left, sizes, _ = np.linalg.svd(jacobian)
    rank = int(np.sum(sizes > _DEPENDENT * sizes[0]))
    involved = np.abs(left[:, rank:]).max(axis=1) > 1e-6
    return list(dict.fromkeys(str(name) for name in owners[involved]))
