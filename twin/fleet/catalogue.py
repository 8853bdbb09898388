"""Machine models by name, from simcore's descriptions (no numerics are imported)."""

import json
from functools import lru_cache
from typing import Any

from simcore import cases
from simcore.model import Machine as Description


def build(model: str, parameters: dict[str, Any]) -> Description:
    """The description of a machine; an unknown model or a bad parameter raises ValueError saying which."""
    return _build(model, json.dumps(parameters, sort_keys=True))


@lru_cache(maxsize=256)
def _build(model: str, parameters: str) -> Description:
    return cases.get(model).build(**json.loads(parameters))
