"""`python -m simcore bench`: times of steps with their errors, beside a peer in the same run.

CPU time of one thread, best and median of seven; ours and the peer's in turns, so both see the same load.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from simcore import cases
from simcore.cases.case import Gauge
from simcore.cli import mujoco_peer
from simcore.errors import SimcoreError
from simcore.model.elements import Machine
from simcore.run import run
from simcore.simulation import Simulation

_REPEATS = 7
_DT = 1e-3  # s
_EXACT_DT = 2e-5  # s
_CHAINS = (6, 10, 20, 60)


@dataclass(frozen=True)
class Timing:
    """Time of a step, us, and how wrong the run was that it was taken from."""

    what: str
    engine: str
    best_us: float
    median_us: float
    error: float
    error_of: str
    realtime_factor: float
    of_peer: float | None = None  # our best over the peer's


class _Steps(Protocol):
    def advance(self, n_steps: int, /) -> None: ...


def bench(names: Iterable[str]) -> Iterator[Timing]:
    """The timings by name, all when none is named."""
    chosen = tuple(names) or tuple(_BENCHES)
    for name in chosen:
        if name not in _BENCHES:
            raise SimcoreError(f"unknown benchmark {name!r}; known: {', '.join(_BENCHES)}")
    for name in chosen:
        yield from _BENCHES[name]()


def circumstances() -> str:
    return f"load average {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores"


def as_json(timings: Iterable[Timing]) -> dict[str, Any]:
    return {"circumstances": circumstances(), "timings": [asdict(timing) for timing in timings]}


def line(t: Timing) -> str:
    beside = "" if t.of_peer is None else f", {t.of_peer:.2f} of the peer's"
    return (
        f"{t.what:24} {t.engine:16} {t.best_us:8.2f} us best, {t.median_us:8.2f} median{beside}; "
        f"{t.error_of} {t.error:.1e}; {t.realtime_factor:.0f} times real time"
    )


def _in_turns(makers: list[Callable[[], _Steps]], steps: int) -> list[list[float]]:
    """CPU time of a step of each engine, us, seven times from its start."""
    found: list[list[float]] = [[] for _ in makers]
    for _ in range(_REPEATS):
        for times, make in zip(found, makers, strict=True):
            engine = make()
            begin = time.process_time()
            engine.advance(steps)
            times.append((time.process_time() - begin) / steps * 1e6)
    return found


def _timing(what: str, engine: str, times: list[float], error: float, error_of: str) -> Timing:
    best = min(times)
    return Timing(what, engine, best, statistics.median(times), error, error_of, _DT * 1e6 / best)


def _chains() -> Iterator[Timing]:
    """Falling chains by RK4, ours and MuJoCo's; error of the tip after a second."""
    case = cases.get("chain")
    assert case.gauge is not None  # noqa: S101 - the case is ours
    for spatial in (0.0, 1.0):
        for n in _CHAINS:
            machine = case.build(n=float(n), spatial=spatial)
            what = f"chain {n} {'spatial' if spatial else 'plane'}"
            yield from _chain(what, machine, case.gauge)


def _chain(what: str, machine: Machine, gauge: Gauge) -> Iterator[Timing]:
    def ours(dt: float = _DT) -> Simulation:
        return Simulation(machine, dt=dt, integrator="rk4")

    def theirs(dt: float = _DT) -> mujoco_peer.Hinges:
        return mujoco_peer.Hinges(machine, dt)

    makers: dict[str, Any] = {"simcore rk4": ours}
    if mujoco_peer.available():
        makers["mujoco rk4"] = theirs
    times = _in_turns(list(makers.values()), round(1.0 / _DT))
    exact = ours(_EXACT_DT)
    exact.advance(round(1.0 / _EXACT_DT))
    target = gauge.measure(machine, exact.coordinates())
    found = []
    for (engine, make), taken in zip(makers.items(), times, strict=True):
        sim = make()
        sim.advance(round(1.0 / _DT))
        error = float(np.linalg.norm(gauge.measure(machine, sim.coordinates()) - target))
        found.append(_timing(what, engine, taken, error, "tip, m"))
    if len(found) == 2:
        mine = asdict(found[0]) | {"of_peer": found[0].best_us / found[1].best_us}
        found[0] = Timing(**mine)
    yield from found


def _free_four_bar() -> Iterator[Timing]:
    """The undamped four-bar; error of its crank, and the gap of its loop."""
    case = cases.get("four-bar-free")
    machine = case.build()
    times = _in_turns([lambda: Simulation(machine, dt=_DT)], round(case.t_end / _DT))
    result = run(case, {}, dt=_DT)
    gap = result["constraint"]["position_max"]
    yield _timing(
        "four-bar-free", "simcore implicit", times[0], result["error"]["crank_rad"],
        f"gap {gap:.0e} m, crank, rad",
    )  # fmt: skip


def _driven(name: str) -> Callable[[], Iterator[Timing]]:
    """A published case through its whole drive; error against the reference mode with the same spool."""

    def take() -> Iterator[Timing]:
        case = cases.get(name)
        spool = {"spool": "euler"}
        fast, reference = (
            run(case, spool, dt=_DT, sample_dt=0.01, integrator=integrator)["samples"]["z_deg"]
            for integrator in ("trapezoidal", "trapezoidal-reference")
        )
        error = float(np.max(np.abs(np.radians(np.asarray(fast) - np.asarray(reference)))))
        times = [run(case, {}, dt=_DT)["us_per_step"] for _ in range(_REPEATS)]
        yield _timing(name, "simcore implicit", times, error, "angle, rad")

    return take


_BENCHES: dict[str, Callable[[], Iterator[Timing]]] = {
    "chain": _chains,
    "four-bar-free": _free_four_bar,
    "rahikainen-a": _driven("rahikainen-a"),
    "four-bar-b": _driven("four-bar-b"),
}
