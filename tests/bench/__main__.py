"""`make bench`: takes every figure and writes docs/benchmarks.md.

python -m tests.bench engine    that section anew, the others as they are
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from tests.bench import engine, estimation, fleet, ingest, live, stage, twins, valkey_clients, wear, weighing
from tests.bench.figures import circumstances, write_sections

SECTIONS: dict[str, Callable[[], list[str]]] = {
    "Engine": engine.section,
    "Estimation": estimation.section,
    "Twins of machines": twins.section,
    "Weighing loads": weighing.section,
    "Counting wear": wear.section,
    "Live path": live.section,
    "Stage in the browser": stage.section,
    "Fleet page": fleet.section,
    "Ingest": ingest.section,
    "Valkey clients": valkey_clients.section,
}


def main(names: list[str]) -> int:
    known = {title.split()[0].lower(): title for title in SECTIONS}
    if unknown := set(names) - known.keys():
        print(f"unknown section {', '.join(sorted(unknown))}; known: {', '.join(known)}", file=sys.stderr)
        return 2
    for name in names or known:
        title = known[name]
        before = circumstances()
        write_sections({title: "\n".join([*before, *SECTIONS[title]()])})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
