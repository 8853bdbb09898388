"""Simulates a machine from its start state, without measurements."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from simcore.energy.ledger import make_ledger
from simcore.errors import SimcoreError
from simcore.kernels.direct import direct
from simcore.model.elements import Machine
from simcore.model.plan import COMMAND
from simcore.model.workspace import Array
from simcore.run.engine import Engine
from simcore.run.inputs import Input, schedule_inputs
from simcore.run.recording import Run
from simcore.run.run_warnings import fastest_pressure
from simcore.run.time_loop import ENERGIES, RULES, Recorder, Stepping, no_recorder, run_steps

_RK4_LIMIT = 2.785  # of |λ| dt on the negative real axis
_MAX_STEPS = 20_000_000
_MAX_SAMPLES = 1_000_000
_USUAL_SAMPLES = 5_000
_UNCHANGED = np.zeros((0, 0))  # a schedule without changes
# formulation -> integrators; the first formulation that has an integrator is its default
COMBINATIONS = {
    "penalty": ("trapezoidal", "damped", "trapezoidal-reference"),
    "double-step": ("rk4", "trapezoidal", "damped"),
    "index1": ("rk4",),
}


def choose_formulation(integrator: str, formulation: str | None) -> str:
    """The formulation for a run; refuses a combination that does not exist and names those that do."""
    if integrator not in RULES:
        raise SimcoreError(f"unknown integrator {integrator!r}; known: {', '.join(RULES)}")
    if formulation is None:
        return next(name for name, known in COMBINATIONS.items() if integrator in known)
    if formulation not in COMBINATIONS:
        raise SimcoreError(f"unknown formulation {formulation!r}; known: {', '.join(COMBINATIONS)}")
    if integrator not in COMBINATIONS[formulation]:
        raise SimcoreError(
            f"formulation {formulation} cannot be used with integrator {integrator}; "
            f"use one of these integrators: {', '.join(COMBINATIONS[formulation])}"
        )
    return formulation


class Simulation(Engine):
    """A machine in motion.

    integrator: "trapezoidal" (implicit), "damped" (implicit, damps stiff volumes), "rk4" (explicit) or
    "trapezoidal-reference" (forward-difference tangent and forward-Euler spool, as in the publications).
    formulation of the loops: "penalty", "double-step" (coordinate partitioning) or "index1"; the default is
    double-step with rk4 and penalty otherwise.
    """

    def __init__(
        self,
        machine: Machine,
        dt: float = 1e-3,
        integrator: str = "trapezoidal",
        formulation: str | None = None,
    ) -> None:
        self.formulation = choose_formulation(integrator, formulation)
        published = integrator == "trapezoidal-reference" or machine.solver.spool == "euler"
        super().__init__(machine, dt, published)
        self.integrator = integrator
        self._stepping = Stepping(RULES.index(integrator), self.formulation == "double-step", dt)
        self._no_recorder = no_recorder(self.plan)
        if self.formulation == "double-step":
            self.refuse_redundant("double-step")
        if integrator == "rk4":
            self._refuse_unstable()

    def advance(self, n_steps: int, inputs: Mapping[str, float] | None = None) -> None:
        """Take steps with constant commands; on failure raises Diverged and keeps the last good state."""
        if inputs:
            self.command(inputs)
        self.follow(_UNCHANGED, n_steps)

    def follow(self, schedule: Array, n_steps: int) -> None:
        """Take steps with a schedule of commands (simcore/run/inputs.py), without recording."""
        self._run_steps(np.ascontiguousarray(schedule), n_steps, self._no_recorder)

    def run(
        self, seconds: float, inputs: Mapping[str, Input] | None = None, sample_dt: float | None = None
    ) -> Run:
        """Run for `seconds` with samples and ledger; if it fails, raises Diverged at the last good state.

        inputs: for each channel a constant, a function of time (s since the start of the simulation), or a
        pair (times, values), each value applying until the next time. sample_dt: s between samples; by
        default at most 5000 samples.
        """
        steps = self._steps(seconds)
        every = self._every(sample_dt, steps)
        schedule = schedule_inputs(inputs or {}, self._commands(inputs or {}), self.steps, steps, self.dt)
        begin = self.steps
        width = len(self.channels) + len(self.state) + 2 * len(self.plan.cylinders) + len(ENERGIES)
        samples = np.zeros((1 + math.ceil(steps / every), width))
        ledger = make_ledger(self.plan)
        self._run_steps(schedule, steps, Recorder(True, ledger, every, samples))
        t = (begin + np.append(np.arange(0, steps, every), steps)) * self.dt
        return Run(self, t, samples, schedule, steps, ledger)

    def _run_steps(self, schedule: Array, steps: int, recorder: Recorder) -> None:
        arguments = (
            self.plan, self.state[None], self.workspace, self._stepping, steps, schedule, self.counters[None],
            recorder,
        )  # fmt: skip
        if direct(run_steps, *arguments)(*arguments) < 1:
            raise self.diverged()

    def _steps(self, seconds: float) -> int:
        if not (math.isfinite(seconds) and seconds > 0):
            raise SimcoreError(f"t_end = {seconds} s: must be more than zero and finite")
        if not 1 <= (steps := round(seconds / self.dt)) <= _MAX_STEPS:
            raise SimcoreError(f"t_end / dt = {seconds / self.dt:.3g} steps: must be 1 to {_MAX_STEPS}")
        return steps

    def _every(self, sample_dt: float | None, steps: int) -> int:
        """Steps between samples."""
        if sample_dt is None:
            return math.ceil(steps / _USUAL_SAMPLES)
        if not (math.isfinite(sample_dt) and sample_dt >= self.dt * (1 - 1e-9)):
            raise SimcoreError(f"sample_dt = {sample_dt} s: must not be below dt = {self.dt:g} s")
        every = round(sample_dt / self.dt)
        if every > steps:
            raise SimcoreError(
                f"sample_dt = {sample_dt} s: must be at most {steps * self.dt:g} s, the length of the run"
            )
        if steps / every > _MAX_SAMPLES:
            raise SimcoreError(
                f"sample_dt = {sample_dt} s: gives more than {_MAX_SAMPLES} samples; use a longer sample_dt"
            )
        return every

    def _commands(self, inputs: Mapping[str, Input]) -> dict[str, float]:
        """Present value of every command by channel; refuses inputs that are not commands."""
        self.refuse_no_input(inputs)
        head = self.plan.head[0]
        names = {
            int(row["index"]): channel.name
            for channel, row in zip(self.channels, self.plan.channels, strict=True)
            if row["kind"] == COMMAND
        }
        held = self.state[head["at_c"] : head["at_c"] + head["valves"]]
        return {names.get(k, f"spool {k} without a channel"): float(x) for k, x in enumerate(held)}

    def _refuse_unstable(self) -> None:
        """Refuse a step that is too long for the fastest pressure: RK4 is stable for |λ| dt < 2.785."""
        self.read()
        rate, name = fastest_pressure(self.machine, self.plan, self.workspace.nodes["compliance"])
        if rate * self.dt > _RK4_LIMIT:
            raise SimcoreError(
                f"dt = {self.dt:g} s is too long for rk4: the pressure in {name!r} is stable only "
                f"up to {_RK4_LIMIT / rate:.2g} s; use a shorter step or the trapezoidal rule"
            )

    def outputs(self) -> dict[str, float]:
        """Every channel by name, free of noise."""
        return dict(zip(self.index, (float(x) for x in self.read()), strict=True))
