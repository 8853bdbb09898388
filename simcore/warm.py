"""Compile every kernel once, so that no twin waits for the compiler later."""

from __future__ import annotations

from collections.abc import Callable

from simcore import cases
from simcore.estimate.live_twin import LiveTwin
from simcore.run import run
from simcore.simulation import Simulation


def warm_kernels(progress: Callable[[str, float], None]) -> None:
    """Fill the kernel cache; progress gets a text and the share that is done. Seconds when warm already."""
    case = cases.get("four-bar-b")
    machine = case.build()

    def simulate() -> None:
        Simulation(machine, dt=1e-3).advance(1)

    def vary() -> None:
        Simulation(machine, dt=1e-3, integrator="damped").advance(1)

    def emulate() -> None:
        Simulation(machine, dt=1e-4, integrator="rk4").advance(1)

    def twin() -> None:
        live = LiveTwin(machine)
        live.advance(1)
        live.correct({"crank.angle": 1.0})
        live.sigmas()

    def report() -> None:
        run(case, {}, dt=1e-3, t_end=2e-3)

    stages = (
        ("implicit step", simulate, 0.25),
        ("damped and double step", vary, 0.45),
        ("explicit step", emulate, 0.55),
        ("error-state filter", twin, 0.9),
        ("energy books", report, 1.0),
    )
    done = 0.0
    for name, stage, share in stages:
        progress(f"compiling kernels: {name}", done)
        stage()
        done = share
    progress("kernels ready", 1.0)
