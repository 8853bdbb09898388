"""`make soak`: the long runs, each with what it has to show; their sections of docs/benchmarks.md.

python -m tests.bench.soak                 all of them, about an hour and a quarter
python -m tests.bench.soak many faults     these only: many, sockets, ingest, faults
python -m tests.bench.soak worker-kill disk-full    single faults; printed, and not written down

Ends with exit code 1 if anything was lost, a state differs or a limit is missed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from tests.bench import ingest
from tests.bench.figures import ROOT, circumstances, figure_table, table, write_sections
from workers.loadtest import report
from workers.loadtest.faults import FAULTS
from workers.loadtest.machine import PER_BODY

TWINS, SECONDS = 60, 600
MORE_TWINS, MORE_S = (80, 100, 125, 150), 60
FAULT_TWINS, FAULT_S = 20, 90
HISTORY_STOP_S = 620  # the writer stands still for five minutes of it
INGEST_S = 300.0
SOCKETS, SOCKETS_S, FRAME_BODIES_HZ = 500, 60, 20  # of one twin; a frame for every body

# what has to be shown
IN_TIME, LAG_MS, SLOPE_MB_MIN, ACK_MS, BACK_S, WAY_MS = 0.99, 150.0, 1.0, 100.0, 5.0, 50.0


def loadtest(*options: str) -> dict[str, Any]:
    """Its progress goes to the terminal; what it has found comes back."""
    print(f"\nmanage.py loadtest {' '.join(options)}", flush=True)
    command = [sys.executable, "manage.py", "loadtest", *options, "--json"]
    answer = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    found: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    print(report.text(found), flush=True)
    return found


# many twins


def many(failed: list[str]) -> list[str]:
    first = loadtest(*_size(TWINS, SECONDS))
    failed += [f"{TWINS} twins: {problem}" for problem in [*report.problems(first), *missed(first)]]
    runs = [first]
    for twins in MORE_TWINS:
        runs.append(loadtest(*_size(twins, MORE_S)))
        failed += [f"{twins} twins: {problem}" for problem in report.problems(runs[-1])]
        if missed(runs[-1]):  # it breaks: more would tell nothing new
            break
    return [
        "`four-bar-b`, steps of 1 ms, 50 Hz telemetry of five channels in bodies of five samples, a socket",
        "for each twin; every service and the load on the same cores.",
        "",
        *table(RUN_HEAD, (_run_row(run) for run in runs)),
        "",
        *table(("twins", "processor, % of one core", "resident, MB (MB/min after 2 min)"), map(_costs, runs)),
    ]


RUN_HEAD = ("twins", "seconds", "chunks within 50 ms", "frame lag p50, p99, ms", "sent", "lost", "missed")


def _size(twins: int, seconds: int) -> list[str]:
    return ["--twins", str(twins), "--sockets", str(twins), "--rate", "50", "--seconds", str(seconds)]


def missed(run: dict[str, Any]) -> list[str]:
    """Limits of speed and memory that the run has missed."""
    found = []
    share, p99 = run["chunks"]["within_50_ms"], run["frames"]["lag_ms"]["p99"]
    if share is None or share < IN_TIME:
        found.append(f"{100 * (share or 0):.1f} % of chunks in time")
    if p99 is None or p99 > LAG_MS:
        found.append(f"frame lag p99 {p99} ms")
    for name, of in run["memory"].items():
        if (of["mb_per_min"] or 0) > SLOPE_MB_MIN:
            found.append(f"{name} grows by {of['mb_per_min']:.2f} MB/min")
    return found


def _run_row(run: dict[str, Any]) -> list[str]:
    lag, share = run["frames"]["lag_ms"], run["chunks"]["within_50_ms"]
    return [
        str(run["twins"]),
        f"{run['seconds']:.0f}",
        "none" if share is None else f"{100 * share:.2f} %",
        f"{lag['p50']}, {lag['p99']}",
        str(run["samples"]["sent"]),
        str(run["samples"]["lost"]),
        "; ".join(missed(run)) or "nothing",
    ]


def _costs(run: dict[str, Any]) -> list[str]:
    slope = {name: of["mb_per_min"] for name, of in run["memory"].items()}
    memory = [
        f"{name} {of['mb']:.0f}" + ("" if slope[name] is None else f" ({slope[name]:+.2f})")
        for name, of in run["memory"].items()
    ]
    cpu = [f"{name} {value:.0f}" for name, value in run["cpu_percent"].items()]
    return [str(run["twins"]), ", ".join(cpu), ", ".join(memory)]


# sockets


def one_twin_for_many(failed: list[str]) -> list[str]:
    options = ["--twins", "1", "--sockets", str(SOCKETS), "--seconds", str(SOCKETS_S)]
    run = loadtest(*options, "--rate", str(PER_BODY * FRAME_BODIES_HZ))
    frames, problems = run["frames"], report.problems(run)
    if frames["missing"] or frames["sockets_lost"]:
        problems.append(f"{frames['missing']} frames missing, {frames['sockets_lost']} connections lost")
    if frames["way_ms"]["p99"] > WAY_MS:
        problems.append(f"p99 {frames['way_ms']['p99']} ms")
    failed += [f"{SOCKETS} sockets: {problem}" for problem in problems]
    rate = frames["received"] / SOCKETS / run["seconds"]
    head = (
        "sockets",
        "frames per second",
        "received",
        "missing",
        "way p50, p99, ms",
        "processor, % of one core",
    )
    way = f"{frames['way_ms']['p50']}, {frames['way_ms']['p99']}"
    cpu = ", ".join(f"{name} {value:.0f}" for name, value in run["cpu_percent"].items() if value >= 1)
    row = (str(SOCKETS), f"{rate:.1f}", str(frames["received"]), str(frames["missing"]), way, cpu)
    about = "One twin, watched by many: from when its runner made a frame to its arrival at each of them."
    return [about, "", *table(head, [row])]


# ingest


def five_minutes(failed: list[str]) -> list[str]:
    figures = []
    for figure, found in ingest.measured_figures(INGEST_S):
        figures.append(figure)
        if found["lost"] or found["ack_ms"]["p99"] > ACK_MS:
            failed.append(f"ingest over {found['transport']}: {figure.value}, {found['lost']} lost")
    return figure_table(figures)


# faults


def faults(failed: list[str], names: list[str]) -> list[str]:
    rows = []
    for name in names:
        run = _with_fault(name)
        problems = report.problems(run)
        if name == "worker-kill" and (run["fault"]["recovered_s"] or 0) > BACK_S:
            problems.append(f"twins were back after {run['fault']['recovered_s']} s")
        failed += [f"{name}: {problem}" for problem in problems]
        rows.append(list(_fault_row(name, run)))
    head = ("fault", "what happens", "all twins follow again after", "sent", "lost", "states bit-identical")
    about = f"{FAULT_TWINS} twins at 50 Hz, a socket for each. Lost: acknowledged, but not in the database."
    return [about, "", *table(head, rows)]


def _with_fault(name: str) -> dict[str, Any]:
    seconds = HISTORY_STOP_S if name == "history-stop" else FAULT_S
    transport = "mqtt" if FAULTS[name].mqtt else "http"
    return loadtest(*_size(FAULT_TWINS, seconds), "--transport", transport, "--fault", name)


def _fault_row(name: str, run: dict[str, Any]) -> Iterator[str]:
    fault = run["fault"]
    yield name
    yield FAULTS[name].does
    yield "never" if fault["recovered_s"] is None else f"{fault['recovered_s']:.1f} s"
    yield str(run["samples"]["sent"])
    yield str(run["samples"]["lost"])
    yield f"{fault['identical']} of {run['twins']}"


def main(arguments: list[str]) -> int:
    failed: list[str] = []
    chosen = [argument for argument in arguments if argument in FAULTS]
    sections: dict[str, tuple[str, Callable[[], list[str]]]] = {
        "many": ("Many twins", lambda: many(failed)),
        "sockets": ("One twin for many sockets", lambda: one_twin_for_many(failed)),
        "ingest": ("Ingest for five minutes", lambda: five_minutes(failed)),
        "faults": ("Faults under load", lambda: faults(failed, [*FAULTS])),
    }
    if unknown := set(arguments) - sections.keys() - FAULTS.keys():
        allowed = ", ".join([*sections, *FAULTS])
        print(f"unknown: {', '.join(sorted(unknown))}; allowed are {allowed}", file=sys.stderr)
        return 2
    if chosen:
        print("\n".join(faults(failed, chosen)))
    names = [name for name in arguments if name in sections]
    for name in names or ([] if chosen else sections):
        title, take = sections[name]
        before = circumstances()
        write_sections({title: "\n".join([*before, "- written by `make soak`", "", *take()])})
    for problem in failed:
        print(f"FAILED {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
