"""What a benchmark reports, and the page that keeps it: each section with the circumstances of its run."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = ["# Benchmarks", "", "Written by `make bench` and `make soak`; do not edit."]
ORDER = (
    "Engine",
    "Estimation",
    "Twins of machines",
    "Live path",
    "Stage in the browser",
    "Fleet page",
    "Many twins",
    "Ingest",
    "Ingest for five minutes",
    "Valkey clients",
    "Faults under load",
)


@dataclass(frozen=True)
class Figure:
    """A figure with its unit, the error or accuracy beside it, and how it was taken."""

    what: str
    value: str
    accuracy: str
    how: str


def told_section(figures: Iterable[Figure]) -> list[str]:
    """A section of figures, each printed as soon as it is there."""
    found = []
    for figure in figures:
        print(f"{figure.what}: {figure.value} ({figure.accuracy})", flush=True)
        found.append(figure)
    return ["- wall time", "", *figure_table(found)]


def tell(figures: Iterable[Figure]) -> None:
    """Figures on the terminal, with the load of the computer."""
    for figure in figures:
        print(f"{figure.what}: {figure.value} ({figure.accuracy}; load {os.getloadavg()[0]:.1f})", flush=True)


def figure_table(figures: Iterable[Figure]) -> list[str]:
    rows = ((f.what, f.value, f.accuracy, f.how) for f in figures)
    return table(("figure", "value", "accuracy or condition", "how"), rows)


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    titles = list(header)
    lines = [titles, ["---"] * len(titles), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def sections_of(page: str) -> dict[str, str]:
    """The sections of a page by their titles."""
    parts = page.split("\n## ")[1:]
    return {title: body.strip() for title, _, body in (part.partition("\n") for part in parts)}


def page(sections: dict[str, str]) -> str:
    """docs/benchmarks.md, complete."""
    parts = ["\n".join(HEAD), *(f"## {title}\n\n{body}" for title, body in sections.items())]
    return "\n\n".join(parts) + "\n"


def write_sections(fresh: dict[str, str]) -> None:
    """Put sections into the page; the others stay as they are."""
    known = sections_of(PAGE.read_text()) | fresh
    titles = sorted(known, key=lambda title: ORDER.index(title) if title in ORDER else len(ORDER))
    PAGE.write_text(page({title: known[title] for title in titles}))


def circumstances() -> list[str]:
    """To be taken before the figures: their own work is no load."""
    commit = _output("git", "rev-parse", "--short", "HEAD")
    dirty = " with uncommitted changes" if _output("git", "status", "--porcelain", "-uno") else ""
    return [
        f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit}{dirty}",
        f"- load average at the start: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores",
        f"- processor: {_processor()}, Python {platform.python_version()}",
    ]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
