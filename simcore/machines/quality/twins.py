"""Measures whether the errors of a twin match its covariance, on machines sampled at random."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from simcore.estimate.experiment.experiment import move, observe, score
from simcore.estimate.experiment.offline_twin import estimate
from simcore.estimate.experiment.sampled_truth import sample_motion
from simcore.estimate.monitor.consistency import chi_square_bounds
from simcore.estimate.sensors import own_sensors
from simcore.model.case import Case

_RATE = 50.0  # Hz, of the telemetry


@dataclass(frozen=True)
class Consistency:
    """Means over the sampled machines (NEES and NIS: 1 expected), and NEES bounds of a consistent filter."""

    nees: float
    low: float
    high: float
    nis: float
    coverage: float  # share inside the 95 % bounds, over states
    machines: int
    seconds: float
    states: int


def consistency(case: Case, machines: int, seconds: float) -> Consistency:
    """Follow sampled machines, each with its own errors and noise, through the start of the command schedule.

    All start in the described state and the filter knows it, so only the sampled errors are tested.
    """
    model, sensors = case.build(), own_sensors(case.build(), _RATE)
    alone = move(replace(case, t_end=seconds), {}, real=False)
    rows = []
    for seed in range(machines):
        states, channels, _ = sample_motion(model, seed, alone.schedule, len(alone.t) - 1)
        truth = replace(alone, states=states, channels=channels)
        readings = observe(model, truth, sensors, seed)
        found = estimate(model, readings, sensors, alone.schedule, "bias", known_start=True)
        figures = score(truth, found, alone)
        rows.append([float(np.mean(figures[name])) for name in ("nees_mean", "nis_mean", "coverage")])
    count = alone.states.shape[1]
    low, high = (bound / count for bound in chi_square_bounds(machines, count))
    nees, nis, coverage = (float(x) for x in np.mean(rows, axis=0))
    return Consistency(nees, low, high, nis, coverage, machines, seconds, count)
