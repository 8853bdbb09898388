"""Times the filter's linear algebra in comparison with filterpy, and a complete live twin of a rig."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simcore import registry
from simcore.cli.bench import filterpy_peer
from simcore.cli.bench.filterpy_peer import Problem
from simcore.cli.bench.peers import installed
from simcore.cli.bench.timing import Contender, Timing, beside, in_turns, timing
from simcore.estimate.filter.correction import fuse
from simcore.estimate.filter.covariance import propagate
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.kernels.jit import kernel
from simcore.model.plan import Plan
from simcore.model.workspace import Array
from simcore.run.engine import Engine
from simcore.run.simulation import Simulation

_DT = 1e-3  # s
_LINKS, _SENSORS = 5, 3  # of a chain: two states a link
_SIGMA = 0.01
_CYCLES = 1000
_RIG = "four-bar-b"
_EVERY = 20  # steps between two readings of the live twin


@kernel
def _cycles(
    plan: Plan,
    system: Array,
    noise: Array,
    cov: Array,
    readings: Array,
    sigmas: Array,
    slope: Array,
    dx: Array,
    spare: Array,
    transposed: Array,
    innovations: Array,
    count: int,
) -> None:
    """Predict and correct the covariance repeatedly with a given transition."""
    n, free = plan.head[0].states, plan.head[0].free
    for _ in range(count):
        propagate(n, free, n, n, _DT, system, cov, spare, transposed)
        for i in range(n):
            for j in range(n):
                cov[i, j] += noise[i, j]
        fuse(
            plan,
            readings,
            sigmas,
            1e9,
            spare[n],
            slope,
            cov,
            spare[:, :0],
            dx,
            spare,
            innovations,
            dx,
            spare[:0],
        )


class Kernels:
    """Our kernels for the problem; a chain's plan provides the right number of states and channels."""

    def __init__(self, problem: Problem) -> None:
        self._plan = Engine(registry.get("chain").build(n=float(_LINKS)), _DT).plan
        channels, n = len(self._plan.channels), len(problem.slope)
        self._readings = np.full(channels, np.nan)
        self._readings[:_SENSORS] = 0.0
        self._slope = np.zeros((n + channels, n + 1))
        self._slope[n : n + _SENSORS, :n] = problem.sensors
        self._system = np.zeros((n, 2 * n))
        self._system[:, n:], self._noise = problem.discrete()
        self._transposed = np.ascontiguousarray(self._system[n // 2 :, n:].T)
        self.covariance = problem.covariance.copy()
        self._sigmas, self._dx = np.full(channels, problem.sigma), np.zeros(n)
        self._spare, self._innovations = np.zeros((n + 2, n)), np.zeros((channels, 2))
        self._spare[n] = 1.0  # every state is corrected

    def advance(self, n_steps: int, /) -> None:
        _cycles(
            self._plan, self._system, self._noise, self.covariance, self._readings, self._sigmas, self._slope,
            self._dx, self._spare, self._transposed, self._innovations, n_steps,
        )  # fmt: skip


def coupled_oscillators() -> Problem:
    """Oscillators of different frequencies, loosely coupled; the first three positions are measured."""
    states = 2 * _LINKS
    slope = np.zeros((states, states))
    slope[:_LINKS, _LINKS:] = np.eye(_LINKS)
    stiffness = np.diag(np.linspace(20.0, 200.0, _LINKS)) + 5.0
    slope[_LINKS:, :_LINKS], slope[_LINKS:, _LINKS:] = -stiffness, -0.5 * np.eye(_LINKS)
    head = Engine(registry.get("chain").build(n=float(_LINKS)), _DT).plan.head[0]
    noise = np.concatenate([np.zeros(_LINKS), np.full(_LINKS, float(head["noise_a"]))])
    return Problem(_DT, slope, noise, np.eye(_SENSORS, states), _SIGMA, 0.01 * np.eye(states))


def take() -> Iterator[Timing]:
    """Time one cycle with ten states: a prediction with a given transition, and three readings."""
    problem = coupled_oscillators()
    what = f"filter, {2 * _LINKS} states"
    makers: dict[str, Any] = {"simcore kernels": lambda: Kernels(problem)}
    if installed("filterpy"):
        makers["filterpy KalmanFilter"] = lambda: filterpy_peer.Filter(problem)
    Kernels(problem).advance(1)  # compiled before times are taken
    times = in_turns([Contender(engine, make, _CYCLES) for engine, make in makers.items()])
    exact = problem.covariance_after(_CYCLES)
    rows = []
    for (engine, make), taken in zip(makers.items(), times, strict=True):
        contender = make()
        contender.advance(_CYCLES)
        error = float(np.max(np.abs(contender.covariance - exact)) / np.max(np.abs(exact)))
        rows.append(timing(what, engine, taken, _DT, ("covariance, of its largest entry", error)))
    yield from beside(rows[0], rows[1:])


class _Live:
    """Runs a twin for one second as a runner does; its error is that of the crank angle at the end."""

    def __init__(self, readings: list[dict[str, float]]) -> None:
        self._readings = readings
        self.twin = LiveTwin(registry.get(_RIG).build())
        self.twin.start({"crank.angle": readings[0]["crank.angle"]})

    def advance(self, n_steps: int, /) -> None:
        for reading in self._readings[: n_steps // _EVERY]:
            self.twin.advance(_EVERY)
            self.twin.correct(reading)


def live_twin() -> Iterator[Timing]:
    """Time a live twin: model, covariance and corrections at 50 Hz; error: crank angle after 1 s."""
    source = Simulation(registry.get(_RIG).build())
    noise = np.random.default_rng(1)
    readings = []
    for _ in range(1000 // _EVERY):
        source.advance(_EVERY, {"valve.command": 2.0})
        outputs = source.outputs()
        reading = {name: outputs[name] for name in ("hose.p", "cylinder.p_B", "valve.command")}
        reading["crank.angle"] = outputs["crank.angle"] + noise.normal(0, np.radians(0.25))
        reading["crank.rate"] = outputs["crank.rate"] + noise.normal(0, 0.01)
        readings.append(reading)
    (times,) = in_turns([Contender("", lambda: _Live(readings), 1000)])
    live = _Live(readings)
    live.advance(1000)
    error = abs(live.twin.engine.coordinates()[0] - source.coordinates()[0])
    yield timing(f"live twin of {_RIG}", "simcore model and filter", times, _DT, ("crank, rad", float(error)))
