"""Times the derivatives of a step and compares them with finite differences of the step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from simcore import registry
from simcore.cli.bench.timing import Contender, Timing, in_turns, timing
from simcore.estimate.biases import BIAS
from simcore.estimate.linearise.jacobian import fill_jacobian, jacobian_at, place_of, unit_of
from simcore.estimate.linearise.step_transition import assemble_step, solve_step
from simcore.formulation.partition import settle
from simcore.integrate.advance import TRAPEZOIDAL, take_implicit
from simcore.kernels.jit import kernel
from simcore.model.plan import Plan, Records
from simcore.model.quantity import assumed
from simcore.model.workspace import Array, Workspace
from simcore.run.simulation import Simulation

_DT = 1e-3  # s
_RIG = "four-bar-b"
_COMMANDS = ((300, 5.0), (600, 5.0), (900, -5.0), (700, 0.0))  # steps, V: lifting, lifting, lowering, at rest
_STEPS = 2000
_NO_BIAS = np.zeros(0, dtype=BIAS)
_NUDGES = (1e-5, 2e-5, 1e-3)  # rad, rad/s, MPa


@kernel
def _step_on(
    plan: Plan,
    biases: Records,
    state: Array,
    ws: Workspace,
    dt: float,
    steps: int,
    derive: bool,
    slopes: Array,
    system: Array,
    counters: Array,
) -> int:
    """Take steps, with or without ∂x₊/∂x of each. slopes: Jacobians at start and end, alternating."""
    head = plan.head[0]
    n = head.states
    for done in range(steps):
        if not take_implicit(plan, state, ws, dt, TRAPEZOIDAL, False, counters, True):
            return done
        if derive:
            now = done % 2
            fill_jacobian(plan, biases, state, ws, False, slopes[1 - now])
            assemble_step(n, head.free, n, slopes[now], slopes[1 - now], 0.0, dt, system)
            solve_step(n, head.free, n, dt, system)
    return steps


class _Steps:
    """Continues to step the rig when it is at rest after its work."""

    def __init__(self, derive: bool) -> None:
        self._sim = _moved(Simulation(registry.get(_RIG).build(), dt=_DT), _COMMANDS)
        states, channels = int(self._sim.plan.head[0]["states"]), len(self._sim.channels)
        self._derive = derive
        self._slopes = np.zeros((2, states + channels, states + 1))
        self._system = np.zeros((states, 2 * states))
        self.advance(1)

    def advance(self, n_steps: int, /) -> None:
        sim, derive = self._sim, (self._derive, self._slopes, self._system)
        _step_on(sim.plan, _NO_BIAS, sim.state, sim.workspace, _DT, n_steps, *derive, sim.counters)


def _moved(sim: Simulation, commands: tuple[tuple[int, float], ...]) -> Simulation:
    for steps, command in commands:
        sim.advance(steps, {"valve.command": command})
    return sim


def take() -> Iterator[Timing]:
    """Time a step without and with derivatives; error: worst column against central differences."""
    error = max(_error(_COMMANDS[:n]) for n in range(1, len(_COMMANDS) + 1))
    plain, derived = in_turns([Contender("", lambda d=d: _Steps(d), _STEPS) for d in (False, True)])  # type: ignore[misc]
    error_of = "worst column to differences of the whole step, of its norm", error
    bare = timing(f"step of {_RIG}", "simcore implicit", plain, _DT, ("no derivatives", 0.0))
    both = timing(f"step of {_RIG}", "with its derivatives", derived, _DT, error_of)
    more = [with_it - without for with_it, without in zip(derived, plain, strict=True)]
    best = both.best_us - bare.best_us
    added = timing(f"derivatives of {_RIG}", "on top of the step", more, _DT, error_of)
    yield from (bare, both, replace(added, best_us=best, realtime_factor=_DT * 1e6 / best))


def _error(commands: tuple[tuple[int, float], ...]) -> float:
    """Error of the worst column; Newton tolerances are tight enough for finite differences of whole steps."""
    machine = registry.get(_RIG).build()
    tight = replace(
        machine.solver,
        position_tolerance=assumed(1e-11, "rad"),
        pressure_tolerance=assumed(1e-5, "Pa"),
    )
    sim = _moved(Simulation(replace(machine, solver=tight), dt=_DT), commands)
    plan, ws, head = sim.plan, sim.workspace, sim.plan.head[0]
    states, free = int(head["states"]), int(head["free"])
    places = [place_of(plan, i) for i in range(states)]
    units = np.array([unit_of(plan, i) for i in range(states)])

    def step(state: Array) -> Array:
        """A step from a state whose rates have been recomputed."""
        sim.state[:] = state
        settle(plan, sim.state, ws)
        sim.advance(1)
        return sim.state.copy()

    start = sim.state.copy()
    settle(plan, start, ws)
    before, after = np.zeros((2, states + len(sim.channels), states + 1))
    jacobian_at(plan, _NO_BIAS, start, ws, before)
    jacobian_at(plan, _NO_BIAS, step(start), ws, after)
    before, after, one = before[:states, :states], after[:states, :states], np.eye(states)
    ours = np.linalg.solve(one - _DT / 2 * after, one + _DT / 2 * before)
    worst = 0.0
    for j, size in enumerate(_nudges(free, states)):
        nudge = np.zeros_like(start)
        nudge[places[j]] = size * units[j]
        theirs = (step(start + nudge)[places] - step(start - nudge)[places]) / units / (2 * size)
        worst = max(worst, float(np.linalg.norm(ours[:, j] - theirs) / np.linalg.norm(theirs)))
    return worst


def _nudges(free: int, states: int) -> list[float]:
    return [_NUDGES[min(j // free, 2)] for j in range(states)]
