"""`python -m simcore variants MACHINE`: compares variants of a machine in the same work cycle."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from simcore import registry
from simcore.errors import SimcoreError
from simcore.machines.analyses import Column
from simcore.model.case import Value


def compare_variants(name: str, given: Mapping[str, Value], as_json: bool) -> str:
    """A table with a row per variant, or one JSON object."""
    known = {model.name: model.variants for model in registry.MACHINES if model.variants is not None}
    if name not in known:
        raise SimcoreError(
            f"{name!r} has no variants to compare; machines that have variants: {', '.join(known)}"
        )
    comparison = known[name]
    for parameter in comparison.compared:
        if parameter in given:
            raise SimcoreError(
                f"--set {parameter}={given[parameter]}: must be left out, because "
                f"the comparison varies {parameter}"
            )
    rows = list(comparison.rows(given))
    if as_json:
        return json.dumps({"machine": name, "set": dict(given), "variants": rows})
    return _table(comparison.columns, rows)


def _table(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> str:
    widths = [max(12 if k > 1 else 8, len(column.title) + 1) for k, column in enumerate(columns)]
    lines = [[column.title for column in columns], *([_cell(c, row) for c in columns] for row in rows)]
    return "\n".join(" ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) for line in lines)


def _cell(column: Column, row: Mapping[str, Any]) -> str:
    value = row[column.key]
    return column.form.format(value if isinstance(value, str) else value * column.scale)
