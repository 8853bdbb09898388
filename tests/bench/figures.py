"""What a benchmark reports: a figure with its unit, the error or accuracy beside it, and how it was taken."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Figure:
    what: str
    value: str
    accuracy: str
    how: str


def page(sections: dict[str, Iterable[Figure]]) -> str:
    """docs/benchmarks.md, complete."""
    lines = ["# Benchmarks", "", "Written by `make bench`; do not edit.", "", *_circumstances()]
    for title, figures in sections.items():
        lines += [
            "",
            f"## {title}",
            "",
            "| figure | value | accuracy or condition | how |",
            "|---|---|---|---|",
        ]
        lines += [f"| {f.what} | {f.value} | {f.accuracy} | {f.how} |" for f in figures]
    return "\n".join(lines) + "\n"


def _circumstances() -> list[str]:
    commit = _output("git", "rev-parse", "--short", "HEAD")
    dirty = " with uncommitted changes" if _output("git", "status", "--porcelain", "-uno") else ""
    return [
        f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"- commit: {commit}{dirty}",
        f"- load average at the start: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores",
        f"- processor: {_processor()}, Python {platform.python_version()}",
        "- computations: CPU time of one thread, best of several; live path: wall time",
    ]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
