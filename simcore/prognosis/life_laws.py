"""Laws of the damage at which parts fail: Weibull, log-normal and log-logistic, by median and scatter.

In all three the logarithm of damage is ln median + scatter · x. The scatter is the standard deviation of that
logarithm, so one prior serves all laws. A Weibull law of shape β has the scatter π / (√6 β).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri_exp

from simcore.prognosis.catalogue import Catalogue
from simcore.prognosis.readings import Numbers

WEIBULL_SCATTER = math.pi / math.sqrt(6.0)  # of a Weibull law of shape 1
_LOGISTIC_SCATTER = math.pi / math.sqrt(3.0)
_LN_LN_2 = math.log(math.log(2.0))


@dataclass(frozen=True)
class Law:
    """A law of (ln damage − ln median) / scatter. log_survival, log_density: of that number."""

    name: str
    log_survival: Callable[[Numbers], Numbers]
    log_density: Callable[[Numbers], Numbers]
    at_log_survival: Callable[[Numbers], Numbers]  # the inverse of log_survival


def _weibull_z(x: Numbers) -> Numbers:
    return WEIBULL_SCATTER * x + _LN_LN_2


def _weibull_density(x: Numbers) -> Numbers:
    z = _weibull_z(x)
    return z - np.exp(z) + math.log(WEIBULL_SCATTER)


def _logistic_density(x: Numbers) -> Numbers:
    z = _LOGISTIC_SCATTER * x
    return z - 2.0 * np.logaddexp(0.0, z) + math.log(_LOGISTIC_SCATTER)


LAWS = (
    Law(
        "Weibull",
        lambda x: -np.exp(_weibull_z(x)),
        _weibull_density,
        lambda s: (np.log(-s) - _LN_LN_2) / WEIBULL_SCATTER,
    ),
    Law(
        "log-normal",
        lambda x: np.asarray(log_ndtr(-x)),
        lambda x: -0.5 * x**2 - 0.5 * math.log(2.0 * math.pi),
        lambda s: np.asarray(-ndtri_exp(s)),
    ),
    Law(
        "log-logistic",
        lambda x: -np.logaddexp(0.0, _LOGISTIC_SCATTER * x),
        _logistic_density,
        # ln(e^−s − 1), without overflow far beyond the median
        lambda s: (-s + np.log(-np.expm1(s))) / _LOGISTIC_SCATTER,
    ),
)


@dataclass(frozen=True)
class LifeLaw:
    """Equally likely laws of damage at failure: the scatter of parts and what is not known of it.

    source: "catalogue" or "fleet".
    """

    law: NDArray[np.int64]  # place in LAWS
    log_median: Numbers
    log_scatter: Numbers
    source: str

    def survival(self, damage: float) -> float:
        """Share of parts that reach this damage."""
        return float(np.mean(np.exp(self.log_survival(np.full(len(self.law), damage)))))

    def log_survival(self, damage: Numbers) -> Numbers:
        """Of each law at its own damage."""
        out = np.zeros(len(self.law))
        for place, law in enumerate(LAWS):
            mine = (self.law == place) & (damage > 0.0)
            out[mine] = law.log_survival(
                (np.log(damage[mine]) - self.log_median[mine]) / np.exp(self.log_scatter[mine])
            )
        return out

    def chosen(self, places: NDArray[np.int64]) -> LifeLaw:
        return LifeLaw(self.law[places], self.log_median[places], self.log_scatter[places], self.source)

    def beyond(self, damage: Numbers, chance: Numbers) -> Numbers:
        """Damage at failure of parts that have survived `damage`; chance: of surviving longer still."""
        target = self.log_survival(damage) + np.log(chance)
        out = np.empty(len(self.law))
        for place, law in enumerate(LAWS):
            mine = self.law == place
            x = law.at_log_survival(target[mine])
            out[mine] = np.exp(self.log_median[mine] + np.exp(self.log_scatter[mine]) * x)
        return np.maximum(out, damage)


def catalogue_law(catalogue: Catalogue, draws: int = 4000, seed: int = 1) -> LifeLaw:
    """The maker's Weibull law with the errors that the catalogue entry states."""
    rng = np.random.default_rng(seed)
    median = math.log(catalogue.median_damage) + catalogue.median_error * rng.standard_normal(draws)
    shape = math.log(catalogue.shape) + catalogue.shape_error * rng.standard_normal(draws)
    return LifeLaw(np.zeros(draws, dtype=np.int64), median, math.log(WEIBULL_SCATTER) - shape, "catalogue")
