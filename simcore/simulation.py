"""Run a machine forward from its start, without any measurement."""

from __future__ import annotations

from collections.abc import Mapping

from simcore.engine import Engine
from simcore.errors import SimcoreError
from simcore.integrate.advance import advance_implicit, advance_rk4
from simcore.model.elements import Machine

_INTEGRATORS = ("trapezoidal", "rk4", "trapezoidal-reference")


class Simulation(Engine):
    """A machine in motion.

    integrator: "trapezoidal" (implicit, loops by penalty), "rk4" (explicit, loops closed exactly) or
    "trapezoidal-reference" (forward-difference tangent and forward-Euler spool, as the publications ran it).
    """

    def __init__(self, machine: Machine, dt: float = 1e-3, integrator: str = "trapezoidal") -> None:
        if integrator not in _INTEGRATORS:
            raise SimcoreError(f"unknown integrator {integrator!r}; known: {', '.join(_INTEGRATORS)}")
        super().__init__(machine, dt)
        self.integrator = integrator

    def advance(self, n_steps: int, inputs: Mapping[str, float] | None = None) -> None:
        """Take steps with the commands held; raises Diverged and keeps the last good state."""
        self.command(inputs or {})
        if self.integrator == "rk4":
            done = advance_rk4(self.plan, self.state, self.work, n_steps, self.dt, self.counters)
        else:
            reference = self.integrator == "trapezoidal-reference"
            done = advance_implicit(
                self.plan, self.state, self.work, n_steps, self.dt, reference, self.counters
            )
        if done < n_steps:
            raise self.diverged()

    def outputs(self) -> dict[str, float]:
        """Every channel by name, free of noise."""
        return dict(zip(self.index, (float(x) for x in self.read()), strict=True))
