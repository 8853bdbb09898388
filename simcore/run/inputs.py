"""Converts the inputs of a run to a table of commands by time step, before the run starts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from simcore.errors import BadChannel
from simcore.model.workspace import Array

# a constant; a function of time, s; or times and the values that hold from each on
Input = float | Callable[[float], float] | tuple[npt.ArrayLike, npt.ArrayLike]

_ON_TIME = 1e-6  # of a step; rounding of a time that falls on a step


def schedule_inputs(
    inputs: Mapping[str, Input], held: Mapping[str, float], begin: int, steps: int, dt: float
) -> Array:
    """A row per change: its step, counted from `begin`, then the value of every channel in `held`.

    held: all commands in order, with their values before the run. A value in a table applies from the first
    step that begins at or after its time. A function is evaluated at the middle of each step, where a
    constant value is accurate to second order.
    """
    changes = {name: _changes(name, given, begin, steps, dt) for name, given in inputs.items()}
    rows = np.unique(np.concatenate([at for at, _ in changes.values()] or [np.zeros(0)]))
    table = np.empty((len(rows), 1 + len(held)))
    table[:, 0] = rows
    for column, (name, before) in enumerate(held.items(), start=1):
        at, values = changes.get(name, (np.zeros(0), np.zeros(0)))
        table[:, column] = np.concatenate([[before], values])[np.searchsorted(at, rows, side="right")]
    return table


def _changes(name: str, given: Input, begin: int, steps: int, dt: float) -> tuple[Array, Array]:
    """Steps at which an input changes, counted from `begin`, in rising order, and its values from then on."""
    if callable(given):
        values = np.array([_number(name, given((begin + i + 0.5) * dt)) for i in range(steps)])
        new = np.flatnonzero(np.diff(values, prepend=np.nan) != 0.0)
        return new.astype(float), values[new]
    if not isinstance(given, tuple):
        return np.zeros(1), np.array([_number(name, given)])
    t, values = _table(name, given)
    at = np.maximum(np.ceil(t / dt - _ON_TIME) - begin, 0.0)
    last = np.append(at[1:] != at[:-1], True)  # of the values that begin at the same step
    return at[last], values[last]


def _table(name: str, given: tuple[npt.ArrayLike, npt.ArrayLike]) -> tuple[Array, Array]:
    try:
        t, values = (np.asarray(column, dtype=float) for column in given)
    except (TypeError, ValueError):
        raise BadChannel(
            f"input {name!r}: a table must be a pair of two lists of numbers: times and values"
        ) from None
    if t.ndim != 1 or t.shape != values.shape or not len(t):
        raise BadChannel(
            f"input {name!r}: {t.size} times, {values.size} values: "
            "must be two lists of equal length, not empty"
        )
    if not (np.all(np.isfinite(t)) and np.all(np.isfinite(values))):
        raise BadChannel(f"input {name!r}: every time and value must be a finite number")
    if not np.all(np.diff(t) > 0):
        raise BadChannel(f"input {name!r}: each time must be later than the one before")
    return t, values


def _number(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise BadChannel(f"input {name!r}: {value!r} is not a finite number")
    return number
