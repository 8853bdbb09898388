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
# formulation -> integrators; the first formulation that has an integrator is its default
COMBINATIONS = {
    "penalty": ("trapezoidal", "damped", "trapezoidal-reference"),
    "double-step": ("rk4", "trapezoidal", "damped"),
    "index1": ("rk4",),
}
_INTEGRATORS = ("trapezoidal", "damped", "rk4", "trapezoidal-reference")


def choose_formulation(integrator: str, formulation: str | None) -> str:
    """The formulation for a run; a combination that does not exist is refused with those that do."""
    if integrator not in _INTEGRATORS:
        raise SimcoreError(f"unknown integrator {integrator!r}; known: {', '.join(_INTEGRATORS)}")
    if formulation is None:
        return next(name for name, known in COMBINATIONS.items() if integrator in known)
    if formulation not in COMBINATIONS:
        raise SimcoreError(f"unknown formulation {formulation!r}; known: {', '.join(COMBINATIONS)}")
    if integrator not in COMBINATIONS[formulation]:
        raise SimcoreError(
            f"formulation {formulation} does not go with integrator {integrator}; "
            f"it goes with: {', '.join(COMBINATIONS[formulation])}"
        )
    return formulation


class Simulation(Engine):
    """A machine in motion.

    integrator: "trapezoidal" (implicit), "damped" (implicit, forgets stiff volumes), "rk4" (explicit) or
    "trapezoidal-reference" (forward-difference tangent and forward-Euler spool, as the publications ran it).
    formulation of the loops: "penalty", "double-step" (coordinate partitioning) or "index1"; by default
    partitioning with rk4 and penalty otherwise.
    """

    def __init__(
        self,
        machine: Machine,
        dt: float = 1e-3,
        integrator: str = "trapezoidal",
        formulation: str | None = None,
    ) -> None:
        self.formulation = choose_formulation(integrator, formulation)
        super().__init__(machine, dt)
        self.integrator = integrator
        if integrator == "trapezoidal-reference":
            self.plan.head["penalty_dt"] = 0.0  # the publications kept one penalty factor
        if self.formulation == "double-step":
            self.refuse_redundant("double-step")
        if integrator == "rk4":
            self._refuse_unstable()

    def advance(self, n_steps: int, inputs: Mapping[str, float] | None = None) -> None:
        """Take steps with the commands held; raises Diverged and keeps the last good state."""
        self.command(inputs or {})
        double = self.formulation == "double-step"
        run = self.plan, self.state, self.work, n_steps, self.dt
        if self.integrator == "rk4":
            done = advance_rk4(*run, not double, self.counters)
        else:
            reference = self.integrator == "trapezoidal-reference"
            done = advance_implicit(*run, reference, self.integrator == "damped", double, self.counters)
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
