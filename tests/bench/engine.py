"""The engine on the hydraulic four-bar: time of a step with its error, and of a step of the live twin."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from simcore import cases
from simcore.estimate.live_twin import LiveTwin
from simcore.run import run
from simcore.simulation import Simulation
from tests.bench.figures import ROOT, Figure

CASE = "four-bar-b"
REPEATS = 7
SAMPLE_DT = 0.01  # s between the points at which two runs are compared


def figures() -> Iterator[Figure]:
    truth = _angles(dt=2e-5)
    yield _run_figure("implicit trapezoidal, 1 ms", truth, dt=1e-3)
    yield _run_figure(
        "implicit trapezoidal, forward-difference tangent, 1 ms", truth, 1e-3, "trapezoidal-reference"
    )
    yield _run_figure("RK4, 0.1 ms", truth, dt=1e-4, integrator="rk4")
    yield _twin_figure()
    yield _start_figure()


def _angles(dt: float, integrator: str = "trapezoidal") -> np.ndarray:
    result = run(cases.get(CASE), {}, dt=dt, integrator=integrator, sample_dt=SAMPLE_DT)
    return np.radians(np.asarray(result["samples"]["z_deg"])[:, 0])


def _run_figure(what: str, truth: np.ndarray, dt: float, integrator: str = "trapezoidal") -> Figure:
    best = min((run(cases.get(CASE), {}, dt=dt, integrator=integrator) for _ in range(3)), key=_cpu)
    error = np.max(np.abs(_angles(dt, integrator) - truth))
    return Figure(
        f"{CASE}, {what}",
        f"{best['us_per_step']:.2f} us per step, {best['realtime_factor']:.0f} times real time",
        f"crank angle within {error:.1e} rad of a 20 us run; {best['newton']['mean']:.2f} iterations a step",
        f"`python -m simcore run {CASE} --dt {dt:g}`",
    )


def _cpu(result: dict[str, float]) -> float:
    return result["cpu_s"]


def _twin_figure() -> Figure:
    """A second of live operation, as a runner does it: 50 corrections, 20 steps each."""
    machine = cases.get(CASE).build()
    source, twin = Simulation(machine), LiveTwin(machine)
    noise = np.random.default_rng(1)
    readings = []
    for _ in range(50):
        source.advance(20, {"valve.command": 2.0})
        outputs = source.outputs()
        readings.append({name: outputs[name] for name in ("hose.p", "cylinder.p_B", "valve.command")})
        readings[-1]["crank.angle"] = outputs["crank.angle"] + noise.normal(0, np.radians(0.25))
        readings[-1]["crank.rate"] = outputs["crank.rate"] + noise.normal(0, 0.01)

    def second() -> None:
        twin.start({"crank.angle": readings[0]["crank.angle"]})
        for reading in readings:
            twin.advance(20)
            twin.correct(reading)

    seconds = _best(second)
    return Figure(
        f"{CASE}, live twin: model, covariance and corrections at 50 Hz",
        f"{seconds * 1e3:.1f} us per step of 1 ms, {1 / seconds:.0f} times real time",
        "filter consistency is a test, not a figure (tests/unit/simcore)",
        "`make bench`",
    )


def _best(work: Callable[[], None]) -> float:
    times = []
    for _ in range(REPEATS):
        began = time.thread_time()
        work()
        times.append(time.thread_time() - began)
    return min(times)


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
