"""Refuses impossible readings, dates and catalogue entries: field, value, what is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date

from simcore.errors import BadHistory


def refuse(field: str, value: object, allowed: str) -> BadHistory:
    return BadHistory(f"{field} = {value}: must be {allowed}")


def not_negative(field: str, value: float, unit: str) -> None:
    if not (math.isfinite(value) and value >= 0.0):
        raise refuse(field, value, f"a finite number of at least 0 {unit}".rstrip())


def positive(field: str, value: float, unit: str) -> None:
    if not (math.isfinite(value) and value > 0.0):
        raise refuse(field, value, f"a finite number above 0 {unit}".rstrip())


def not_before(field: str, day: date, earliest: date, what: str) -> None:
    if day < earliest:
        raise refuse(field, day, f"on or after {earliest}, {what}")


def not_after(field: str, value: float, most: float, what: str) -> None:
    if value > most:
        raise refuse(field, value, f"at most {most:g}, {what}")


def not_empty(field: str, values: Sequence[object], what: str) -> None:
    if not values:
        raise refuse(field, "empty", what)
