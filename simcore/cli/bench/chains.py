"""Times falling chains in every engine, with RK4 and steps of 1 ms.

The reported error is the error of the tip position after 1 s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

import numpy as np

from simcore import registry
from simcore.cli.bench import exudyn_peer, mujoco_peer, pinocchio_peer
from simcore.cli.bench.peers import installed
from simcore.cli.bench.timing import Contender, Timing, beside, in_turns, timing
from simcore.model.elements import Machine
from simcore.model.geometry import Array
from simcore.run.simulation import Simulation

SIZES = (6, 10, 20, 60)
DT = 1e-3  # s
_EXACT_DT = 2e-5  # s
_SECOND = round(1.0 / DT)
_ERROR = "tip, m"


class _Chain(Protocol):
    def advance(self, n_steps: int, /) -> None: ...

    def coordinates(self) -> Array: ...


_Maker = Callable[[Machine, float], _Chain]


def _ours(machine: Machine, dt: float) -> Simulation:
    return Simulation(machine, dt=dt, integrator="rk4")


_PEERS: dict[str, tuple[str, _Maker]] = {
    "MuJoCo": ("MuJoCo RK4", mujoco_peer.Hinges),
    "Exudyn": ("Exudyn RK4", exudyn_peer.Tree),
    "Pinocchio": ("Pinocchio, RK4 in Python", pinocchio_peer.Tree),
}


def take() -> Iterator[Timing]:
    for way, spatial in (("plane", 0.0), ("spatial", 1.0)):
        for n in SIZES:
            machine = registry.get("chain").build(n=float(n), spatial=spatial)
            yield from _chain(f"chain {way}", n, machine)


def _chain(what: str, n: int, machine: Machine) -> Iterator[Timing]:
    makers: dict[str, _Maker] = {"simcore RK4": _ours}
    makers |= dict(entry for peer, entry in _PEERS.items() if installed(peer))
    contenders = [Contender(engine, partial(make, machine, DT), _SECOND) for engine, make in makers.items()]
    bare = pinocchio_peer.contenders(machine, _SECOND) if installed("Pinocchio") else []
    times = in_turns(contenders + bare)
    exact = _tip(machine, _ours, _EXACT_DT)
    rows = []
    for (engine, make), taken in zip(makers.items(), times, strict=False):
        error = float(np.linalg.norm(_tip(machine, make, DT) - exact))
        rows.append(timing(what, engine, taken, DT, (_ERROR, error), n))
    if bare:
        calls = pinocchio_peer.without_calls(*times[-2:])
        rows.append(timing(what, "Pinocchio, 4 ABA alone", calls, DT, (_ERROR, rows[-1].error), n))
    yield from beside(rows[0], rows[1:])


def _tip(machine: Machine, make: _Maker, dt: float) -> Array:
    """Where the tip is after a second."""
    gauge = registry.get("chain").gauge
    assert gauge is not None  # noqa: S101 - the case is ours
    engine = make(machine, dt)
    engine.advance(round(1.0 / dt))
    return gauge.measure(machine, engine.coordinates())
