"""Variant: a machine model with a validated set of parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simcore.machines.model import MachineModel
from simcore.model.case import Parameter, Value
from simcore.model.elements import Machine
from simcore.model.quantity import SOURCES

SET_HERE = "set for this machine"  # origin of a value that a user has given


@dataclass(frozen=True)
class Variant:
    """A machine model with the values that differ from its defaults. Refuses values that cannot be built."""

    model: MachineModel
    values: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.machine()

    def machine(self) -> Machine:
        return self.model.build(**self.values)

    def to_json(self) -> dict[str, Any]:
        """The variant as JSON: model and values, enough to build it again."""
        return {"machine": self.model.name, "parameters": dict(self.values)}


def parameter_table(parameters: tuple[Parameter, ...], values: Mapping[str, Value]) -> list[dict[str, Any]]:
    """Every parameter as a row for a page: value, unit, range, default, group and provenance."""
    return [
        {
            "name": p.name,
            "label": p.label or p.name.replace("_", " "),
            "group": p.group or "Other",
            "value": values.get(p.name, p.value),
            "default": p.value,
            "unit": p.unit,
            "low": p.low if math.isfinite(p.low) else None,
            "high": p.high if math.isfinite(p.high) else None,
            "choices": list(p.choices),
            "origin": SOURCES[p.origin] if p.name not in values else SET_HERE,
            "note": p.note,
        }
        for p in parameters
    ]
