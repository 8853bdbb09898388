"""Runs a case to its end and describes the run as the object that `python -m simcore run --json` prints."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from simcore.energy.ledger import HIGH, LOW
from simcore.messages import english
from simcore.model.case import Case, Value
from simcore.model.plan import PRISMATIC
from simcore.model.workspace import Array
from simcore.run.inputs import Input
from simcore.run.recording import Run
from simcore.run.simulation import Simulation

_REFERENCE_DT = 2e-5  # s
_REFERENCE = "double-step, rk4, 20 us"


def run(case: Case, overrides: Mapping[str, Value], **settings: Any) -> dict[str, Any]:
    """Run a case to its end; returns the object that `python -m simcore run --json` prints.

    settings: as for `simulate`.
    """
    done = simulate(case, overrides, **settings)
    return describe(case, overrides, done, settings.get("sample_dt") is not None)


def simulate(
    case: Case,
    overrides: Mapping[str, Value],
    *,
    dt: float | None = None,
    t_end: float | None = None,
    integrator: str = "trapezoidal",
    formulation: str | None = None,
    sample_dt: float | None = None,
) -> Run:
    """Run a case to its end; the case provides all settings that are not given."""
    step = case.dt if dt is None else dt
    sim = Simulation(case.build(**overrides), step, integrator, formulation)
    return sim.run(case.t_end if t_end is None else t_end, inputs_of(case), sample_dt)


def inputs_of(case: Case) -> dict[str, Input]:
    """The commands of a case, channel by channel."""
    names = {name: None for _, commands in case.command_schedule for name in commands}
    rows = {name: [(t, c[name]) for t, c in case.command_schedule if name in c] for name in names}
    return {name: ([t for t, _ in row], [value for _, value in row]) for name, row in rows.items()}


def describe(case: Case, overrides: Mapping[str, Value], done: Run, with_samples: bool) -> dict[str, Any]:
    """Describe a run of a case as one JSON object."""
    cpu, seconds = min(_timed(done) for _ in range(3)), done.steps * done.dt
    result = {
        "case": case.name,
        "options": {
            "dt": done.dt,
            "t_end": seconds,
            "formulation": done.formulation,
            "integrator": done.integrator,
            "set": dict(overrides),
        },
        "steps": done.steps,
        "cpu_s": cpu,
        "us_per_step": cpu / done.steps * 1e6,
        "realtime_factor": seconds / cpu,
        "newton": done.newton,
        "energy": done.energy,
        "constraint": done.gaps,
        "warnings": [english(warning) for warning in done.warnings],
        "initial": _sample(done, 0),
        "final": _sample(done, -1),
        "extremes": _extremes(done),
    }
    if case.gauge is not None:
        result["error"] = {case.gauge.name: _error(case, done), "against": _REFERENCE}
    if with_samples:
        result["samples"] = {"t": done.t.tolist()} | _sample(done, slice(None))
    return result


def _timed(done: Run) -> float:
    """Processor time of the same run without a ledger, s."""
    sim = Simulation(done.machine, done.dt, done.integrator, done.formulation)
    begin = time.process_time()
    sim.follow(done.schedule, done.steps)
    return time.process_time() - begin


def _degrees(done: Run) -> Array:
    """Degrees per unit of each coordinate; 1 for slides, which stay in metres."""
    return np.where(done.plan.bodies["kind"][1:] == PRISMATIC, 1.0, np.degrees(1.0))


def _sample(done: Run, at: int | slice) -> dict[str, Any]:
    """Coordinates, pressures and cylinders at one sample or at all."""
    found: dict[str, Any] = {
        "z_deg": (done.coordinates[at] * _degrees(done)).tolist(),
        "pressure_Pa": done.pressures[at].tolist(),
    }
    if done.machine.cylinders:
        lengths, pushes = done.lengths[at].T, done.pushes[at].T
        found |= {"cylinder_length_m": lengths[0].tolist(), "cylinder_force_N": pushes[0].tolist()}
        found["cylinders"] = {
            cylinder.name: {"length_m": length.tolist(), "force_N": push.tolist()}
            for cylinder, length, push in zip(done.machine.cylinders, lengths, pushes, strict=True)
        }
    return found


def _extremes(done: Run) -> dict[str, Any]:
    """Least and largest value over all steps."""

    def pairs(levels: Array) -> Array:
        return levels[:, [LOW, HIGH]]

    ledger = done.ledger
    positions = pairs(ledger.bodies["position"][1:])
    for k in np.flatnonzero(done.plan.bodies["ball"] >= 0):  # between steps its coordinates are zero
        vectors = done.coordinates[:, k - 3 : k]
        positions[k - 3 : k] = np.array([vectors.min(axis=0), vectors.max(axis=0)]).T
    angles = positions * _degrees(done)[:, None]
    found: dict[str, Any] = {
        "z_deg": angles.tolist(),
        "pressure_Pa": pairs(ledger.nodes["pressure"])[: len(done.machine.volumes)].tolist(),
    }
    if done.machine.cylinders:
        names = {"length_m": "length", "force_N": "push", "contact_N": "contact"}
        levels = {key: pairs(ledger.cylinders[name]) for key, name in names.items()}
        found["cylinder_length_m"] = levels["length_m"][0].tolist()
        found["cylinders"] = {
            cylinder.name: {key: level[k].tolist() for key, level in levels.items()}
            for k, cylinder in enumerate(done.machine.cylinders)
        }
    return found


def _error(case: Case, done: Run) -> float:
    """Error of the case: difference of its gauge from a run with much shorter steps."""
    if case.gauge is None:
        return float("nan")
    exact = Simulation(done.machine, dt=_REFERENCE_DT, integrator="rk4")
    exact.advance(round(done.steps * done.dt / _REFERENCE_DT))
    ours, theirs = (case.gauge.measure(done.machine, z) for z in (done.coordinates[-1], exact.coordinates()))
    return float(np.linalg.norm(ours - theirs))
