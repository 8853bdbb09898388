"""Command line of the field test: see tests/field/__init__.py."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.field import __doc__ as usage
from tests.field.causes import CAUSES
from tests.field.draws import SECONDS
from tests.field.jobs import play_all
from tests.field.judge import judge, one_line


def main() -> int:
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
    parser.add_argument("--judge", type=Path, nargs="+", help="files of records, to be judged again")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--causes", action="store_true")
    given = parser.parse_args()
    if given.causes:
        for cause in CAUSES.values():
            print(f"{cause.name:16} {cause.kind:8} {cause.what} {dict(cause.sizes)}")
        return 0
    if given.judge:
        lines = [line for path in given.judge for line in path.read_text().splitlines()]
        print(judge(list({r["draw"]: r for r in map(json.loads, lines)}.values())).text)
        return 0
    numbers = [given.draw] if given.draw is not None else range(given.first, given.first + given.draws)
    jobs = [(n, given.machine, given.cause, given.seconds, given.clean) for n in numbers]
    records = []
    file = given.records.open("w") if given.records else None
    for record in play_all(jobs, given.jobs):
        records.append(record)
        print(one_line(record), flush=True)
        if file:
            print(json.dumps(record), file=file, flush=True)
    if given.draw is not None:
        print(json.dumps(records[0], indent=1))
    verdict = judge(records)
    print(verdict.text)
    return int(given.strict and not verdict.passed)


if __name__ == "__main__":
    sys.exit(main())
