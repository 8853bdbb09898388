"""Calibration: the law of damage at failure from the replacements of a fleet, preventive ones censored.

The posterior is computed on a grid of median and scatter, for each law. The prior is the catalogue, with the
weight of a stated number of failures. The laws share the draws by how well they explain the replacements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simcore.prognosis.catalogue import Catalogue
from simcore.prognosis.checks import not_empty, positive
from simcore.prognosis.life_laws import LAWS, WEIBULL_SCATTER, Law, LifeLaw
from simcore.prognosis.readings import Numbers

PRIOR_FAILURES = 2.0  # weight of the catalogue (assumed): it counts as this many failures of the fleet
_GRID = 61
_DEPTH = 14.0  # of the log posterior below its top: the rest has a share below 1e-5
# information about ln shape in one failure of a Weibull law: π²/6 + (1 − γ)²
_SHAPE_INFORMATION = math.pi**2 / 6.0 + (1.0 - np.euler_gamma) ** 2


@dataclass(frozen=True)
class Replacement:
    """End of a part's service, or a part still working.

    failed: False if it was replaced before it failed, or still works: censored.
    """

    damage: float  # counter at the end, missing hours priced
    failed: bool

    def __post_init__(self) -> None:
        positive("replacement.damage", self.damage, "")


@dataclass(frozen=True)
class Estimate:
    """A number with its 90 % interval."""

    middle: float
    low: float
    high: float


@dataclass(frozen=True)
class Calibration:
    """What the replacements say.

    bias: the catalogue's median damage over the fleet's; above 1 the catalogue promises too long a life.
    """

    law: LifeLaw
    median_damage: Estimate
    scatter: Estimate  # standard deviation of ln damage at failure
    shape: Estimate  # of a Weibull law with that scatter
    bias: Estimate
    weights: dict[str, float]  # probability of each law
    failures: int
    censored: int


def calibrate(
    replacements: Sequence[Replacement],
    catalogue: Catalogue,
    prior_failures: float = PRIOR_FAILURES,
    draws: int = 4000,
    seed: int = 1,
    laws: Sequence[Law] = LAWS,
) -> Calibration:
    not_empty("replacements", replacements, "at least one replacement or working part")
    positive("prior_failures", prior_failures, "failures")
    logs = np.log([replacement.damage for replacement in replacements])
    failed = np.array([replacement.failed for replacement in replacements])
    prior = _Prior(catalogue, prior_failures)
    rng = np.random.default_rng(seed)
    grids = [_posterior(law, logs, failed, prior) for law in laws]
    evidence = np.array([grid.evidence for grid in grids])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    shares = np.diff(np.rint(np.concatenate([[0.0], np.cumsum(weights)]) * draws)).astype(int)
    pairs = np.concatenate([grid.draw(share, rng) for grid, share in zip(grids, shares, strict=True)])
    places = np.repeat([LAWS.index(law) for law in laws], shares)
    order = rng.permutation(draws)
    drawn = LifeLaw(places[order], pairs[order, 0], pairs[order, 1], "fleet")
    median, scatter = np.exp(drawn.log_median), np.exp(drawn.log_scatter)
    return Calibration(
        drawn,
        _estimate(median),
        _estimate(scatter),
        _estimate(WEIBULL_SCATTER / scatter),
        _estimate(catalogue.median_damage / median),
        {law.name: float(weight) for law, weight in zip(laws, weights, strict=True)},
        int(failed.sum()),
        int((~failed).sum()),
    )


class _Prior:
    """The catalogue as a normal law of ln median and ln scatter, as sharp as its number of failures."""

    def __init__(self, catalogue: Catalogue, failures: float) -> None:
        self.median = math.log(catalogue.median_damage)
        self.scatter = math.log(WEIBULL_SCATTER / catalogue.shape)
        self.median_error = 1.0 / (catalogue.shape * math.sqrt(failures))
        self.scatter_error = 1.0 / math.sqrt(_SHAPE_INFORMATION * failures)

    def log_density(self, median: Numbers, scatter: Numbers) -> Numbers:
        square = ((median - self.median) / self.median_error) ** 2
        return -0.5 * (square + ((scatter - self.scatter) / self.scatter_error) ** 2)


@dataclass(frozen=True)
class _Grid:
    median: Numbers
    scatter: Numbers
    log_posterior: Numbers  # by median and scatter

    @property
    def evidence(self) -> float:
        cell = (self.median[1] - self.median[0]) * (self.scatter[1] - self.scatter[0])
        top = self.log_posterior.max()
        return float(top + np.log(np.exp(self.log_posterior - top).sum() * cell))

    def draw(self, n: int, rng: np.random.Generator) -> Numbers:
        """Pairs of ln median and ln scatter: even steps through the cells, then a place within each."""
        share = np.exp(self.log_posterior - self.log_posterior.max()).ravel()
        levels = (np.arange(n) + rng.random()) / max(n, 1)
        cells = np.minimum(np.searchsorted(np.cumsum(share / share.sum()), levels), share.size - 1)
        rows, columns = np.divmod(cells, len(self.scatter))
        jitter = rng.random((n, 2)) - 0.5
        median = self.median[rows] + jitter[:, 0] * (self.median[1] - self.median[0])
        scatter = self.scatter[columns] + jitter[:, 1] * (self.scatter[1] - self.scatter[0])
        return np.stack([median, scatter], axis=1)


def _posterior(law: Law, logs: Numbers, failed: np.ndarray, prior: _Prior) -> _Grid:
    """A wide grid finds the place, two finer ones follow it."""
    low = min(prior.median, float(logs.min())) - 2.0
    high = max(prior.median, float(logs.max())) + 2.0
    box = (low, high, prior.scatter - 3.0, prior.scatter + 3.0)
    for _ in range(3):
        median, scatter = np.linspace(*box[:2], _GRID), np.linspace(*box[2:], _GRID)
        values = _log_posterior(law, logs, failed, prior, median[:, None], scatter[None, :])
        near = values > values.max() - _DEPTH
        rows, columns = np.flatnonzero(near.any(axis=1)), np.flatnonzero(near.any(axis=0))
        grid = _Grid(median, scatter, values)
        step, tread = median[1] - median[0], scatter[1] - scatter[0]
        box = (
            median[rows[0]] - step,
            median[rows[-1]] + step,
            scatter[columns[0]] - tread,
            scatter[columns[-1]] + tread,
        )
    return grid


def _log_posterior(
    law: Law, logs: Numbers, failed: np.ndarray, prior: _Prior, median: Numbers, scatter: Numbers
) -> Numbers:
    x = (logs - median[..., None]) / np.exp(scatter)[..., None]
    ends = law.log_density(x[..., failed]).sum(axis=-1) - failed.sum() * scatter
    return np.asarray(
        ends + law.log_survival(x[..., ~failed]).sum(axis=-1) + prior.log_density(median, scatter)
    )


def _estimate(draws: Numbers) -> Estimate:
    low, middle, high = np.quantile(draws, [0.05, 0.5, 0.95])
    return Estimate(float(middle), float(low), float(high))
