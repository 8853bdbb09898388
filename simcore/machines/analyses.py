"""Optional analyses of a machine model: a lift-capacity chart and a comparison of variants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from simcore.model.case import Value


@dataclass(frozen=True)
class CapacityPoint:
    """One point of the lift-capacity chart."""

    reach: float  # m, from the slewing axis to the hook
    height: float  # m, of the tip above the ground
    load: float  # kg, the largest that is lifted
    limit: str  # what limits it
    limits: Mapping[str, float]  # kg, what each limit alone would allow


# parameters that differ from their defaults, number of points
CapacityChart = Callable[[Mapping[str, Value], int], list[CapacityPoint]]


class Column(NamedTuple):
    """One column in the table of variants."""

    key: str  # of a row
    title: str
    form: str = "{}"
    scale: float = 1.0  # from the row's SI unit to the title's


class VariantComparison(NamedTuple):
    """A comparison of machine variants in the same work cycle."""

    compared: tuple[str, ...]  # parameters that vary
    rows: Callable[[Mapping[str, Value]], Iterator[dict[str, Any]]]  # the other parameters as given
    columns: tuple[Column, ...]
