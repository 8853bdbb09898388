"""A forecast of remaining life, as it is kept to be judged when the part has ended."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from simcore.prognosis.checks import not_empty, not_negative
from simcore.prognosis.readings import Numbers

GRID = (np.arange(200) + 0.5) / 200  # levels of the quantiles that are kept: 200 equally likely outcomes
_LAST_DAY = date.max.toordinal()


@dataclass(frozen=True)
class Forecast:
    """Remaining life of a part, seen from one day.

    hours: h the part has worked. used_life: its damage, missing hours priced. coverage: share of the hours
    whose damage was counted. survived: share of parts that get this far; small: beyond experience. remaining:
    h at the levels of GRID; remaining_days: the same in days. duty_from, law_from: "part", "fleet" or
    "catalogue".
    """

    part: str
    day: date
    hours: float
    used_life: float
    coverage: float
    survived: float
    remaining: tuple[float, ...]
    remaining_days: tuple[float, ...]
    duty_from: str
    law_from: str

    def __post_init__(self) -> None:
        not_negative("forecast.hours", self.hours, "h")
        not_empty("forecast.remaining", self.remaining, "quantiles of the remaining hours")

    @property
    def p10(self) -> float:
        """h that nine parts of ten still work."""
        return self.quantile(0.1)

    @property
    def p50(self) -> float:
        return self.quantile(0.5)

    @property
    def p90(self) -> float:
        return self.quantile(0.9)

    def quantile(self, level: float) -> float:
        """Remaining hours that are reached with the probability 1 − level."""
        return float(np.interp(level, _levels(self.remaining), self.remaining))

    def ends_by(self, hours: float) -> float:
        """Probability of ending within so many more hours."""
        return float(np.interp(hours, (0.0, *self.remaining), (0.0, *_levels(self.remaining)), right=1.0))

    def within(self, share: float) -> float:
        """Probability of ending within this share of P50, earlier or later."""
        return self.ends_by(self.p50 * (1.0 + share)) - self.ends_by(self.p50 * (1.0 - share))

    def end_date(self, level: float) -> date | None:
        """The day by which the part has ended with this probability; None beyond the calendar."""
        days = float(np.interp(level, _levels(self.remaining_days), self.remaining_days))
        ordinal = self.day.toordinal() + days
        return self.day + timedelta(days=int(days)) if ordinal < _LAST_DAY else None

    def kept(self) -> dict[str, Any]:
        """As plain values, for a file or a database."""
        return asdict(self) | {"day": self.day.isoformat()}

    @classmethod
    def of(cls, kept: dict[str, Any]) -> Forecast:
        lists = {name: tuple(kept[name]) for name in ("remaining", "remaining_days")}
        return cls(**kept | lists | {"day": date.fromisoformat(kept["day"])})


def _levels(values: tuple[float, ...]) -> Numbers:
    return (np.arange(len(values)) + 0.5) / len(values)
