"""Compile every kernel once, so that no twin waits for the compiler later."""

from __future__ import annotations

from collections.abc import Callable

from simcore import cases
from simcore.estimate.live_twin import LiveTwin
from simcore.model.virtual import with_virtual_sensors
from simcore.simulation import Simulation


def warm_kernels(progress: Callable[[str, float], None]) -> None:
    """Fill the kernel cache; progress gets a text and the share that is done. Seconds when warm already."""
    machine = cases.get("four-bar-b").build()

    def simulate() -> None:
        Simulation(machine, dt=1e-3).run(2e-3)

    def twin() -> None:
        live = LiveTwin(with_virtual_sensors(machine))
        live.advance(1)
        live.correct({"crank.angle": 1.0})
        live.sigmas()
        live.uncorrected()

    stages = (("steps and energy books", simulate, 0.55), ("error-state filter", twin, 1.0))
    done = 0.0
    for name, stage, share in stages:
        progress(f"compiling kernels: {name}", done)
        stage()
        done = share
    progress("kernels ready", 1.0)
