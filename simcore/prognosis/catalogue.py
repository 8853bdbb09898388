"""What the maker says of a part's life, and how far that may be off."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.prognosis.checks import positive


@dataclass(frozen=True)
class Catalogue:
    """Life of a kind of part by its maker.

    life_hours: h until half of the parts have failed at the catalogue's duty. hours_per_week: h of that duty.
    median_damage: counter at which half of the parts have failed. shape: of the Weibull law.
    median_error, shape_error: standard deviations of their logarithms.
    """

    life_hours: float
    hours_per_week: float
    median_damage: float = 1.0
    shape: float = 3.0  # wear-out (assumed)
    median_error: float = 0.35  # counters without calibration: a factor of two is a two-sigma error (assumed)
    shape_error: float = 0.25  # (assumed)

    def __post_init__(self) -> None:
        positive("catalogue.life_hours", self.life_hours, "h")
        positive("catalogue.hours_per_week", self.hours_per_week, "h")
        positive("catalogue.median_damage", self.median_damage, "")
        positive("catalogue.shape", self.shape, "")
        positive("catalogue.median_error", self.median_error, "")
        positive("catalogue.shape_error", self.shape_error, "")

    @property
    def severity(self) -> float:
        """Damage per hour at the catalogue's duty."""
        return self.median_damage / self.life_hours
