"""`make bench`: takes every figure and writes docs/benchmarks.md."""

from __future__ import annotations

from tests.bench import engine, ingest, live
from tests.bench.figures import ROOT, Figure, page

SECTIONS = {"Engine": engine.figures, "Live path": live.figures, "Ingest": ingest.figures}


def main() -> None:
    sections: dict[str, list[Figure]] = {}
    for title, take in SECTIONS.items():
        sections[title] = []
        for figure in take():
            print(f"{figure.what}: {figure.value} ({figure.accuracy})", flush=True)
            sections[title].append(figure)
    (ROOT / "docs" / "benchmarks.md").write_text(page(sections))


if __name__ == "__main__":
    main()
