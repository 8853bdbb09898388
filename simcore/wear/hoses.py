"""Lives of hoses and of metal pressure envelopes over pressure range.

Both are straight lines in log-log, N = N_0 (p_0/Δp)^m, without a cut-off. A cycle counts by its range Δp as
if it went from zero to Δp: (assumed), since the standards test with cycles from near zero and state no mean
effect here.

Hoses (SAE J1927): the line goes through burst, 400 % of the rated pressure at 1 cycle, and the impulse
test, 133 % at 200 000 cycles: m = ln(2e5)/ln(4/1.33) = 11.1. J1927 covers surges of 100 % to 200 % of the
rating. Below, the line is extended: its damage is small (50 %: 1e-10 a cycle) and on the safe side. Above,
it is extended as well, but `beyond` counts those cycles, because the result is then not covered by J1927.

Envelopes (ISO 10771-1): cylinder tubes, pump and valve housings have a rated fatigue pressure, verified by
a test of a number of cycles from nearly zero; the slope is not in the standard and has to be assumed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simcore.errors import BadParameter
from simcore.model.quantity import Quantity, assumed, standard
from simcore.model.workspace import Array

BURST = standard(4.00, "1", "SAE J1927: of the rated pressure, at 1 cycle")
IMPULSE = standard(1.33, "1", "SAE J1927: of the rated pressure, at the impulse cycles")
IMPULSE_CYCLES = standard(2e5, "cycles", "SAE J1927")
HIGHEST_SURGE = standard(2.00, "1", "SAE J1927: of the rated pressure")
ENVELOPE_CYCLES = assumed(1e7, "cycles", "usual length of a test to ISO 10771-1")
ENVELOPE_SLOPE = assumed(3.0, "1", "crack growth in steel, as m1 of EN 1993-1-9")


def _refuse_unless(right: bool, what: str, field: str, quantity: Quantity) -> None:
    if not right:
        value = f"{quantity.value:g} {quantity.unit}"
        raise BadParameter(f"{what}: {field} = {value}: must be more than zero and finite")


@dataclass(frozen=True, slots=True)
class Hose:
    """A hose assembly by its rated (maximum operating) pressure, Pa."""

    name: str
    rated_pressure: Quantity

    def __post_init__(self) -> None:
        right = 0.0 < float(self.rated_pressure) < math.inf
        _refuse_unless(right, f"hose {self.name!r}", "rated_pressure", self.rated_pressure)

    @property
    def slope(self) -> float:
        """m of the P-N line."""
        return math.log(float(IMPULSE_CYCLES)) / math.log(float(BURST) / float(IMPULSE))

    def damage(self, ranges: Array) -> Array:
        """Damage 1/N of one cycle of each pressure range, Pa."""
        burst = float(BURST) * float(self.rated_pressure)
        damage: Array = (np.asarray(ranges, dtype=float) / burst) ** self.slope
        return damage

    def beyond(self, counts: Array, quantum: float) -> float:
        """Cycles by range in quanta -> number of cycles beyond the surges that J1927 covers."""
        highest = float(HIGHEST_SURGE) * float(self.rated_pressure)
        return float(np.sum(counts[np.arange(len(counts)) * quantum > highest * (1.0 + 1e-12)]))


@dataclass(frozen=True, slots=True)
class PressureEnvelope:
    """A metal envelope that endures its rated fatigue pressure, Pa, from zero, for a number of cycles."""

    name: str
    rated_fatigue_pressure: Quantity
    cycles: Quantity = ENVELOPE_CYCLES
    slope: Quantity = ENVELOPE_SLOPE

    def __post_init__(self) -> None:
        for field in ("rated_fatigue_pressure", "cycles", "slope"):
            right = 0.0 < float(getattr(self, field)) < math.inf
            _refuse_unless(right, f"envelope {self.name!r}", field, getattr(self, field))

    def damage(self, ranges: Array) -> Array:
        """Damage 1/N of one cycle of each pressure range, Pa."""
        relative = np.asarray(ranges, dtype=float) / float(self.rated_fatigue_pressure)
        damage: Array = relative ** float(self.slope) / float(self.cycles)
        return damage
