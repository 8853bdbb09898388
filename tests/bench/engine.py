"""The engine: all of `python -m simcore bench`, cost against size as a picture, and the time of a start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable

from simcore import registry
from simcore.cli.bench import Timing, bench, left_out, line, versions
from simcore.cli.bench.plot import cost_against_size
from simcore.run.simulation import Simulation
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
        *figure_table([_start_figure(), _variant_figure(), _call_figure(), _compile_figure()]),
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
        "from simcore import registry; from simcore.run.simulation import Simulation\n"
        f"Simulation(registry.get('{CASE}').build()).advance(1)"
    )
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    seconds = time.monotonic() - began
    return Figure(
        "import and first step", f"{seconds:.2f} s", "kernels compiled before", "a fresh interpreter"
    )


def _variant_figure() -> Figure:
    """A machine with another dimension, from its parameters to its first step."""
    case, seconds = registry.get(CASE), []
    for k in range(7):
        begin = time.perf_counter()
        Simulation(case.build(l20=0.45 + 0.001 * k)).advance(1)
        seconds.append(time.perf_counter() - begin)
    return Figure(
        "new variant to its first step",
        f"{min(seconds) * 1e3:.0f} ms best, {max(seconds) * 1e3:.0f} ms at most",
        "7 variants, wall time",
        "parameters, checks, plan, settled start, one step",
    )


def _call_figure() -> Figure:
    """Time of a call of one step less the time of a step."""
    sim = Simulation(registry.get(CASE).build())
    sim.advance(2000)  # at rest: one iteration a step
    per_call = _best(lambda: [sim.advance(1) for _ in range(1000)]) / 1000
    per_step = _best(lambda: sim.advance(1000)) / 1000
    return Figure(
        "call from Python",
        f"{(per_call - per_step) * 1e6:.1f} us",
        f"on top of a step of {per_step * 1e6:.2f} us",
        "Simulation.advance(1)",
    )


def _best(work: Callable[[], object]) -> float:
    times = []
    for _ in range(15):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def _compile_figure() -> Figure:
    code = (
        "import time; from simcore.warm import warm_kernels\n"
        "begin = time.process_time(); warm_kernels(lambda *told: None); print(time.process_time() - begin)"
    )
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {"HYDRATWIN_KERNEL_CACHE": empty}
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
    return Figure("cold compile of all kernels", f"{float(done.stdout):.0f} s", "CPU time", "an empty cache")
