"""S-N curves of welded details: life in cycles over stress range, two slopes, knee and cut-off.

A curve is fixed by its class, the range Δσ_C that is endured N_C = 2e6 times:

    N = N_C (Δσ_C/Δσ)^m1                      for N up to the knee N_D, where Δσ_D = Δσ_C (N_C/N_D)^(1/m1)
    N = N_D (Δσ_D/Δσ)^m2                      beyond it
    N infinite below Δσ_L = Δσ_D (N_D/N_L)^(1/m2), the cut-off, if there is one

EN 1993-1-9, 7.1: m1 = 3, N_D = 5e6 (Δσ_D = 0.737 Δσ_C), m2 = 5, N_L = 1e8 (Δσ_L = 0.549 Δσ_D = 0.405 Δσ_C).
DNV-RP-C203, 2.4, in air: m1 = 3, N_D = 1e7, m2 = 5, no cut-off; its curve D is class 90. Both are
characteristic curves (mean less two standard deviations); safety factors on stress belong to the hot spot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simcore.errors import BadParameter
from simcore.model.quantity import Quantity, standard
from simcore.model.workspace import Array

CLASS_CYCLES = 2e6  # N_C, cycles


@dataclass(frozen=True, slots=True)
class SNCurve:
    """An S-N curve as data. detail_class: Δσ_C, Pa; slope: m1; knee: N_D; slope_beyond: m2; cut_off: N_L."""

    name: str
    detail_class: Quantity
    slope: Quantity
    knee: Quantity
    slope_beyond: Quantity
    cut_off: Quantity | None = None

    def __post_init__(self) -> None:
        self._refuse_unless(
            0.0 < float(self.detail_class) < math.inf, "detail_class", "more than zero and finite"
        )
        falls = "more than zero and finite: longer lives have smaller ranges"
        self._refuse_unless(0.0 < float(self.slope) < math.inf, "slope", falls)
        known = CLASS_CYCLES <= float(self.knee) < math.inf
        self._refuse_unless(
            known, "knee", f"at least {CLASS_CYCLES:g} cycles, where the class is given, and finite"
        )
        flatter = f"at least slope = {float(self.slope):g}, and finite"
        self._refuse_unless(float(self.slope) <= float(self.slope_beyond) < math.inf, "slope_beyond", flatter)
        if self.cut_off is not None:
            later = float(self.knee) <= float(self.cut_off) < math.inf
            self._refuse_unless(later, "cut_off", f"at least knee = {float(self.knee):g} cycles, and finite")

    def _refuse_unless(self, right: bool, field: str, allowed: str) -> None:
        if not right:
            quantity: Quantity = getattr(self, field)
            value = f"{quantity.value:g} {quantity.unit}".strip()
            raise BadParameter(f"S-N curve {self.name!r}: {field} = {value}: must be {allowed}")

    @property
    def knee_range(self) -> float:
        """Δσ_D, Pa."""
        return float(self.detail_class) * math.pow(CLASS_CYCLES / float(self.knee), 1.0 / float(self.slope))

    @property
    def cut_off_range(self) -> float:
        """Δσ_L, Pa: smaller ranges do no damage."""
        if self.cut_off is None:
            return 0.0
        return self.knee_range * math.pow(
            float(self.knee) / float(self.cut_off), 1.0 / float(self.slope_beyond)
        )

    def damage(self, ranges: Array) -> Array:
        """Damage 1/N of one cycle of each stress range, Pa."""
        relative = np.asarray(ranges, dtype=float) / self.knee_range
        slopes = np.where(relative >= 1.0, float(self.slope), float(self.slope_beyond))
        damage: Array = relative**slopes / float(self.knee)
        # a range at the cut-off itself counts, whatever its rounding
        return np.where(np.asarray(ranges) < self.cut_off_range * (1.0 - 1e-12), 0.0, damage)


def en_1993_1_9(detail_class: Quantity) -> SNCurve:
    """The curve of EN 1993-1-9 for direct stress, Figure 7.1."""
    return SNCurve(
        f"EN 1993-1-9, {float(detail_class) / 1e6:g}",
        detail_class,
        standard(3.0, "", "EN 1993-1-9, 7.1"),
        standard(5e6, "cycles", "EN 1993-1-9, 7.1"),
        standard(5.0, "", "EN 1993-1-9, 7.1"),
        standard(1e8, "cycles", "EN 1993-1-9, 7.1"),
    )


def dnv_rp_c203(detail_class: Quantity) -> SNCurve:
    """The curve of DNV-RP-C203 in air, by its range at 2e6 cycles (curve D: 90 MPa)."""
    return SNCurve(
        f"DNV-RP-C203, {float(detail_class) / 1e6:g}",
        detail_class,
        standard(3.0, "", "DNV-RP-C203, 2.4"),
        standard(1e7, "cycles", "DNV-RP-C203, 2.4"),
        standard(5.0, "", "DNV-RP-C203, 2.4"),
    )
