"""Allocates one array for all data of a twin that are saved together, with a named view of each part."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from simcore.model.workspace import Array


def allocate(shapes: Mapping[str, tuple[int, ...]], scratch: int = 0) -> tuple[Array, dict[str, Array]]:
    """Allocate the memory and its named parts; the last `scratch` numbers of the last part are not saved."""
    total = sum(math.prod(shape) for shape in shapes.values())
    whole, parts, at = np.zeros(total), {}, 0
    for name, shape in shapes.items():
        size = math.prod(shape)
        parts[name] = whole[at : at + size].reshape(shape)
        at += size
    return whole[: total - scratch], parts
