"""The engine: all of `python -m simcore bench`, cost against size as a picture, and the time of a start."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable

from simcore.cli.bench import Timing, bench, left_out, line, versions
from simcore.cli.bench.plot import cost_against_size
from tests.bench.figures import ROOT, Figure, figure_table, table

CASE = "four-bar-b"
PICTURE = ROOT / "docs" / "images" / "cost-against-size.svg"
HOW = """
CPU time of the process, one thread, best and median of 7, all engines of a benchmark in turns. Steps of 1 ms
unless the row says otherwise. Every time stands beside the error of the same run: of chains and the free
four-bar against our RK4 with steps of 20 us, of driven machines against our implicit rule with such steps.

- `Pinocchio, RK4 in Python`: Pinocchio has no integrator; this is RK4 written in Python around its ABA.
  `4 ABA alone`: four calls of ABA less four calls for a model without joints (the passage from Python), which
  RK4 in C++ could not go below; its error is that of the former.
- Exudyn's time includes setting up its solver, some 0.15 ms once per run of 1000 steps. Its chains are
  kinematic trees, its four-bar has absolute coordinates and constraints.
- MuJoCo's loop is a soft constraint, here as stiff as the step allows.
- `one arm`: Exudyn's hydraulic actuator on a machine smaller than rahikainen-a, with another valve model:
  only the times compare.
- `filter`: prediction with a given transition matrix, and three readings, with ten states.
- Ratio: our best over that of the row, explicit rules beside explicit ones, implicit beside implicit.
"""


def section() -> list[str]:
    timings = []
    for timing in bench(()):
        print(line(timing), flush=True)
        timings.append(timing)
    PICTURE.write_text(cost_against_size(timings))
    return [
        *(f"- {missing}" for missing in left_out(())),
        f"- load average at the end: {os.getloadavg()[0]:.2f}",
        f"- peers: {', '.join(versions())}",
        HOW,
        f"![Time of a step against the number of bodies](images/{PICTURE.name})",
        "",
        *timing_table(timings),
        "",
        *figure_table([_start_figure()]),
    ]


def timing_table(timings: Iterable[Timing]) -> list[str]:
    header = ("benchmark", "engine", "best, us", "median, us", "error", "times real time", "ratio")
    return table(header, (_cells(t) for t in timings))


def _cells(t: Timing) -> tuple[str, ...]:
    ratio = "" if t.ours_over_it is None else f"{t.ours_over_it:.2f}"
    times = f"{t.best_us:.2f}", f"{t.median_us:.2f}"
    return t.name, t.engine, *times, f"{t.error_of} {t.error:.1e}", f"{t.realtime_factor:.0f}", ratio


def _start_figure() -> Figure:
    code = (
        "from simcore import cases; from simcore.simulation import Simulation\n"
        f"Simulation(cases.get('{CASE}').build()).advance(1)"
    )
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    seconds = time.monotonic() - began
    return Figure(
        "import and first step", f"{seconds:.2f} s", "kernels compiled before", "a fresh interpreter"
    )
