"""Machine models by name, from simcore's descriptions; imports no numerics."""

import json
from functools import lru_cache
from typing import Any

from simcore import registry
from simcore.model import Machine as Description
from simcore.model.virtual import with_virtual_sensors


def build(model: str, parameters: dict[str, Any]) -> Description:
    """A machine with its virtual sensors; raises ValueError that names the wrong model or parameter."""
    return _build(model, json.dumps(parameters, sort_keys=True))


def kind(model: str) -> str:
    """The name of the machine type for people."""
    case = registry.get(model)
    return case.kind or case.name


@lru_cache(maxsize=256)
def _build(model: str, parameters: str) -> Description:
    return with_virtual_sensors(registry.get(model).build(**json.loads(parameters)))
