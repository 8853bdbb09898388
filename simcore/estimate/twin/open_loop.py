"""The open-loop model: nominal parameters and the machine's inputs, never corrected."""

from __future__ import annotations

import numpy as np

from simcore.errors import Diverged
from simcore.model.elements import Machine
from simcore.model.workspace import Array
from simcore.run.simulation import Simulation

_SINCE, _LOST, _OWED = range(3)  # its own numbers, after the state
_OWN = 3
# Steps of the twin that it takes at once: it is shown, and nothing is computed from it. On four-bar-b two at
# once change 1e-4 rad, and 2 % of a pressure for a moment after a valve moves; a large machine takes five.
_STRIDE, _LONG_STRIDE = 2, 5
_LARGE = 12  # coordinates and pressures


class OpenLoopModel:
    """Starts from the twin's state and then runs without corrections.

    Steps are owed until their result is read, and it may lag the twin by part of a stride. It may drift out
    of its stroke; then it has no values until it is started again.
    """

    def __init__(self, machine: Machine, dt: float) -> None:
        large = len(machine.bodies) + len(machine.volumes) > _LARGE
        self._stride = _LONG_STRIDE if large else _STRIDE
        self._sim = Simulation(machine, self._stride * dt)
        self._own = np.zeros(_OWN)
        self._at_c = int(self._sim.plan.head[0]["at_c"])

    @property
    def size(self) -> int:
        """Number of values that it continues from."""
        return len(self._sim.state) + _OWN

    def move_into(self, memory: Array) -> None:
        """Move these values into a part of another memory."""
        self._sim.state, self._own = memory[:-_OWN], memory[-_OWN:]

    def begin(self, state: Array, time: float) -> None:
        """Start from the state of the twin at that time, s."""
        self._sim.state[:] = state
        self._own[:] = time, 0.0, 0.0

    @property
    def since(self) -> float:
        """When it was started, s."""
        return float(self._own[_SINCE])

    @property
    def lost(self) -> bool:
        """Whether it could not go on."""
        return bool(self._own[_LOST])

    def command(self, index: int, value: float) -> None:
        """Latch an input; owed steps are taken with the old one."""
        if value != self._sim.state[self._at_c + index]:
            self.catch_up()
            self._sim.state[self._at_c + index] = value

    def advance(self, n_steps: int) -> None:
        self._own[_OWED] += n_steps

    def catch_up(self) -> None:
        """Take the owed steps, except part of a stride."""
        strides, rest = divmod(int(self._own[_OWED]), self._stride)
        self._own[_OWED] = rest
        if strides == 0 or self.lost:
            return
        try:
            self._sim.advance(strides)
        except Diverged:
            self._own[_LOST] = 1.0

    def values(self) -> Array:
        """Every channel in SI units; NaN if it could not go on."""
        self.catch_up()
        return np.full(len(self._sim.channels), np.nan) if self.lost else self._sim.read()
