"""Run a machine forward from its start, without any measurement."""

from __future__ import annotations

import math
from collections.abc import Mapping

from simcore.engine import Engine
from simcore.errors import SimcoreError
from simcore.integrate.advance import advance_implicit, advance_rk4
from simcore.model.elements import Machine
from simcore.model.plan import LEAK, PUMP, Records

_RK4_LIMIT = 2.785  # of |λ| dt on the negative real axis
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
        if integrator == "trapezoidal-reference":
            self.plan.head["penalty_dt"] = 0.0  # the publications kept one penalty factor
        if integrator == "rk4":
            self._refuse_unstable()

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

    def _refuse_unstable(self) -> None:
        """An explicit step must follow the fastest pressure: |λ| dt < 2.785 for Runge-Kutta of order four.

        λ of a volume: slope of all flow into it, laminar and with spools fully open, over its compliance.
        """
        valves, worst = self.plan.valves, (0.0, "")
        self.read()
        for k, volume in enumerate(self.machine.volumes):
            for side in (1.0, -1.0):
                slope = 0.0
                for edge in self.plan.edges:
                    opening = 1.0
                    if edge["valve"] >= 0:
                        opening = max(side * edge["sign"], 0.0) * valves[edge["valve"]]["limit"]
                    if k in (edge["a"], edge["b"]):
                        slope += _steepest(edge, opening)
                worst = max(worst, (slope / float(self.work.nodes["compliance"][k]), volume.name))
        if worst[0] * self.dt > _RK4_LIMIT:
            raise SimcoreError(
                f"dt = {self.dt:g} s is too long for rk4: volume {worst[1]!r} is stable "
                f"up to {_RK4_LIMIT / worst[0]:.2g} s; take a shorter step or the trapezoidal rule"
            )

    def outputs(self) -> dict[str, float]:
        """Every channel by name, free of noise."""
        return dict(zip(self.index, (float(x) for x in self.read()), strict=True))


def _steepest(edge: Records, opening: float) -> float:
    """Largest slope of flow over pressure that an edge can have, m³/(s Pa)."""
    if edge["kind"] == PUMP:
        return 0.0
    if edge["kind"] == LEAK:
        return float(edge["coefficient"])
    coefficient = opening * edge["coefficient"]
    if edge["points"] and opening > 0:
        coefficient = edge["value"].max()
    return float(coefficient / math.sqrt(edge["laminar"]))
