"""`python -m simcore quality`: measures the quality of machine models and prints or stores the results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from simcore import registry
from simcore.errors import SimcoreError
from simcore.machines.quality.measure import measure
from simcore.machines.quality.scale import QUESTIONS, asked_text, figure_text, number_text, rule
from simcore.machines.quality.stored_results import FOLDER, StoredResult, version
from simcore.messages import english


def chosen(names: list[str]) -> list[str]:
    """The machines to measure: the named ones, or all of them."""
    known = registry.profiles()
    for name in names:
        if name not in known:
            raise SimcoreError(f"{name} has no quality measurement; models that have one: {', '.join(known)}")
    return names or list(known)


def command(names: list[str], write: bool, as_json: bool) -> int:
    found = []
    for name in chosen(names):
        found.append(quality(name))
        if write:
            text = json.dumps(found[-1].to_json(), indent=1, ensure_ascii=False)
            (FOLDER / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        if not as_json:
            print(table(found[-1]), flush=True)
    if as_json:
        print(json.dumps({"machines": [stored.to_json() for stored in found]}))
    return 0


def quality(name: str) -> StoredResult:
    """The quality of a machine model, measured now."""
    case = registry.get(name)
    today = datetime.now(UTC).date().isoformat()
    return StoredResult(name, version(case), today, registry.profiles()[name].compared, measure(case))


def table(stored: StoredResult) -> str:
    lines = [
        f"{stored.machine} {stored.version}, {stored.date}: {stored.level}",
        f"  {rule(stored.level)}",
        "",
    ]
    for check in stored.checks:
        lines.append(f"  {check.verdict:12} {QUESTIONS[check.name]}")
        lines.append(f"  {'':12} {figure_text(check)} ({asked_text(check)}): {english(check.how)}")
        if check.detail:
            lines.append(f"  {'':12} {_detail_text(check.detail)}")
    return "\n".join([*lines, f"  compared: {stored.compared}", ""])


def _detail_text(detail: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{name} {number_text(value)}" if isinstance(value, float) else f"{name} {value}"
        for name, value in detail.items()
    )
