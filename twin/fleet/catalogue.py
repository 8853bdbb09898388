"""Finds machine models by name, without importing the numerical code of simcore."""

import json
from functools import lru_cache
from typing import Any

from simcore import registry
from simcore.model import Machine as Description
from simcore.model.virtual import with_virtual_sensors


def build(model: str, parameters: dict[str, Any]) -> Description:
    """Build a machine with its virtual sensors.

    Raises ValueError, which names the wrong model or parameter.
    """
    return _build(model, json.dumps(parameters, sort_keys=True))


def kind(model: str) -> str:
    """Return the display name of the machine type."""
    case = registry.get(model)
    return case.kind or case.name


@lru_cache(maxsize=256)
def _build(model: str, parameters: str) -> Description:
    return with_virtual_sensors(registry.get(model).build_in_service(**json.loads(parameters)))
