"""Steps many machines with the same description in one call."""

from __future__ import annotations

import numpy as np

from simcore.errors import SimcoreError
from simcore.model.elements import Machine
from simcore.model.workspace import Array
from simcore.run.engine import Engine
from simcore.run.time_loop import RULES, Stepping, no_recorder, run_steps

_UNCHANGED = np.zeros((0, 0))  # commands do not change while they run
_INTEGRATORS = ("trapezoidal", "damped")


class Batch(Engine):
    """Equal machines, each with its own state and commands.

    states: a row per machine, initially the described start.
    Penalties close the loops: a step depends only on its own state, so each machine moves as it would alone.
    """

    def __init__(
        self, machine: Machine, count: int, dt: float = 1e-3, integrator: str = "trapezoidal"
    ) -> None:
        if count < 1:
            raise SimcoreError(f"count = {count}: must be at least 1")
        if integrator not in _INTEGRATORS:
            raise SimcoreError(f"unknown integrator {integrator!r}; known: {', '.join(_INTEGRATORS)}")
        super().__init__(machine, dt)
        self.states = np.tile(self.state, (count, 1))
        self.tallies = np.tile(self.counters, (count, 1))
        self._stepping = Stepping(RULES.index(integrator), False, dt)
        self._no_recorder = no_recorder(self.plan)

    def command_all(self, name: str, values: Array) -> None:
        """Set one command, with a value per machine."""
        self.refuse_no_input([name])
        values = np.asarray(values, dtype=float)
        if values.shape != (len(self.states),):
            raise SimcoreError(
                f"input {name!r}: values have shape {values.shape}: "
                f"must be one value for each of {len(self.states)} machines"
            )
        if not np.all(np.isfinite(values)):
            raise SimcoreError(
                f"input {name!r}: the value for machine {int(np.argmin(np.isfinite(values)))} must be finite"
            )
        self.states[:, self.plan.head[0]["at_c"] + self.plan.channels[self.position(name)]["index"]] = values

    def advance(self, n_steps: int) -> None:
        """Take steps with every machine, one after the other; raises Diverged for the first that fails.

        Machines before it have taken all steps; it is at its last good state; those after it have not moved.
        """
        done = run_steps(
            self.plan, self.states, self.workspace, self._stepping, n_steps, _UNCHANGED, self.tallies,
            self._no_recorder,
        )  # fmt: skip
        if done < len(self.states):
            self.take(done)
            raise self.diverged()

    def take(self, index: int) -> None:
        """Select one machine, for `read` and everything else that an engine reports."""
        self.state[:], self.counters[:] = self.states[index], self.tallies[index]
