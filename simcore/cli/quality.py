"""`python -m simcore quality`: how good a machine's model is, as a table, as JSON and into the repository."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from simcore import registry
from simcore.errors import SimcoreError
from simcore.machines.quality.measure import SUBJECTS, measure
from simcore.machines.quality.scale import QUESTIONS, asked_text, figure_text, number_text, rule
from simcore.machines.quality.stored_results import FOLDER, Kept, version
from simcore.messages import english


def chosen(names: list[str]) -> list[str]:
    """The machines to measure: those named, else all that have a scale."""
    for name in names:
        if name not in SUBJECTS:
            raise SimcoreError(f"{name} has no quality scale; known: {', '.join(SUBJECTS)}")
    return names or list(SUBJECTS)


def command(names: list[str], keep: bool, as_json: bool) -> int:
    found = []
    for name in chosen(names):
        found.append(quality(name))
        if keep:
            text = json.dumps(found[-1].to_json(), indent=1, ensure_ascii=False)
            (FOLDER / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        if not as_json:
            print(table(found[-1]), flush=True)
    if as_json:
        print(json.dumps({"machines": [kept.to_json() for kept in found]}))
    return 0


def quality(name: str) -> Kept:
    """The scale of a machine, measured now."""
    case = registry.get(name)
    today = datetime.now(UTC).date().isoformat()
    return Kept(name, version(case), today, SUBJECTS[name].compared, measure(case))


def table(kept: Kept) -> str:
    lines = [f"{kept.machine} {kept.version}, {kept.date}: {kept.level}", f"  {rule(kept.level)}", ""]
    for check in kept.checks:
        lines.append(f"  {check.verdict:12} {QUESTIONS[check.name]}")
        lines.append(f"  {'':12} {figure_text(check)} ({asked_text(check)}): {english(check.how)}")
        if check.detail:
            lines.append(f"  {'':12} {_told(check.detail)}")
    return "\n".join([*lines, f"  compared: {kept.compared}", ""])


def _told(detail: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{name} {number_text(value)}" if isinstance(value, float) else f"{name} {value}"
        for name, value in detail.items()
    )
