"""Formats timings as lines of text or as JSON, and reports how busy the computer was."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from simcore.cli.bench.timing import Timing


def circumstances() -> str:
    return f"load average {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores"


def as_json(timings: Iterable[Timing], left_out: Iterable[str]) -> dict[str, Any]:
    """Timings as one JSON object; the load of the computer is that before the benchmarks."""
    before = circumstances()
    return {
        "circumstances": before,
        "left_out": list(left_out),
        "timings": [asdict(timing) for timing in timings],
    }


def line(t: Timing) -> str:
    beside = "" if t.ours_over_it is None else f"; ours takes {t.ours_over_it:.2f} of this time"
    return (
        f"{t.name:28} {t.engine:28} {t.best_us:8.2f} us best, {t.median_us:8.2f} median; "
        f"{t.error_of} {t.error:.1e}; {t.realtime_factor:.0f} times real time{beside}"
    )
