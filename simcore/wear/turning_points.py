"""Finds the turning points of a channel: values rounded to a quantum, reversals only beyond a gate.

Rounding makes every later result a matter of whole numbers: the same in one piece, in chunks and from a
record. The gate (hysteresis) removes noise: a peak or a valley is confirmed when the signal has come back
from it by at least the gate. Until then it is provisional and moves on with the signal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simcore.errors import BadParameter
from simcore.model.quantity import Quantity
from simcore.model.workspace import Array

Whole = npt.NDArray[np.int64]
Levels = npt.NDArray[np.int16]

# columns of the settings of a channel; all but the quantum in levels, that is in quanta
QUANTUM, GATE, LOW, HIGH = range(4)
WIDEST = 32767  # levels: a level fits into 16 bits


@dataclass(frozen=True, slots=True)
class Counted:
    """A channel whose load cycles are counted; all quantities in the unit of the channel.

    quantum: distance of two levels. gate: least range that counts. low, high: values beyond are clipped.
    """

    name: str
    quantum: Quantity
    gate: Quantity
    low: Quantity
    high: Quantity

    def __post_init__(self) -> None:
        for field in ("quantum", "gate", "low", "high"):
            if not math.isfinite(value := float(getattr(self, field))):
                raise BadParameter(f"{self.name}: {field} = {value}: must be finite")
        if not float(self.quantum) > 0.0:
            raise BadParameter(f"{self.name}: quantum = {_text(self.quantum)}: must be more than zero")
        if not float(self.gate) >= float(self.quantum):
            raise BadParameter(
                f"{self.name}: gate = {_text(self.gate)}: must be at least the quantum, {_text(self.quantum)}"
            )
        if not float(self.low) + float(self.gate) <= float(self.high):
            raise BadParameter(
                f"{self.name}: high = {_text(self.high)}: "
                f"must exceed low, {_text(self.low)}, by the gate at least"
            )
        if max(abs(float(self.low)), abs(float(self.high))) > WIDEST * float(self.quantum):
            raise BadParameter(
                f"{self.name}: quantum = {_text(self.quantum)}: low and high must be within ±{WIDEST} quanta"
            )

    def settings(self) -> tuple[float, float, float, float]:
        """Quantum in the unit of the channel; gate, low and high in levels."""
        quantum = float(self.quantum)
        gate = math.ceil(float(self.gate) / quantum - 1e-9)  # 0.3 / 0.1 is a little less than 3
        return quantum, float(gate), float(_level(self.low, quantum)), float(_level(self.high, quantum))

    @property
    def widest(self) -> int:
        """The largest range that can occur, in quanta."""
        _, _, low, high = self.settings()
        return int(high - low)


def settings_of(channels: Sequence[Counted]) -> Array:
    """A row of settings for each channel."""
    return np.array([channel.settings() for channel in channels]).reshape(-1, 4)


def _level(value: Quantity, quantum: float) -> int:
    return int(np.rint(float(value) / quantum))


def _text(quantity: Quantity) -> str:
    return f"{quantity.value:g} {quantity.unit}"
