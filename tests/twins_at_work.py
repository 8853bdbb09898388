"""Twins of the catalogue's machines beside machines at work, and what their short cuts change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from simcore.estimate.experiment.result import filter_places
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model.elements import Machine
from simcore.model.quantity import assumed
from simcore.model.workspace import Array
from twin.fleet import catalogue
from workers.demo import fleet
from workers.emulator.as_built import AsBuiltSpec
from workers.emulator.working_machine import WorkingMachine

PERIOD = 0.02  # s from one sample to the next
SETTLED = 50  # samples after the start that are not judged
Samples = Sequence[dict[str, float]]


def telemetry(model: str, seconds: float) -> Samples:
    """Of the demo's first machine of that model, at work without a pause, at 50 Hz."""
    machine = WorkingMachine(_spec(model), pauses=False)
    return [machine.cycle(PERIOD) for _ in range(round(seconds / PERIOD))]


def description(model: str) -> Machine:
    """The same machine as the platform describes it to its twin."""
    return catalogue.build(model, dict(_spec(model).parameters))


def _spec(model: str) -> AsBuiltSpec:
    return next(spec for spec in fleet.machines() if spec.model == model)


def exactly_solved(machine: Machine) -> Machine:
    """With Newton's tolerances a hundred times as tight."""
    solver = machine.solver
    return replace(
        machine,
        solver=replace(
            solver,
            position_tolerance=assumed(float(solver.position_tolerance) / 100, "rad"),
            pressure_tolerance=assumed(float(solver.pressure_tolerance) / 100, "Pa"),
            friction_tolerance=assumed(float(solver.friction_tolerance) / 100, "m"),
        ),
    )


@dataclass(frozen=True)
class Course:
    """Estimates of a twin behind every correction, filter units."""

    states: Array
    sigmas: Array


def course(twin: LiveTwin, samples: Samples) -> Course:
    """Let a twin follow."""
    places, units = filter_places(twin.engine)
    twin.start(samples[0])
    every = round(PERIOD / twin.engine.dt)
    states, sigmas = [], []
    for sample in samples[1:]:
        twin.correct(sample, every)
        states.append(twin.engine.state[places] / units)
        sigmas.append(np.sqrt(np.diag(twin.covariance))[: len(places)])
    return Course(np.array(states)[SETTLED:], np.array(sigmas)[SETTLED:])


@dataclass(frozen=True)
class Change:
    """What a short cut does to a twin, by state."""

    estimates: Array  # RMS of the change, over the RMS of the standard deviation without it
    sigmas: Array  # mean standard deviation over that without it, less one


def change(ours: Course, exact: Course) -> Change:
    moved = np.sqrt(np.mean((ours.states - exact.states) ** 2, axis=0) / np.mean(exact.sigmas**2, axis=0))
    return Change(moved, np.mean(ours.sigmas, axis=0) / np.mean(exact.sigmas, axis=0) - 1)
