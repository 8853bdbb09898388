"""Decides whose fault it is: which causes the estimated biases and their joint covariance prove.

A healthy machine differs from its description too, so each cause has a tolerance. The distance of a
hypothesis is how many standard deviations the estimate b is away from the nearest values x that it allows:

    D(S) = min (b - x)ᵀ (κ P κ)⁻¹ (b - x),   |x_i| ≤ tolerance_i, except for the causes S, which are free

If D of "all within tolerance" is small, nothing is wrong. Otherwise the one cause with the smallest D(i) is
named if all others leave a distance that is larger by a margin. If not, the evidence does not separate them,
and the group is named. What one cause leaves unexplained is tried with a second one beside it.
P is the marginal covariance: friction, load and other states that are no causes count as unknown.
docs/methods/culprits.md
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simcore.kernels.jit import kernel
from simcore.model.workspace import Array

NOTHING, ALONE, IN_GROUP = range(3)  # role of a cause

_SURE = 9.0  # distance beyond which something is wrong: three standard deviations beyond the tolerance
_MARGIN = 9.0  # by which the distance of a rival must be larger: three standard deviations
_SENSOR_MARGIN = 16.0  # the same where a sensor would be blamed instead of the machine
_OWN = 9.0  # square of a named cause's estimate over its variance, the others being free
_MOST = 3  # causes at a time
_LARGEST_GROUP = 4
_SWEEPS, _CLOSE = 400, 1e-4  # of the search for the nearest values; changes below this do not matter


@kernel
def distance(information: Array, estimate: Array, tolerance: Array, free: Array, at: Array) -> float:
    """D, by descent along one cause after the other. free: 1 for causes without a tolerance. at: scratch."""
    k = len(estimate)
    for i in range(k):
        at[i] = estimate[i]
        if free[i] == 0.0:
            at[i] = min(max(estimate[i], -tolerance[i]), tolerance[i])
    for _ in range(_SWEEPS):
        moved = 0.0
        for i in range(k):
            pull = 0.0
            for j in range(k):
                pull += information[i, j] * (estimate[j] - at[j])
            wanted = at[i] + pull / information[i, i]
            if free[i] == 0.0:
                wanted = min(max(wanted, -tolerance[i]), tolerance[i])
            moved = max(moved, abs(wanted - at[i]) * information[i, i] ** 0.5)
            at[i] = wanted
        if moved < _CLOSE:
            break
    total = 0.0
    for i in range(k):
        for j in range(k):
            total += (estimate[i] - at[i]) * information[i, j] * (estimate[j] - at[j])
    return total


def judge_causes(
    estimate: Array, covariance: Array, tolerance: Array, doubt: Array, of_sensor: npt.NDArray[np.bool_]
) -> Array:
    """Role of each cause: NOTHING, ALONE or IN_GROUP.

    estimate, covariance, tolerance: of all causes, in any units; a cause with an infinite tolerance is not
    judged, and may have any value. doubt: κ, factors on standard deviations.
    of_sensor: true for causes in a sensor.
    """
    count = len(estimate)
    roles = np.zeros(count)
    if np.all(np.abs(estimate) <= tolerance):
        return roles
    covariance = covariance * np.outer(doubt, doubt)
    information = np.asarray(np.linalg.inv(covariance), dtype=np.float64)
    free, at = np.zeros(count), np.zeros(count)
    left = distance(information, estimate, tolerance, free, at)
    while left > _SURE and np.count_nonzero(roles) < _MOST:
        costs = np.full(count, np.inf)
        for i in np.flatnonzero((free == 0.0) & np.isfinite(tolerance)):
            free[i] = 1.0
            costs[i] = distance(information, estimate, tolerance, free, at)
            free[i] = 0.0
        best = int(np.argmin(costs))
        if costs[best] > left - _MARGIN:
            break  # no single cause explains more
        margins = np.where(of_sensor[best] & np.logical_not(of_sensor), _SENSOR_MARGIN, _MARGIN)
        rivals = np.flatnonzero(costs < costs[best] + margins)
        rivals = rivals[np.argsort(costs[rivals])][:_LARGEST_GROUP]
        own = estimate[best] ** 2 > _OWN * covariance[best, best]
        if len(rivals) > 1 or not own:
            roles[rivals] = IN_GROUP
            break
        roles[best], free[best], left = ALONE, 1.0, costs[best]
    return roles
