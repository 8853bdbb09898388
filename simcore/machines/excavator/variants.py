"""Defines the comparison of the excavator's variants: what varies, and the columns of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simcore.machines.analyses import Column, VariantComparison
from simcore.model.case import Value


def _rows(given: Mapping[str, Value]) -> Iterator[dict[str, Any]]:
    from simcore.machines.excavator.comparison import variants  # loads the engine

    return variants(given)


VARIANTS = VariantComparison(
    compared=("bucket", "dipper_cylinder"),
    rows=_rows,
    columns=(
        Column("bucket", "bucket"),
        Column("dipper_cylinder", "dipper"),
        Column("cycle_s", "cycle s", "{:.2f}"),
        Column("dig_s", "dig s", "{:.2f}"),
        Column("fuel_g", "fuel g", "{:.1f}"),
        Column("load_kg", "load kg", "{:.0f}"),
        Column("tonnes_per_hour", "t/h", "{:.0f}"),
        Column("grams_per_tonne", "g/t", "{:.1f}"),
        Column("dipper_force_N", "breakout kN", "{:.0f}", 1e-3),
        Column("dipper_speed", "dipper rad/s", "{:.2f}"),
        Column("pump_p_max_Pa", "pump MPa", "{:.1f}", 1e-6),
    ),
)
