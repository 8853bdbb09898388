"""Command line of the field test: see tests/field/__init__.py."""

from __future__ import annotations

import argparse
import json
import os
import sys
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")


def _one(job: tuple[int, str | None, str | None, float, bool]) -> dict[str, Any]:
    import django

    django.setup()
    from tests.field.draws import draw
    from tests.field.record import run

    return run(draw(*job))


def main() -> int:
    from tests.field import __doc__ as usage
    from tests.field.causes import CAUSES
    from tests.field.draws import SECONDS
    from tests.field.judge import judge, one_line

    parser = argparse.ArgumentParser(prog="python -m tests.field", description=usage, add_help=True)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--draw", type=int, help="one draw, with its whole record")
    parser.add_argument("--machine")
    parser.add_argument("--cause")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--clean", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--records", type=Path)
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--causes", action="store_true")
    given = parser.parse_args()
    if given.causes:
        for cause in CAUSES.values():
            print(f"{cause.name:16} {cause.kind:8} {cause.what} {dict(cause.sizes)}")
        return 0
    numbers = [given.draw] if given.draw is not None else range(given.first, given.first + given.draws)
    jobs = [(n, given.machine, given.cause, given.seconds, given.clean) for n in numbers]
    records = []
    file = given.records.open("w") if given.records else None
    for record in _results(jobs, given.jobs):
        records.append(record)
        print(one_line(record), flush=True)
        if file:
            print(json.dumps(record), file=file, flush=True)
    if given.draw is not None:
        print(json.dumps(records[0], indent=1))
    verdict = judge(records)
    print(verdict.text)
    return int(given.strict and not verdict.passed)


def _results(jobs: list[tuple[int, str | None, str | None, float, bool]], processes: int) -> Any:
    if processes < 2:
        yield from map(_one, jobs)
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(_one, jobs)


if __name__ == "__main__":
    sys.exit(main())
