"""A histogram of durations, with constant memory."""

import numpy as np

BIN_S = 1e-4
LONGEST_S = 60.0  # longer durations count as this


class Times:
    def __init__(self) -> None:
        self._counts = np.zeros(round(LONGEST_S / BIN_S) + 1, dtype=np.int64)

    def add(self, seconds: float) -> None:
        """Add a duration; a negative one, which differing clocks can cause, counts as zero."""
        self._counts[min(max(0, int(seconds / BIN_S)), len(self._counts) - 1)] += 1

    def clear(self) -> None:
        self._counts[:] = 0

    @property
    def count(self) -> int:
        return int(self._counts.sum())

    def percentile_ms(self, percent: float) -> float | None:
        """Return the percentile in ms; None if there are no durations."""
        if not self.count:
            return None
        rank = np.ceil(self.count * percent / 100)
        return float(np.searchsorted(np.cumsum(self._counts), rank) + 1) * BIN_S * 1000

    def percentiles(self) -> dict[str, float | None]:
        """Return the percentiles that a report contains, in ms."""
        found = {f"p{q}": self.percentile_ms(q) for q in (50, 99)}
        return {name: None if value is None else round(value, 1) for name, value in found.items()}
