"""Twins of the catalogue's machines as the platform runs them: time, and beside it what short cuts change.

python -m tests.bench twins
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from simcore import registry
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model.workspace import Array
from simcore.run.simulation import Simulation
from tests.bench.figures import table
from tests.twins_at_work import PERIOD, Samples, change, course, description, exactly_solved, telemetry
from twin.runtime.specs import DT_US

MACHINES = tuple(model.name for model in registry.MACHINES if model.profile.demo_machines)
SECONDS, RUNS = 20.0, 5
HOW = f"""
The demo's first machine of each model at work without a pause, {SECONDS:g} s of telemetry at 50 Hz, followed
by the twin that the platform builds (seals with bristles, gravel, virtual sensors; steps of {DT_US / 1000:g}
ms). CPU time, one thread, best of {RUNS}; `step`: the model alone with the same commands and step, implicit.

Changes by short cuts, over all states of the filter but an engine's angle: of the estimates in per cent of
their standard deviation (RMS; median and worst state), and of that deviation (largest). `Newton`: against
steps of 1 ms and tolerances a hundred times as tight. `leap`: against slopes, transition and covariance at
every such step as well.
"""
HEADER = (
    "machine", "states", "step, us", "iterations", "twin, share of a core", "Newton: estimates", "sigmas",
    "leap: estimates", "sigmas",
)  # fmt: skip


def section() -> list[str]:
    return [HOW, *table(HEADER, (_told(row) for row in _rows()))]


def _rows() -> Iterator[tuple[str, ...]]:
    for model in MACHINES:
        samples, machine = telemetry(model, SECONDS), description(model)
        exact = exactly_solved(machine)
        twin = LiveTwin(machine, dt_us=DT_US)
        step_us, iterations = _step(Simulation(machine, dt=twin.engine.dt), samples)
        ours = course(twin, samples)
        taken = [_follow(twin, samples) for _ in range(RUNS)]
        shafts = {int(d["coord"]) for d in twin.engine.plan.diesels}
        free = [int(b["free"]) for b in twin.engine.plan.bodies[1:]]
        judged = [k for k in range(ours.states.shape[1]) if k not in {free[shaft] for shaft in shafts}]
        cells = [
            cell
            for other in (LiveTwin(exact), LiveTwin(exact, stride=1))
            for found in [change(ours, course(other, samples))]
            for cell in _cells(found.estimates[judged], found.sigmas[judged])
        ]
        times = f"{step_us:.1f}", f"{iterations:.2f}", f"{min(taken):.2f} %"
        yield model, str(len(twin.covariance)), *times, *cells


def _cells(estimates: Array, sigmas: Array) -> tuple[str, str]:
    worst = sigmas[np.argmax(np.abs(sigmas))]
    return f"{100 * np.median(estimates):.1f}, {100 * np.max(estimates):.0f} %", f"{100 * worst:+.1f} %"


def _follow(twin: LiveTwin, samples: Samples) -> float:
    """Per cent of a core at 50 Hz."""
    twin.start(samples[0])
    begin = time.process_time()
    for sample in samples[1:]:
        twin.correct(sample, round(PERIOD / twin.engine.dt))
    return (time.process_time() - begin) / (len(samples) - 1) / PERIOD * 100


def _step(simulation: Simulation, samples: Samples) -> tuple[float, float]:
    """Microseconds and iterations of Newton's per step."""
    taken = 0.0
    for sample in samples:
        simulation.command({name: value for name, value in sample.items() if name.endswith(".command")})
        begin = time.process_time()
        simulation.advance(round(PERIOD / simulation.dt))
        taken += time.process_time() - begin
    return taken / simulation.steps * 1e6, simulation.newton()["mean"]


def _told(row: tuple[str, ...]) -> tuple[str, ...]:
    print(" | ".join(row), flush=True)
    return row
