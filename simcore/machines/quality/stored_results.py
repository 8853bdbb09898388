"""Reads and writes the quality results in the repository: one file per machine model.

Each file states the version of the model that was measured.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simcore.machines.as_json import to_json
from simcore.machines.quality.scale import Check, check_from_json, level
from simcore.model.case import Case

FOLDER = Path(__file__).parent / "results"  # written by simcore.cli, read by the platform
_DIGITS = 6  # of a number in the hash: other computers round the last ones differently
_NOTHING = 1e-9  # rounding error of a derived number that is zero


@dataclass(frozen=True)
class StoredResult:
    """The quality of one machine model, measured on one day."""

    machine: str
    version: str
    date: str
    compared: str  # with what outside of this project
    checks: tuple[Check, ...]

    @property
    def level(self) -> str:
        return level(self.checks)

    def to_json(self) -> dict[str, Any]:
        return {
            "machine": self.machine,
            "version": self.version,
            "date": self.date,
            "level": self.level,
            "compared": self.compared,
            "checks": [check.to_json() for check in self.checks],
        }


def version(case: Case) -> str:
    """Hash of the standard machine and its parameters: numbers, units, provenance, structure; no notes."""
    described = [
        _rounded(to_json(case.build())),
        [
            [p.name, _number(p.value), p.unit, p.origin, _number(p.low), _number(p.high), list(p.choices)]
            for p in case.parameters
        ],
    ]
    text = json.dumps(described, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _rounded(data: Any, derived: bool = False) -> Any:
    if isinstance(data, dict):
        inner = data.get("origin") == "derived"
        return {name: _rounded(each, inner) for name, each in data.items() if name != "note"}
    if isinstance(data, list):
        return [_rounded(each, derived) for each in data]
    if derived and isinstance(data, float) and abs(data) < _NOTHING:
        return 0.0
    return _number(data)


def _number(value: Any) -> Any:
    if not isinstance(value, float) or value == 0.0:
        return value
    return str(value) if not math.isfinite(value) else f"{value:.{_DIGITS}g}"


def from_json(data: Mapping[str, Any]) -> StoredResult:
    """The result that `to_json` wrote."""
    checks = tuple(check_from_json(check) for check in data["checks"])
    return StoredResult(data["machine"], data["version"], data["date"], data["compared"], checks)
