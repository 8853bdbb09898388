"""Finds reasons to doubt a run: energy drift, open loops, divided steps, volumes too stiff for the step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simcore.messages import Message
from simcore.model.elements import Machine
from simcore.model.plan import LEAK, PUMP, Plan, Records
from simcore.model.workspace import Array

if TYPE_CHECKING:
    from simcore.run.recording import Run

_DRIFT = 0.01  # share of the energy that moves in the run; published cases at 1 ms: up to 2e-4
_GAP = 1e-6  # m; loops of the published cases stay closed to 1e-8 m
_DIVIDED = 1e-3  # share of the steps; published cases: none
# |λ| dt above which the trapezoidal rule multiplies the error of a pressure by less than -0.96 per step,
# so that it rings for fifty steps and more
_RINGS = 100.0


def run_warnings(run: Run) -> tuple[Message, ...]:
    """Reasons to doubt a run; none if it shows no sign of an error."""
    found = []
    energy = run.energy
    moved = max(
        energy["work_max_abs_J"],
        energy["kinetic_J"]["max"],
        energy["potential_J"]["max"] - energy["potential_J"]["min"],
    )
    if energy["drift_max_J"] > _DRIFT * moved > 0.0:
        found.append(Message("run.drift", {"share": energy["drift_max_J"] / moved}))
    gap = run.gaps["position_max"]
    if gap > _GAP:
        found.append(Message("run.gap", {"gap": 1e6 * gap}))
    divided = run.newton["failed_steps"]
    if divided > _DIVIDED * run.steps:
        found.append(Message("run.divided", {"count": int(divided), "steps": run.steps}))
    if run.integrator.startswith("trapezoidal"):
        rate, name = fastest_pressure(run.machine, run.plan, run.compliances)
        if rate * run.dt > _RINGS:
            found.append(Message("run.stiff", {"part": name, "time": 1e6 / rate}))
    return tuple(found)


def fastest_pressure(machine: Machine, plan: Plan, compliances: Array) -> tuple[float, str]:
    """Largest rate |λ| at which the pressure of a volume settles, 1/s, and the volume's name.

    λ: slope of the flow into the volume, laminar and with open spools, divided by its compliance.
    """
    worst = 0.0, ""
    for k, volume in enumerate(machine.volumes):
        for side in (1.0, -1.0):
            slope = 0.0
            for edge in plan.edges:
                opening = 1.0
                if edge["valve"] >= 0:
                    opening = max(side * edge["sign"], 0.0) * plan.valves[edge["valve"]]["limit"]
                if k in (edge["a"], edge["b"]):
                    slope += _steepest(edge, opening)
            worst = max(worst, (slope / float(compliances[k]), volume.name))
    return worst


def _steepest(edge: Records, opening: float) -> float:
    """Largest derivative of an edge's flow with respect to pressure, m³/(s Pa)."""
    if edge["kind"] == PUMP:
        return 0.0
    if edge["kind"] == LEAK:
        return float(edge["coefficient"])
    coefficient = opening * edge["coefficient"]
    if edge["points"] and opening > 0:
        coefficient = np.max(edge["value"])
    return float(coefficient / math.sqrt(edge["laminar"]))
