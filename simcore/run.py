"""Run a case and report what CONTRACTS call the result: figures, books, extremes, samples."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from simcore.balance import balance
from simcore.books import (
    BOOKS,
    DRIFT,
    GAP,
    GAP_CURVE,
    GAP_RATE,
    HIGH,
    LINK_WORK,
    LOW,
    RISE,
    WORK,
    WORK_MAX,
    WORK_MIN,
    enter_step,
    open_books,
)
from simcore.cases.case import Case, Value
from simcore.errors import SimcoreError
from simcore.ledger import enter_powers, make_ledger
from simcore.model.plan import PRISMATIC
from simcore.simulation import Simulation
from simcore.work import Array

_MAX_STEPS = 20_000_000
_ON_TIME = 1e-6  # of a step; rounding of a switching time that falls on a step
_REFERENCE_DT = 2e-5  # s
_REFERENCE = "double-step, rk4, 20 us"


def run(
    case: Case,
    overrides: Mapping[str, Value],
    *,
    dt: float | None = None,
    t_end: float | None = None,
    integrator: str = "trapezoidal",
    formulation: str | None = None,
    sample_dt: float | None = None,
) -> dict[str, Any]:
    """Drive a case to its end; the object that `python -m simcore run --json` prints."""
    booked = _Booked(case, overrides, dt or case.dt, t_end or case.t_end, integrator, formulation)
    initial = booked.snapshot()
    samples = booked.drive(sample_dt)
    final = booked.snapshot()
    cpu = min(booked.timed() for _ in range(3))
    sim, books = booked.sim, booked.books
    work = max(abs(books[WORK_MIN]), abs(books[WORK_MAX]))
    result = {
        "case": case.name,
        "options": {
            "dt": sim.dt,
            "t_end": booked.t_end,
            "formulation": sim.formulation,
            "integrator": integrator,
            "set": dict(overrides),
        },
        "steps": sim.steps,
        "cpu_s": cpu,
        "us_per_step": cpu / sim.steps * 1e6,
        "realtime_factor": booked.t_end / cpu,
        "newton": sim.newton(),
        "energy": {
            "drift_max_J": float(books[DRIFT]),
            "work_J": float(books[WORK]),
            "work_min_J": float(books[WORK_MIN]),
            "work_max_J": float(books[WORK_MAX]),
            "work_max_abs_J": float(work),
            "potential_rise_J": float(books[RISE]),
            "links_J": float(books[LINK_WORK]),
        },
        "oil": balance(booked.machine, sim.plan, booked.ledger),
        "constraint": {
            "position_max": float(books[GAP]),
            "velocity_max": float(books[GAP_RATE]),
            "acceleration_max": float(books[GAP_CURVE]),
        },
        "initial": initial,
        "final": final,
        "extremes": booked.extremes_by_name(),
    }
    if case.gauge is not None:
        result["error"] = {case.gauge.name: booked.error(), "against": _REFERENCE}
    return result | ({"samples": samples} if sample_dt else {})


class _Booked:
    """A simulation of a case with its books open."""

    def __init__(
        self,
        case: Case,
        overrides: Mapping[str, Value],
        dt: float,
        t_end: float,
        integrator: str,
        formulation: str | None,
    ) -> None:
        if not t_end > 0:
            raise SimcoreError(f"t_end = {t_end} s: must be more than zero")
        self.case, self.t_end, self.integrator = case, t_end, integrator
        self.machine = case.build(**overrides)
        self.sim = Simulation(self.machine, dt=dt, integrator=integrator, formulation=formulation)
        self.total = round(t_end / dt)
        if not 1 <= self.total <= _MAX_STEPS:
            raise SimcoreError(f"t_end / dt = {t_end / dt:.3g} steps: allowed are 1 to {_MAX_STEPS}")
        head = self.sim.plan.head[0]
        self.books = np.zeros(BOOKS)
        self.extremes = np.zeros((2, int(head["coords"] + head["volumes"] + head["cylinders"])))
        open_books(self.sim.plan, self.sim.state, self.sim.work, self.books, self.extremes)
        self.ledger = make_ledger(self.sim.plan)
        enter_powers(self.sim.plan, self.sim.state, self.sim.work, 0.0, False, self.ledger)

    def pieces(self, every: int) -> list[tuple[int, dict[str, float]]]:
        """The run in pieces: (last step of the piece, commands), cut at commands and samples."""
        starts = [(math.ceil(t / self.sim.dt - _ON_TIME), command) for t, command in self.case.drive]
        cuts = {s for s, _ in starts} | set(range(every, self.total, every)) | {self.total}
        ends = sorted(c for c in cuts if 0 < c <= self.total)
        return [(end, [command for s, command in starts if s < end][-1]) for end in ends]

    def drive(self, sample_dt: float | None) -> dict[str, Any]:
        """Run to the end with the books; returns the samples."""
        sim = self.sim
        if sample_dt is not None and not sample_dt >= sim.dt:
            raise SimcoreError(f"sample_dt = {sample_dt} s: must not be below dt = {sim.dt:g} s")
        every = round(sample_dt / sim.dt) if sample_dt else self.total
        right = self.integrator == "trapezoidal-reference"
        rows = [self.sample()]
        for end, command in self.pieces(every):
            sim.command(command)
            while sim.steps < end:
                sim.advance(1)
                enter_step(sim.plan, sim.state, sim.work, sim.dt, right, self.books, self.extremes)
                enter_powers(sim.plan, sim.state, sim.work, sim.dt, right, self.ledger)
            if end % every == 0 or end == self.total:
                rows.append(self.sample())
        return {key: [row[key] for row in rows] for key in rows[0]}

    def timed(self) -> float:
        """Process time of the same run without books, s."""
        sim = Simulation(
            self.machine, dt=self.sim.dt, integrator=self.integrator, formulation=self.sim.formulation
        )
        begin = time.process_time()
        for end, command in self.pieces(self.total):
            sim.advance(end - sim.steps, command)
        return time.process_time() - begin

    def _block(self, name: str, size: str) -> Array:
        head = self.sim.plan.head[0]
        return self.sim.state[head[name] : head[name] + head[size]]

    def sample(self) -> dict[str, Any]:
        sim = self.sim
        sim.read()
        return {
            "t": sim.time,
            "z_deg": (sim.coordinates() * self._degrees()).tolist(),
            "pressure_Pa": self._block("at_p", "volumes").tolist(),
        } | self._cylinder()

    def _degrees(self) -> Array:
        """Degrees per unit of each coordinate; slides stay in metres."""
        return np.where(self.sim.plan.bodies["kind"][1:] == PRISMATIC, 1.0, np.degrees(1.0))

    def _cylinder(self) -> dict[str, Any]:
        if not self.machine.cylinders:
            return {}
        cylinders = self.sim.work.cylinders
        return {
            "cylinder_length_m": float(cylinders["length"][0]),
            "cylinder_force_N": float(cylinders["push"][0]),
        }

    def error(self) -> float:
        """What the case is gauged by, less the same in a run with far shorter steps."""
        gauge, exact = self.case.gauge, Simulation(self.machine, dt=_REFERENCE_DT, integrator="rk4")
        if gauge is None:
            return float("nan")
        exact.advance(round(self.sim.time / _REFERENCE_DT))
        ours, theirs = (gauge.measure(self.machine, sim.coordinates()) for sim in (self.sim, exact))
        return float(np.linalg.norm(ours - theirs))

    def snapshot(self) -> dict[str, Any]:
        return {key: value for key, value in self.sample().items() if key != "t"}

    def extremes_by_name(self) -> dict[str, Any]:
        n, volumes = int(self.sim.plan.head[0]["coords"]), len(self.machine.volumes)
        pairs = np.array([self.extremes[LOW], self.extremes[HIGH]]).T
        found = {
            "z_deg": (pairs[:n] * self._degrees()[:, None]).tolist(),
            "pressure_Pa": pairs[n : n + volumes].tolist(),
        }
        return found | ({"cylinder_length_m": pairs[n + volumes].tolist()} if self.machine.cylinders else {})
