"""Allocates one array for all data of a twin that are saved together, with a named view of each part."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

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


def scalars(part: Array) -> memoryview[float]:
    """The same numbers for use one by one: three times as fast as numpy's, and ordinary floats."""
    return cast("memoryview[float]", part.data)
