"""Run a machine forward from its start, without any measurement."""

from __future__ import annotations

from collections.abc import Mapping

from simcore.engine import Engine
from simcore.errors import SimcoreError
from simcore.integrate.advance import REFERENCE, RK4, TRAPEZOIDAL, advance
from simcore.model.elements import Machine

_METHODS = {"trapezoidal": TRAPEZOIDAL, "rk4": RK4, "trapezoidal-reference": REFERENCE}


class Simulation(Engine):
    """A machine in motion.

    integrator: "trapezoidal" (implicit, loops by penalty), "rk4" (explicit, loops closed exactly) or
    "trapezoidal-reference" (forward-difference tangent and forward-Euler spool, as the publications ran it).
    """

    def __init__(self, machine: Machine, dt: float = 1e-3, integrator: str = "trapezoidal") -> None:
        if integrator not in _METHODS:
            raise SimcoreError(f"unknown integrator {integrator!r}; known: {', '.join(_METHODS)}")
        super().__init__(machine, dt)
        self.method = _METHODS[integrator]

    def advance(self, n_steps: int, inputs: Mapping[str, float] | None = None) -> None:
        """Take steps with the commands held; raises Diverged and keeps the last good state."""
        self.command(inputs or {})
        args = (self.plan, self.state, self.work, n_steps, self.dt, self.method, self.counters)
        if advance(*args) < n_steps:
            raise self.diverged()

    def outputs(self) -> dict[str, float]:
        """Every channel by name, free of noise."""
        return dict(zip(self.index, (float(x) for x in self.read()), strict=True))
