"""Machine models by name, from simcore's descriptions (no numerics are imported)."""

import json
from functools import lru_cache
from typing import Any

from simcore import registry
from simcore.model import Machine as Description
from simcore.model.virtual import with_virtual_sensors


def build(model: str, parameters: dict[str, Any]) -> Description:
    """A machine with its virtual sensors; ValueError says which model or parameter is wrong."""
    return _build(model, json.dumps(parameters, sort_keys=True))


def kind(model: str) -> str:
    """What people call such a machine."""
    case = registry.get(model)
    return case.kind or case.name


@lru_cache(maxsize=256)
def _build(model: str, parameters: str) -> Description:
    return with_virtual_sensors(registry.get(model).build(**json.loads(parameters)))
