"""Runs the open-loop model, which has nominal parameters and the machine's inputs and is never corrected."""

from __future__ import annotations

from math import isnan, nan

import numpy as np

from simcore.errors import Diverged
from simcore.model.elements import Machine
from simcore.model.workspace import Array
from simcore.run.simulation import Simulation

# s that it steps at once: it is shown, and nothing is computed from it. On four-bar-b 2 ms instead of 1 ms
# change 1e-4 rad, and 2 % of a pressure for a moment after a valve moves; a large machine takes up to 5 ms.
_SPAN, _LONG_SPAN = 2e-3, 5e-3
_LARGE = 12  # coordinates and pressures


class OpenLoopModel:
    """A model that starts from the twin's state and then runs without corrections, while it is wanted.

    Its steps are postponed until a result is read, and it may lag behind the twin by part of a stride. A
    cylinder may drift beyond its stroke; the model then has no values until it is restarted. Nothing in the
    twin depends on it, and it is not part of a dump.
    """

    def __init__(self, machine: Machine, dt: float) -> None:
        large = len(machine.bodies) + len(machine.volumes) > _LARGE
        # whole steps of the twin; the part of a microsecond is against rounding
        self._stride = max(1, int(((_LONG_SPAN if large else _SPAN) + 1e-7) / dt))
        self._sim = Simulation(machine, self._stride * dt)
        self._at_c = int(self._sim.plan.head[0]["at_c"])
        self._owed = 0  # steps of the twin that it has not taken yet
        self.since = nan  # time at which the model was started, s; NaN while it does not run
        self.lost = False  # whether it has failed

    @property
    def running(self) -> bool:
        return not isnan(self.since)

    def begin(self, state: Array, time: float) -> None:
        """Start from the state of the twin at the given time, s."""
        self._sim.state[:] = state
        self.since, self.lost, self._owed = time, False, 0

    def stop(self) -> None:
        self.since, self.lost = nan, False

    def command(self, index: int, value: float) -> None:
        """Store an input; postponed steps are taken with the old one."""
        if self.running and value != self._sim.state[self._at_c + index]:
            self._catch_up()
            self._sim.state[self._at_c + index] = value

    def advance(self, n_steps: int) -> None:
        self._owed += n_steps

    def _catch_up(self) -> None:
        """Take the postponed steps, except for part of a stride."""
        strides, self._owed = divmod(self._owed, self._stride)
        if strides == 0 or self.lost:
            return
        try:
            self._sim.advance(strides)
        except Diverged:
            self.lost = True

    def values(self) -> Array:
        """Every channel in SI units; NaN while the model does not run and if it has failed."""
        if self.running:
            self._catch_up()
        return self._sim.read() if self.running and not self.lost else np.full(len(self._sim.channels), nan)
