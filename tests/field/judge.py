"""Tables by machine and cause, and the pass lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from simcore import registry
from tests.field.causes import CAUSES, MACHINES

Record = dict[str, Any]

SYNCED_S = 2.0  # after every gap
MEDIAN_RMSE, WORST_RMSE = 0.02, 0.06  # of the machine's full pressure; the worst tenth
LEAST_COVER, MOST_COVER = 0.85, 0.99
GOOD_LOADS = 0.95  # share of looks at a load that are within 5 % or marked (assumed: as 95 % bounds)
RIGHT_NAMES, BLAMED_SENSORS = 0.9, 0.02
# samples per second that arrive, from which pressures of a machine are judged whose description names no
# minimum rate (assumed)
USUAL_HZ = 20.0


@dataclass(frozen=True)
class Verdict:
    """The text of the tables and lines, and whether all lines hold."""

    text: str
    passed: bool
    failed: tuple[str, ...]


@cache
def minimum_hz(machine: str) -> float:
    """Samples per second that arrive, from which the pressures of a machine are judged by their accuracy."""
    least = registry.get(machine).build().model_error.least_rate
    return USUAL_HZ if least is None else float(least)


def accurate(record: Record) -> bool:
    """Whether the accuracy of its pressures is judged: an estimated cause and a sufficient rate."""
    return CAUSES[record["cause"]].estimated and record["effective_hz"] >= minimum_hz(record["machine"])


def rmses(record: Record) -> list[float]:
    return [*record["pressure_measured"].values(), *record["pressure_unmeasured"].values()]


def one_line(r: Record) -> str:
    """A record in a line of a terminal."""
    worst = max(rmses(r), default=float("nan"))
    cover = " ".join(f"{k[:3]} {100 * v:.0f}" for k, v in r["coverage"].items())
    waits = [g["synced_after"] for g in r["gaps"]]
    sync = "none" if not waits else "never" if None in waits else f"{max(waits):.1f} s"
    load = r["payload"] or {}
    weighed = (
        f" load {100 * load['median_error']:.0f}/{100 * load['p90_error']:.0f}%" if load.get("looks") else ""
    )
    marks = "".join("+" if n["right"] else "S" if n["sensor"] else "-" for n in r["named"])
    named = ", ".join(sorted({f"{n['code']}:{n['channel']}" for n in r["named"]}))
    forgot = sum(bool(g.get("forgot")) for g in r["gaps"])
    ended = f" TRUTH ENDED {r['truth_s']:.0f} s" if r["truth_ended"] else ""
    return (
        f"{r['draw']:3d} {r['machine'][:9]:9} {r['cause']:14} {r['effective_hz']:5.1f} Hz"
        f" p {100 * _mean(rmses(r)):.2f}/{100 * worst:.2f}% | {cover} | unfit {100 * (r['unfit'] or 0):.0f}%"
        f" | sync {sync} stops {len(r['stops'])} starts {len(r['starts'])} forgot {forgot}/{len(r['gaps'])}"
        f"{weighed} | {marks} {named} | {r['cpu']['all']:.1f} s, twin {r['cpu']['twin_percent']:.2f}%{ended}"
    )


def judge(records: Sequence[Record]) -> Verdict:
    """Tables and lines."""
    lines = [_table(records), ""]
    failed = []
    for name, value, holds in _lines(records):
        lines.append(f"  {'ok  ' if holds else 'FAIL'}  {name}: {value}")
        if not holds:
            failed.append(f"{name}: {value}")
    return Verdict("\n".join(lines), not failed, tuple(failed))


_HEAD = (
    "machine", "cause", "n", "p med %", "p 90 %", "pos %", "vel %", "pres %", "or said %", "unfit %",
    "sync %", "stops", "forgot", "load %", "named", "right", "sensor", "cpu %",
)  # fmt: skip


def _table(records: Sequence[Record]) -> str:
    rows = [_HEAD]
    for machine in MACHINES:
        for cause in CAUSES:
            some = [r for r in records if r["machine"] == machine and r["cause"] == cause]
            if some:
                rows.append(_row(machine, cause, some))
    widths = [max(len(row[k]) for row in rows) for k in range(len(_HEAD))]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if k < 2 else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _row(machine: str, cause: str, some: Sequence[Record]) -> tuple[str, ...]:
    pressures = [x for r in some for x in rmses(r)]
    cover = {
        k: _mean([r["coverage"][k] for r in some if k in r["coverage"]])
        for k in ("position", "velocity", "pressure")
    }
    said = [v for r in some for v in r["covered_or_said"].values()]
    gaps = [g for r in some for g in r["gaps"]]
    loads = [r["payload"]["good_or_marked"] for r in some if r["payload"] and r["payload"].get("looks")]
    names = [n for r in some for n in r["named"]]
    return (
        machine, cause, str(len(some)),
        _percent(_quantile(pressures, 0.5), 2), _percent(_quantile(pressures, 0.9), 2),
        *(_percent(cover[k]) for k in ("position", "velocity", "pressure")), _percent(_mean(said)),
        _percent(_mean([r["unfit"] for r in some if r["unfit"] is not None])),
        _percent(_mean([_in_time(g) for g in gaps])), str(sum(len(r["stops"]) for r in some)),
        f"{sum(bool(g.get('forgot')) for g in gaps)}/{len(gaps)}", _percent(_mean(loads)), str(len(names)),
        str(sum(n["right"] for n in names)), str(sum(n["sensor"] for n in names)),
        f"{_mean([r['cpu']['twin_percent'] for r in some]):.2f}",
    )  # fmt: skip


def _in_time(gap: dict[str, Any]) -> bool:
    return gap["synced_after"] is not None and gap["synced_after"] <= SYNCED_S


def _lines(records: Sequence[Record]) -> Iterable[tuple[str, str, bool]]:
    """Name, figure and whether it holds."""
    gaps = [g for r in records for g in r["gaps"]]
    late = [g for g in gaps if not _in_time(g)]
    yield f"synced within {SYNCED_S:g} s after every gap", f"{len(late)} of {len(gaps)} gaps not", not late
    stops = [r for r in records if r["stops"]]
    yield "no stop", f"{len(stops)} of {len(records)} draws stopped", not stops
    forgot = [g for g in gaps if g.get("forgot")]
    yield "no forgetting", f"{len(forgot)} of {len(gaps)} gaps", not forgot
    ended = [r["draw"] for r in records if r["truth_ended"]]
    yield "every machine works to the end", f"{len(ended)} did not: {ended[:8]}", not ended
    yield from _accuracy_lines([r for r in records if accurate(r)])
    yield from _bound_lines([r for r in records if not accurate(r)])
    loads = [r["payload"]["good_or_marked"] for r in records if r["payload"] and r["payload"].get("looks")]
    yield (
        "payload within 5 % or marked",
        f"{_percent(_mean(loads))} %",
        not loads or _mean(loads) >= GOOD_LOADS,
    )
    names = [n for r in records for n in r["named"]]
    right = _mean([n["right"] for n in names])
    yield (
        "culprit named is the true one",
        f"{_percent(right)} % of {len(names)}",
        not names or right >= RIGHT_NAMES,
    )
    faults = [r for r in records if CAUSES[r["cause"]].kind != "sensor"]
    blamed = _mean([any(n["sensor"] for n in r["named"]) for r in faults])
    text = f"{_percent(blamed)} % of {len(faults)} draws"
    yield "sensor blamed for a fault that is none of its", text, not faults or blamed <= BLAMED_SENSORS


def _accuracy_lines(some: Sequence[Record]) -> Iterable[tuple[str, str, bool]]:
    """Causes that the filter estimates, at a sufficient rate."""
    for machine in MACHINES:
        mine = [r for r in some if r["machine"] == machine]
        if not mine:
            continue
        errors = [x for r in mine for x in rmses(r)]
        median, worst = _quantile(errors, 0.5), _quantile(errors, 0.9)
        yield f"{machine}: median RMSE of pressures", f"{_percent(median, 2)} %", median <= MEDIAN_RMSE
        yield f"{machine}: worst tenth", f"{_percent(worst, 2)} %", worst <= WORST_RMSE
        for kind in ("position", "velocity", "pressure"):
            cover = [r["coverage"][kind] for r in mine if kind in r["coverage"]]
            if cover:
                share = _mean(cover)
                poor = sum(c < LEAST_COVER for c in cover)
                text = f"{_percent(share)} %, {poor} of {len(cover)} draws below {_percent(LEAST_COVER)} %"
                yield (
                    f"{machine}: bounds of {kind} hold",
                    text,
                    LEAST_COVER <= share <= MOST_COVER and poor <= 0.1 * len(cover),
                )


def _bound_lines(some: Sequence[Record]) -> Iterable[tuple[str, str, bool]]:
    """Other causes and rates: bounds that hold, or the twin says so."""
    if not some:
        return
    worst = [min(r["covered_or_said"].values(), default=1.0) for r in some]
    poor = [r["draw"] for r, least in zip(some, worst, strict=True) if least < LEAST_COVER]
    text = f"{len(poor)} of {len(some)} draws below {_percent(LEAST_COVER)} %"
    yield "other causes and low rates: bounds hold or the twin says so", text, len(poor) <= 0.05 * len(some)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _quantile(values: Sequence[float], q: float) -> float:
    return float(np.quantile(values, q)) if len(values) else float("nan")


def _percent(share: float, digits: int = 0) -> str:
    return "-" if np.isnan(share) else f"{100 * share:.{digits}f}"


def problems(r: Record) -> list[str]:
    """What a single draw misses; the limits of means apply to it where they make sense for one."""
    found = [f"stopped at {t:g} s: {reason}" for t, reason in r["stops"]]
    found += [
        f"not synced {SYNCED_S:g} s after the gap at {g['at']:g} s" for g in r["gaps"] if not _in_time(g)
    ]
    found += [f"forgot in the gap at {g['at']:g} s" for g in r["gaps"] if g.get("forgot")]
    errors = rmses(r)
    if accurate(r) and errors:
        median, worst = _quantile(errors, 0.5), max(errors)
        if median > MEDIAN_RMSE or worst > WORST_RMSE:
            found.append(f"pressures off by {_percent(median, 1)} %, at worst {_percent(worst, 1)} %")
    for kind, share in r["covered_or_said"].items():
        if share < LEAST_COVER:
            found.append(f"bounds of {kind} hold {_percent(share)} %")
    load = r["payload"] or {}
    if load.get("looks") and load["good_or_marked"] < GOOD_LOADS:
        found.append(f"payload good or marked {_percent(load['good_or_marked'])} %")
    found += [f"named wrongly: {n['code']} {n['channel']}" for n in r["named"] if not n["right"]]
    return found
