"""How long things took, in a memory that does not grow with how many there were."""

import numpy as np

BIN_S = 1e-4
LONGEST_S = 60.0  # whatever takes longer counts as this


class Times:
    def __init__(self) -> None:
        self._counts = np.zeros(round(LONGEST_S / BIN_S) + 1, dtype=np.int64)

    def add(self, seconds: float) -> None:
        """Clocks that differ a little make a short time negative; it counts as none."""
        self._counts[min(max(0, int(seconds / BIN_S)), len(self._counts) - 1)] += 1

    def clear(self) -> None:
        self._counts[:] = 0

    @property
    def count(self) -> int:
        return int(self._counts.sum())

    def percentile_ms(self, percent: float) -> float | None:
        """So long or shorter took this share of them; None if there were none."""
        if not self.count:
            return None
        rank = np.ceil(self.count * percent / 100)
        return float(np.searchsorted(np.cumsum(self._counts), rank) + 1) * BIN_S * 1000

    def told(self) -> dict[str, float | None]:
        """The two percentiles of a report, ms."""
        found = {f"p{q}": self.percentile_ms(q) for q in (50, 99)}
        return {name: None if value is None else round(value, 1) for name, value in found.items()}
