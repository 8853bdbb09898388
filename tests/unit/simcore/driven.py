"""Cases driven without books, many steps per call: fast enough to try many steps sizes."""

from __future__ import annotations

import math

import numpy as np

from simcore.model.case import Case
from simcore.run.simulation import Simulation


def driven(
    case: Case, overrides: dict, dt: float, integrator: str = "trapezoidal", every: float | None = None
) -> tuple[Simulation, np.ndarray]:
    """The simulation at its end, and joint angles and pressures every so many seconds."""
    sim = Simulation(case.build(**overrides), dt=dt, integrator=integrator)
    head, total = sim.plan.head[0], round(case.t_end / dt)
    starts = {math.ceil(t / dt - 1e-6): command for t, command in case.command_schedule}
    stride = round(every / dt) if every else total
    rows = []
    for end in sorted({*starts, *range(stride, total, stride), total} - {0}):
        sim.advance(end - sim.steps, starts.get(sim.steps))
        if end % stride == 0:
            pressures = sim.state[head["at_p"] : head["at_p"] + head["volumes"]]
            rows.append([*sim.state[: head["coords"]], *pressures])
    return sim, np.array(rows)


def pushed(sim: Simulation, drive: list[tuple[float, float]], until: float) -> Simulation:
    """The simulation after commands to its only valve: (from time, volts)."""
    ends = [t for t, _ in drive[1:]] + [until]
    for (_, volts), end in zip(drive, ends, strict=True):
        sim.advance(round(end / sim.dt) - sim.steps, {"valve.command": volts})
    return sim
