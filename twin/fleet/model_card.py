"""Makes the model card of a machine: its parameters with their sources, and its model's measured quality."""

import json
from functools import lru_cache
from typing import Any

from simcore import registry
from simcore.machines.quality.scale import QUESTIONS, asked_text, figure_text, rule
from simcore.machines.quality.stored_results import FOLDER, StoredResult, from_json, version
from simcore.machines.variant import parameter_table
from twin.fleet.catalogue import kind


def model_card(model: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the card of a model with these parameters; `quality` is None if it has not been measured."""
    case = registry.get(model)
    return {
        "model": model,
        "kind": kind(model),
        "sentence": case.sentence,
        "version": _version(model),
        "parameters": parameter_table(case.parameters, parameters),
        "quality": _quality(model),
    }


@lru_cache(maxsize=64)
def _version(model: str) -> str:
    return version(registry.get(model))


@lru_cache(maxsize=64)
def _stored(model: str) -> StoredResult | None:
    try:
        return from_json(json.loads((FOLDER / f"{model}.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def _quality(model: str) -> dict[str, Any] | None:
    stored = _stored(model)
    if stored is None:
        return None
    checks = [
        check.to_json()
        | {
            "question": QUESTIONS[check.name],
            "figure": figure_text(check),
            "asked": asked_text(check),
        }
        for check in stored.checks
    ]
    return stored.to_json() | {
        "rule": rule(stored.level),
        "up_to_date": stored.version == _version(model),
        "checks": checks,
    }
