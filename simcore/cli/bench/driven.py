"""Times hydraulic cases over their whole command schedule.

The reported error is the largest difference of a joint angle from a run with steps of 20 us. The assembled
tangent is also compared with the tangent of the publications; both runs then use the published spool update.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from simcore import registry
from simcore.cli.bench import exudyn_arm
from simcore.cli.bench.peers import installed
from simcore.cli.bench.timing import Contender, Timing, beside, in_turns, timing
from simcore.model.case import Case
from simcore.run.case_run import simulate
from simcore.run.recording import Run
from simcore.run.simulation import Simulation

_DT = 1e-3  # s
_EXACT_DT = 2e-5  # s
_SAMPLE_DT = 0.01  # s between the points at which two runs are compared
_SECOND = round(1.0 / _DT)


class _Again:
    """Repeats a run without the energy ledger."""

    def __init__(self, done: Run) -> None:
        self._sim = Simulation(done.machine, done.dt, done.integrator, done.formulation)
        self._schedule = done.schedule

    def advance(self, n_steps: int, /) -> None:
        self._sim.follow(self._schedule, n_steps)


def _contender(engine: str, done: Run) -> Contender:
    return Contender(engine, lambda: _Again(done), done.steps)


def _error(done: Run, exact: Run) -> float:
    return float(np.max(np.abs(done.coordinates - exact.coordinates)))


def _run(case: Case, dt: float, integrator: str) -> Run:
    return simulate(case, {}, dt=dt, integrator=integrator, sample_dt=_SAMPLE_DT)


def _rows(
    name: str, ways: dict[str, tuple[str, float]], peers: list[Contender]
) -> tuple[list[Timing], list[list[float]]]:
    """One row per integrator and step of a case; peers are timed alternately with them."""
    case = registry.get(name)
    exact = _run(case, _EXACT_DT, "trapezoidal")
    runs = {engine: _run(case, dt, integrator) for engine, (integrator, dt) in ways.items()}
    times = in_turns([*(_contender(engine, done) for engine, done in runs.items()), *peers])
    rows = [
        timing(name, engine, taken, done.dt, (_summary(done), _error(done, exact)))
        for (engine, done), taken in zip(runs.items(), times, strict=False)
    ]
    return rows, times[len(runs) :]


def _summary(done: Run) -> str:
    """Newton iterations and energy drift of a run, and the quantity in which its error is given."""
    newton, drift = done.newton["mean"], done.energy["drift_max_J"]
    iterations = f"{newton:.2f} iterations, " if newton else ""
    return f"{iterations}drift {drift:.1g} J, angle, rad"


def _to_reference(name: str) -> float:
    """Largest difference of a joint angle from the reference mode with the same spool update, rad."""
    case, spool = registry.get(name), {"spool": "euler"}
    fast, reference = (
        simulate(case, spool, dt=_DT, integrator=integrator, sample_dt=_SAMPLE_DT).coordinates
        for integrator in ("trapezoidal", "trapezoidal-reference")
    )
    return float(np.max(np.abs(fast - reference)))


def _with_reference(row: Timing) -> Timing:
    return replace(row, error_of=f"{_to_reference(row.what):.1e} rad to the reference mode, {row.error_of}")


def rahikainen() -> Iterator[Timing]:
    """Also times Exudyn's actuator on one arm; the machine differs, so only the times are comparable."""
    arm = Contender("Exudyn actuator, other valve", lambda: exudyn_arm.Arm(_DT), _SECOND)
    ways = {"simcore implicit": ("trapezoidal", _DT)}
    (ours,), times = _rows("rahikainen-a", ways, [arm] if installed("Exudyn") else [])
    ours = _with_reference(ours)
    theirs = [timing("one arm", arm.engine, taken, _DT, _arm_error()) for taken in times]
    yield from beside(ours, theirs)


def _arm_error() -> tuple[str, float]:
    """Error of Exudyn's arm after 1 s, against its own run with short steps."""
    angles = []
    for dt in (_DT, _EXACT_DT):
        arm = exudyn_arm.Arm(dt)
        arm.advance(round(1.0 / dt))
        angles.append(arm.angle())
    return "angle to its own 20 us run, rad", abs(angles[0] - angles[1])


def four_bar() -> Iterator[Timing]:
    ways = {
        "simcore implicit": ("trapezoidal", _DT),
        "simcore implicit, differences": ("trapezoidal-reference", _DT),
        "simcore RK4, 0.1 ms": ("rk4", 1e-4),
    }
    fast, *others = _rows("four-bar-b", ways, [])[0]
    yield from (_with_reference(fast), *others)


def digger() -> Iterator[Timing]:
    yield from _rows("digger-rig", {"simcore implicit": ("trapezoidal", _DT)}, [])[0]
