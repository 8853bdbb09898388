"""Compiles every kernel in advance, so that no twin waits for the compiler later."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from simcore import registry
from simcore.estimate.experiment.offline_twin import estimate
from simcore.estimate.sensors import own_sensors
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.formulation.index1 import settle_index1
from simcore.model.virtual import with_virtual_sensors
from simcore.run.simulation import Simulation


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Run garbage collection rarely.

    The compiler creates millions of long-lived objects; scanning them repeatedly took a tenth of its time.
    """
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 1_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@_rare_collections()
def warm_kernels(progress: Callable[[str, float], None]) -> None:
    """Fill the kernel cache; takes seconds if it is full. progress: called with a text and the share done."""
    machine = registry.get("four-bar-b").build()

    def simulate() -> None:
        Simulation(machine, dt=1e-3).run(2e-3)

    def twin() -> None:
        live = LiveTwin(with_virtual_sensors(machine))
        live.advance(1)
        live.correct({"crank.angle": 1.0})
        live.sigmas()
        live.compare(True)
        live.uncorrected()

    def experiment() -> None:
        sim = Simulation(machine, dt=1e-3)
        settle_index1(sim.plan, sim.state, sim.workspace)  # of machines with redundant loops
        readings = np.full((1, len(machine.outputs)), np.nan)
        estimate(machine, readings, own_sensors(machine, 50.0), np.zeros((0, 0)), "bias", monitored=True)

    stages = (
        ("steps and energy ledger", simulate, 0.5),
        ("error-state filter", twin, 0.95),
        ("experiments", experiment, 1.0),
    )
    done = 0.0
    for name, stage, share in stages:
        progress(f"compiling kernels: {name}", done)
        stage()
        done = share
    progress("kernels ready", 1.0)
