"""Times the undamped four-bar over 1 s with 1 ms steps; reports crank error and loop gap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from simcore import registry
from simcore.cli.bench import exudyn_peer, mujoco_peer
from simcore.cli.bench.peers import installed
from simcore.cli.bench.timing import Contender, Timing, beside, in_turns, timing
from simcore.model.elements import Machine
from simcore.model.geometry import Array, gaps
from simcore.run.simulation import Simulation

_CASE = "four-bar-free"
_DT = 1e-3  # s
_EXACT_DT = 2e-5  # s
_EXPLICIT, _IMPLICIT = "simcore RK4", "simcore implicit"


class _Loop(Protocol):
    def advance(self, n_steps: int, /) -> None: ...

    def crank(self) -> float: ...

    def gap(self) -> float: ...


@dataclass
class _Ours:
    """Our engine behind the same interface as the peers."""

    sim: Simulation

    def advance(self, n_steps: int, /) -> None:
        self.sim.advance(n_steps)

    def crank(self) -> float:
        return float(self.sim.coordinates()[0])

    def gap(self) -> float:
        return float(np.max(np.abs(gaps(self.sim.machine, self.sim.coordinates()))))


class _MuJoCo(mujoco_peer.Loops):
    def crank(self) -> float:
        return float(self.coordinates()[0])


def take() -> Iterator[Timing]:
    """Time explicit engines against our explicit rule, and implicit engines against our implicit rule."""
    case = registry.get(_CASE)
    machine = case.build()
    exact = _Ours(Simulation(machine, dt=_EXACT_DT, integrator="rk4"))
    exact.advance(round(case.t_end / _EXACT_DT))
    makers = _makers(machine)
    steps = round(case.t_end / _DT)
    times = in_turns([Contender(engine, make, steps) for engine, make in makers.items()])
    rows = {}
    for (engine, make), taken in zip(makers.items(), times, strict=True):
        loop = make()
        loop.advance(steps)
        error = f"gap {loop.gap():.0e} m, crank, rad", abs(loop.crank() - exact.crank())
        rows[engine] = timing(_CASE, engine, taken, _DT, error)
    explicit, implicit = rows.pop(_EXPLICIT), rows.pop(_IMPLICIT)
    yield from beside(explicit, [row for engine, row in rows.items() if engine.startswith("MuJoCo")])
    yield from beside(implicit, [row for engine, row in rows.items() if engine.startswith("Exudyn")])


def _makers(machine: Machine) -> dict[str, Callable[[], _Loop]]:
    z, v = closed_start(machine)
    makers: dict[str, Callable[[], _Loop]] = {
        _EXPLICIT: lambda: _Ours(Simulation(machine, dt=_DT, integrator="rk4")),
        _IMPLICIT: lambda: _Ours(Simulation(machine, dt=_DT)),
    }
    if installed("MuJoCo"):
        makers["MuJoCo RK4"] = lambda: _MuJoCo(machine, _DT, z, v)
    if installed("Exudyn"):
        makers["Exudyn generalised-alpha"] = lambda: exudyn_peer.PlaneLoop(machine, _DT, z, v)
        makers["Exudyn trapezoidal, index 2"] = lambda: exudyn_peer.TrapezoidalLoop(machine, _DT, z, v)
    return makers


def closed_start(machine: Machine) -> tuple[Array, Array]:
    """Joint angles and rates that close the loop."""
    sim = Simulation(machine)
    at = int(sim.plan.head[0]["at_v"])
    z = sim.coordinates()
    return z, sim.state[at : at + len(z)].copy()
