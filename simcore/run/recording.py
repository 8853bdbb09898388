"""Record of a run: samples of every channel, and the energy ledger by element."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simcore.energy.balance import energy_balance
from simcore.energy.ledger import HIGH, EnergyLedger
from simcore.errors import BadChannel
from simcore.messages import Message
from simcore.model.geometry import rotation_vector_of
from simcore.model.workspace import Array
from simcore.run.run_warnings import run_warnings
from simcore.run.time_loop import ENERGIES

if TYPE_CHECKING:
    from simcore.run.report import DataFrame, Figure
    from simcore.run.simulation import Simulation


class Run:
    """Samples and energy ledger of a part of a simulation.

    t: times of the samples, s; run["boom.angle"]: a channel at these times, in the unit of run.units.
    """

    def __init__(
        self, sim: Simulation, t: Array, samples: Array, schedule: Array, steps: int, ledger: EnergyLedger
    ) -> None:
        self.machine, self.plan, self.channels = sim.machine, sim.plan, sim.channels
        self.dt, self.integrator, self.formulation = sim.dt, sim.integrator, sim.formulation
        self.newton = sim.newton()
        self.compliances = sim.workspace.nodes["compliance"].copy()  # at the end, m³/Pa
        self.t, self.schedule, self.steps, self.ledger = t, schedule, steps, ledger
        self.units = {channel.name: channel.unit for channel in sim.channels}
        sizes = len(sim.channels), len(sim.state), 2 * len(sim.plan.cylinders)
        self._values, self._state, self._cylinders, self._energies = np.split(
            samples, np.cumsum(sizes), axis=1
        )

    def __getitem__(self, channel: str) -> Array:
        if channel not in self.units:
            raise BadChannel(f"unknown channel {channel!r}; known: {', '.join(self.units)}")
        return self._values[:, list(self.units).index(channel)]

    @property
    def states(self) -> Array:
        """The engine's state vector at each sample."""
        return self._state

    @property
    def values(self) -> Array:
        """Every channel at each sample, in the order of the channel table."""
        return self._values

    @cached_property
    def coordinates(self) -> Array:
        """Joint coordinates as described at each sample, rad or m; a ball joint has a rotation vector."""
        head, bodies = self.plan.head[0], self.plan.bodies
        z = self._state[:, head["at_z"] : head["at_z"] + head["coords"]].copy()
        for k in np.flatnonzero(bodies["ball"] >= 0):
            at = int(head["at_q"] + 4 * bodies["ball"][k])
            axes = bodies["axis"][k - 2 : k + 1]
            z[:, k - 3 : k] = [axes @ rotation_vector_of(q) for q in self._state[:, at : at + 4]]
        return z

    @property
    def pressures(self) -> Array:
        """Pressure of every volume at each sample, Pa."""
        head = self.plan.head[0]
        return self._state[:, head["at_p"] : head["at_p"] + head["volumes"]]

    @property
    def lengths(self) -> Array:
        """Length of every cylinder at each sample, m."""
        return self._cylinders[:, 0::2]

    @property
    def pushes(self) -> Array:
        """Force of every cylinder on its mounts at each sample, N, positive if it extends the rod."""
        return self._cylinders[:, 1::2]

    @property
    def spools(self) -> Array:
        """Spool of every valve, V, and displacement of every controlled pump, at each sample."""
        head = self.plan.head[0]
        return self._state[:, head["at_u"] : head["at_u"] + head["valves"]]

    @property
    def commands(self) -> Array:
        """Commands of the spools at each sample."""
        head = self.plan.head[0]
        return self._state[:, head["at_c"] : head["at_c"] + head["valves"]]

    @property
    def energies(self) -> dict[str, Array]:
        """Energies of the whole machine at each sample, J; drift is energy that no ledger entry explains."""
        return dict(zip(ENERGIES, self._energies.T, strict=True))

    @cached_property
    def energy(self) -> dict[str, Any]:
        """The energy balance by element, J (docs/methods/energy-books.md)."""
        return energy_balance(self.machine, self.plan, self.ledger)

    @property
    def gaps(self) -> dict[str, float]:
        """Largest loop gaps during the run: position, velocity, acceleration in SI units."""
        whole = self.ledger.whole[0]
        names = {"position_max": "gap", "velocity_max": "gap_rate", "acceleration_max": "gap_curve"}
        return {name: float(whole[field][HIGH]) for name, field in names.items()}

    @cached_property
    def warnings(self) -> tuple[Message, ...]:
        """Reasons to doubt the result: energy drift, open loops, divided steps, volumes that ring."""
        return run_warnings(self)

    def to_frame(self) -> DataFrame:
        """A pandas DataFrame with the index t in s and a column per channel; attrs["units"] has the units."""
        from simcore.run.report import to_frame

        return to_frame(self)

    def plot(self, title: str | None = None, caption: str = "") -> Figure:
        """A plotly figure: coordinates, pressures, forces, commands and energy over time."""
        from simcore.run.report import figure

        return figure(self, title or self.machine.name, caption)
