"""`python -m simcore variants excavator`: buckets and dipper cylinders at the same work."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from simcore.errors import SimcoreError
from simcore.model.case import Value

_COLUMNS = (
    ("bucket", "bucket", "{}", 1.0),
    ("dipper_cylinder", "dipper", "{}", 1.0),
    ("cycle_s", "cycle s", "{:.2f}", 1.0),
    ("dig_s", "dig s", "{:.2f}", 1.0),
    ("fuel_g", "fuel g", "{:.1f}", 1.0),
    ("load_kg", "load kg", "{:.0f}", 1.0),
    ("tonnes_per_hour", "t/h", "{:.0f}", 1.0),
    ("grams_per_tonne", "g/t", "{:.1f}", 1.0),
    ("dipper_force_N", "breakout kN", "{:.0f}", 1e-3),
    ("dipper_speed", "dipper rad/s", "{:.2f}", 1.0),
    ("pump_p_max_Pa", "pump MPa", "{:.1f}", 1e-6),
)


def told(machine: str, given: Mapping[str, Value], as_json: bool) -> str:
    """A table with a row per variant, or one JSON object."""
    if machine != "excavator":
        raise SimcoreError(f"{machine!r} has no variants to compare; known: excavator")
    from simcore.machines.excavator.comparison import variants

    for name in ("bucket", "dipper_cylinder"):
        if name in given:
            raise SimcoreError(f"--set {name}: it is what is compared")
    rows = list(variants(given))
    if as_json:
        return json.dumps({"machine": machine, "set": dict(given), "variants": rows})
    widths = [max(12 if k > 1 else 8, len(title) + 1) for k, (_, title, *_) in enumerate(_COLUMNS)]
    lines = [" ".join(title.rjust(w) for (_, title, *_), w in zip(_COLUMNS, widths, strict=True))]
    lines += [" ".join(cell.rjust(w) for cell, w in zip(_cells(row), widths, strict=True)) for row in rows]
    return "\n".join(lines)


def _cells(row: Mapping[str, Any]) -> list[str]:
    return [
        shape.format(row[key] if isinstance(row[key], str) else row[key] * unit)
        for key, _, shape, unit in _COLUMNS
    ]
