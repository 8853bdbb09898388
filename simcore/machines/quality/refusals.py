"""Checks that a wrong value or a cylinder that is too short is refused and the error names the parameter."""

from __future__ import annotations

import math
from collections.abc import Iterator

from simcore.errors import BadMachine, BadParameter
from simcore.machines.model import MachineModel
from simcore.model.case import Case, Parameter, Value


def refused(case: Case, cylinders: bool = True) -> tuple[int, list[str]]:
    """Number of wrong values tried, and those that were accepted, or refused without a name and a range.

    cylinders: also try cylinders that are too short; finding their allowed range takes seconds.
    """
    tried, missed = 0, []
    for name, value in _wrong_values(case, cylinders):
        tried += 1
        try:
            case.build(**{name: value})
        except (BadParameter, BadMachine) as error:
            if name in str(error) and "must be" in str(error):
                continue
        missed.append(f"{name} = {value}")
    return tried, missed


def _wrong_values(case: Case, cylinders: bool) -> Iterator[tuple[str, Value]]:
    for p in case.parameters:
        if p.choices:
            yield p.name, "no such choice"
            continue
        if math.isfinite(p.low):
            yield p.name, p.low - _beyond(p)
        if math.isfinite(p.high):
            yield p.name, p.high + _beyond(p)
        if cylinders and isinstance(case, MachineModel) and p.name.endswith("_stroke"):
            yield p.name, p.low  # within its range, but the machine cannot reach its poses


def _beyond(p: Parameter) -> float:
    return max(abs(p.low), abs(p.high), 1e-9) * 1e-3
