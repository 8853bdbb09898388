"""Refuses impossible values of wear models with the part, the field, the value and what is allowed."""

from __future__ import annotations

import math

from simcore.errors import BadMachine


def positive(part: str, field: str, value: float) -> float:
    """A finite number above zero."""
    if not (math.isfinite(value) and value > 0.0):
        raise BadMachine(f"{part}: {field} = {value:g}: must be above zero")
    return value


def between(part: str, field: str, value: float, low: float, high: float) -> float:
    """A number within a closed range."""
    if not low <= value <= high:
        raise BadMachine(f"{part}: {field} = {value:g}: must be between {low:g} and {high:g}")
    return value
