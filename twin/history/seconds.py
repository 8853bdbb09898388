"""Summarises a channel's readings in each second of machine time: count, minimum, mean and maximum."""

from dataclasses import dataclass

import numpy as np

from twin.history.columns import Columns

SECOND_US = 1_000_000
FIELDS = ("count", "least", "mean", "most")


@dataclass(frozen=True, slots=True)
class Summary:
    count: int
    least: float
    mean: float
    most: float

    def joined(self, other: "Summary") -> "Summary":
        """Return the combined summary; the mean is updated without forming a large sum."""
        count = self.count + other.count
        mean = self.mean + (other.mean - self.mean) * (other.count / count)
        return Summary(count, min(self.least, other.least), mean, max(self.most, other.most))


def summaries(columns: Columns) -> dict[tuple[str, int], Summary]:
    """Return the summaries by channel and second."""
    found: dict[tuple[str, int], Summary] = {}
    seconds = columns.t_us // SECOND_US
    for name, readings in columns.readings.items():
        there = np.flatnonzero(~np.isnan(readings))
        order = there[np.argsort(seconds[there], kind="stable")]
        values, of = readings[order], seconds[order]
        begins = np.flatnonzero(np.diff(of, prepend=of[0] - 1))
        counts = np.diff(begins, append=len(of))
        parts = zip(
            of[begins].tolist(),
            counts.tolist(),
            np.minimum.reduceat(values, begins).tolist(),
            (np.add.reduceat(values, begins) / counts).tolist(),
            np.maximum.reduceat(values, begins).tolist(),
            strict=True,
        )
        for second, count, least, mean, most in parts:
            found[name, second] = Summary(count, least, mean, most)
    return found
