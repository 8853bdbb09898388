"""What a filter made of a recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simcore.estimate.linearise.jacobian import place_of, unit_of
from simcore.estimate.monitor.finding import Finding
from simcore.model.workspace import Array
from simcore.run.engine import Engine


class Named(NamedTuple):
    """A finding of the watch, and when it was first made."""

    at: float  # s
    finding: Finding


@dataclass(frozen=True)
class Following:
    """Estimates and what they rest on, at the end of every step."""

    states: Array  # estimates by time: rad, rad/s, MPa
    covariances: Array
    innovations: Array  # over their standard deviations, by time and channel; NaN where nothing was fused
    biases: Array  # by time, SI units
    bias_sigmas: Array  # by time, SI units
    named: tuple[Named, ...]  # what its watch found, each finding once
    us_per_cycle: float  # model step, prediction and correction


def filter_places(engine: Engine) -> tuple[list[int], Array]:
    """Where the filter's states are in the state vector, and SI units in one of theirs."""
    plan = engine.plan
    states = int(plan.head[0]["states"])
    return [place_of(plan, i) for i in range(states)], np.array([unit_of(plan, i) for i in range(states)])
