"""What a twin still knows of its biases when its state begins again from the sensors.

Positions, velocities and pressures of a machine change within a second; its biases do not. They keep their
values and their joint covariance, which grows by what may have happened meanwhile, up to that of a new twin.
"""

from __future__ import annotations

import numpy as np

from simcore.estimate.biases import PAYLOAD, TORQUE
from simcore.model.plan import Records
from simcore.model.workspace import Array

_DOUBT = 4.0  # factor on variances when the filter was lost: a bias may have been learned wrongly


def first_covariance(biases: Records, load_steps: Array) -> Array:
    """Of the biases of a new twin, which may carry an unknown load; filter units."""
    return np.diag(np.where(biases["kind"] == PAYLOAD, np.maximum(load_steps, 1.0), 1.0) ** 2)


def after_silence(
    biases: Records, values: Array, covariance: Array, load_steps: Array, silence: float, stroke: float
) -> tuple[Array, Array]:
    """Values (SI units) and covariance (filter units) of the biases after a silence, s.

    They walk and fade as while telemetry flows. A load may have been picked up or put down, with the time of
    a stroke, s.
    """
    keep = np.exp(-biases["fade"] * silence)
    steps = load_steps**2 * (1.0 - np.exp(-silence / stroke))
    grown = covariance * np.outer(keep, keep)
    grown += np.diag(biases["walk"] ** 2 * silence + 1.0 - keep**2 + steps)
    values = np.where(biases["kind"] == TORQUE, keep * values, values)
    return values, _limited(grown, first_covariance(biases, load_steps))


def after_loss(biases: Records, covariance: Array, load_steps: Array) -> Array:
    """Covariance of the biases when the filter was lost: they are kept, but trusted less."""
    return _limited(_DOUBT * covariance, first_covariance(biases, load_steps))


def _limited(covariance: Array, first: Array) -> Array:
    """Limit variances to those of a new twin, with correlations kept."""
    with np.errstate(divide="ignore"):
        ratio = np.minimum(np.sqrt(np.diag(first) / np.diag(covariance)), 1.0)
    return np.asarray(covariance * np.outer(ratio, ratio))


def considered(biases: Records) -> Array:
    """Which biases a single sample may not change: all but the load and what fades anyway."""
    return np.asarray((biases["kind"] != PAYLOAD) & (biases["fade"] == 0.0))
