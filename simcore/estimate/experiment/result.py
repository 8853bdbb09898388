"""Result of running a filter over a recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simcore.estimate.linearise.jacobian import place_of, unit_of
from simcore.estimate.monitor.finding import Finding
from simcore.model.workspace import Array
from simcore.run.engine import Engine


class DatedFinding(NamedTuple):
    """A finding of the sensor monitor, and the time of its first report."""

    at: float  # s
    finding: Finding


@dataclass(frozen=True)
class FilterResult:
    """Estimates with their uncertainty, at the end of every step."""

    states: Array  # estimates by time: rad, rad/s, MPa
    covariances: Array
    innovations: Array  # over their standard deviations, by time and channel; NaN where nothing was fused
    biases: Array  # by time, SI units
    bias_sigmas: Array  # by time, SI units
    findings: tuple[DatedFinding, ...]  # of its sensor monitor, each once
    us_per_cycle: float  # model step, prediction and correction


def filter_places(engine: Engine) -> tuple[list[int], Array]:
    """Indices of the filter's states in the state vector, and the size of their units in SI units."""
    plan = engine.plan
    states = int(plan.head[0]["states"])
    return [place_of(plan, i) for i in range(states)], np.array([unit_of(plan, i) for i in range(states)])
