"""Defines numbers, vectors and tensors with unit and provenance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# printed: given in a publication (docs/references.md); reconstructed: from published values, or fitted
# to it; standard: from a standard or a handbook; assumed: our choice; derived: computed from other numbers of
# the same machine
Origin = Literal["printed", "reconstructed", "standard", "assumed", "derived"]
# the words for each origin in tables and on pages
SOURCES: dict[Origin, str] = {
    "printed": "published",
    "reconstructed": "published, completed",
    "standard": "standard",
    "assumed": "our assumption",
    "derived": "calculated from other values",
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number in SI units with its provenance."""

    value: float
    unit: str
    origin: Origin
    note: str = ""

    def __float__(self) -> float:
        return float(self.value)


@dataclass(frozen=True, slots=True)
class Vector:
    """Three numbers in one frame, with unit and provenance."""

    xyz: tuple[float, float, float]
    unit: str
    origin: Origin
    note: str = ""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A symmetric 3 x 3 matrix in one frame: xx, yy, zz, xy, xz, yz (matrix entries, so xy is -∫xy dm)."""

    six: tuple[float, float, float, float, float, float]
    unit: str
    origin: Origin
    note: str = ""


def printed(value: float, unit: str, note: str = "") -> Quantity:
    return Quantity(value, unit, "printed", note)


def reconstructed(value: float, unit: str, note: str = "") -> Quantity:
    return Quantity(value, unit, "reconstructed", note)


def assumed(value: float, unit: str, note: str = "") -> Quantity:
    return Quantity(value, unit, "assumed", note)


def standard(value: float, unit: str, note: str = "") -> Quantity:
    return Quantity(value, unit, "standard", note)


def derived(value: float, unit: str, note: str = "") -> Quantity:
    return Quantity(value, unit, "derived", note)


def place(x: float, y: float, z: float, origin: Origin = "printed", note: str = "") -> Vector:
    """A point in metres."""
    return Vector((x, y, z), "m", origin, note)
