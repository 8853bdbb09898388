"""Runs the open-loop model, which has nominal parameters and the machine's inputs and is never corrected."""

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
    """A model that starts from the twin's state and then runs without corrections.

    Its steps are postponed until a result is read, and it may lag behind the twin by part of a stride. A
    cylinder may drift beyond its stroke; the model then has no values until it is restarted.
    """

    def __init__(self, machine: Machine, dt: float) -> None:
        large = len(machine.bodies) + len(machine.volumes) > _LARGE
        self._stride = _LONG_STRIDE if large else _STRIDE
        self._sim = Simulation(machine, self._stride * dt)
        self._own = np.zeros(_OWN)
        self._at_c = int(self._sim.plan.head[0]["at_c"])

    @property
    def size(self) -> int:
        """Number of values that the model continues from."""
        return len(self._sim.state) + _OWN

    def move_into(self, memory: Array) -> None:
        """Move these values into a part of another memory."""
        self._sim.state, self._own = memory[:-_OWN], memory[-_OWN:]

    def begin(self, state: Array, time: float) -> None:
        """Start from the state of the twin at the given time, s."""
        self._sim.state[:] = state
        self._own[:] = time, 0.0, 0.0

    @property
    def since(self) -> float:
        """Time at which the model was started, s."""
        return float(self._own[_SINCE])

    @property
    def lost(self) -> bool:
        """Whether the model has failed."""
        return bool(self._own[_LOST])

    def command(self, index: int, value: float) -> None:
        """Store an input; postponed steps are taken with the old one."""
        if value != self._sim.state[self._at_c + index]:
            self.catch_up()
            self._sim.state[self._at_c + index] = value

    def advance(self, n_steps: int) -> None:
        self._own[_OWED] += n_steps

    def catch_up(self) -> None:
        """Take the postponed steps, except for part of a stride."""
        strides, rest = divmod(int(self._own[_OWED]), self._stride)
        self._own[_OWED] = rest
        if strides == 0 or self.lost:
            return
        try:
            self._sim.advance(strides)
        except Diverged:
            self._own[_LOST] = 1.0

    def values(self) -> Array:
        """Every channel in SI units; NaN if the model has failed."""
        self.catch_up()
        return np.full(len(self._sim.channels), np.nan) if self.lost else self._sim.read()
