"""Gives a simulated fleet's readings to the forecaster and compares forecasts with the ends of parts."""

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from simcore.prognosis.calibration import Calibration, Replacement, calibrate
from simcore.prognosis.catalogue import Catalogue
from simcore.prognosis.duty import DutyPrior, duty_of, fleet_duty
from simcore.prognosis.metrics import (
    LEVELS,
    Outcome,
    coverage,
    hours_loss,
    ks_distance,
    passed,
    pinball,
    pinball_loss,
    pit,
    stated_and_observed,
)
from simcore.prognosis.readings import DutyHistory, Part, Reading, duty_history
from simcore.prognosis.remaining_life import remaining_life, used_life
from tests.lives.fleet import Lives, World, live


@dataclass(frozen=True)
class Verdict:
    moment: str
    forecasts: int
    coverage: float
    passed_p10: float
    ks: float
    stated: float
    observed: float
    loss: float
    catalogue_loss: float
    mean_life_loss: float  # of a stronger rival: the fleet's median life in hours minus the hours worked

    def line(self) -> str:
        return (
            f"{self.moment:<22}{self.forecasts:>6}{self.coverage:>9.3f}{self.passed_p10:>8.3f}{self.ks:>8.3f}"
            f"{self.stated:>9.3f}{self.observed:>9.3f}{self.loss:>8.0f}{self.catalogue_loss:>8.0f}"
            f"{self.mean_life_loss:>8.0f}"
        )


HEAD = (
    f"{'moment':<22}{'lives':>6}{'P10-P90':>9}{'>P10':>8}{'KS':>8}{'stated':>9}{'observed':>9}{'loss':>8}"
    f"{'cat.':>8}{'fleet':>8}"
)


def history_of(lives: Lives, k: int, weeks: int) -> DutyHistory:
    """What is known of part k after so many weeks."""
    installed = date(2015, 1, 1) + timedelta(days=int(lives.start_day[k]))
    part = Part(f"part {k}", installed, installed)
    seen = lives.seen[k, :weeks]
    hours = np.cumsum(lives.hours[k, :weeks])
    recorded = np.cumsum(lives.hours[k, :weeks] * seen)
    damage = np.cumsum(lives.damage[k, :weeks] * seen)
    readings = [
        Reading(
            installed + timedelta(days=7 * (w + 1)), float(hours[w]), float(recorded[w]), float(damage[w])
        )
        for w in range(weeks)
    ]
    return duty_history(part, readings)


class Judge:
    """A forecaster calibrated on some lives of a world, and other lives to judge it by."""

    def __init__(self, world: World, calibration_lives: int = 100, lives: int = 1000) -> None:
        self.catalogue = Catalogue(life_hours=world.catalogue_hours, hours_per_week=35.0)
        known = live(world, calibration_lives, stream=1)
        ends = np.minimum(known.end_week, known.planned_week)
        histories = [history_of(known, k, int(np.ceil(ends[k]))) for k in range(calibration_lives)]
        self.prior: DutyPrior = fleet_duty(self.catalogue, histories)
        failed = known.end_week <= known.planned_week
        used = [used_life(history, duty_of(history, self.prior)) for history in histories]
        replacements = [
            Replacement(max(damage, 1e-3), bool(end)) for damage, end in zip(used, failed, strict=True)
        ]
        self.calibration: Calibration = calibrate(replacements, self.catalogue)
        self.median_hours = float(np.median(known.end_hours))  # of all lives: more than a fleet would know
        self.lives = live(world, lives, stream=2)

    def at_used_life(self, share: float) -> list[Outcome]:
        """Forecasts when the counter passes this share of the fleet's median life, known beforehand."""
        mark = share * self.calibration.median_damage.middle
        counted = np.cumsum(self.lives.damage * self.lives.seen, axis=1)
        seen = np.cumsum(self.lives.hours * self.lives.seen, axis=1)
        used = counted * np.cumsum(self.lives.hours, axis=1) / np.maximum(seen, 1e-9)
        weeks = np.argmax(used >= mark, axis=1) + 1 if share > 0.0 else np.zeros(len(used), dtype=int)
        return self._outcomes(weeks)

    def at_true_share(self, share: float) -> list[Outcome]:
        """Forecasts at a share of each part's true life, which nobody knows at that moment."""
        return self._outcomes((share * self.lives.end_week).astype(int))

    def _outcomes(self, weeks: np.ndarray) -> list[Outcome]:
        found = []
        for k, week in enumerate(weeks):
            if week >= self.lives.end_week[k]:
                continue
            history = history_of(self.lives, k, int(week))
            forecast = remaining_life(history, self.calibration.law, self.prior, seed=k)
            found.append(Outcome(forecast, float(self.lives.end_hours[k] - history.hours)))
        return found

    def verdict(self, moment: str, outcomes: list[Outcome]) -> Verdict:
        stated, observed = stated_and_observed(outcomes, 0.2)
        rival = [
            pinball(o.remaining, max(self.median_hours - o.forecast.hours, 0.0), level)
            for o in outcomes
            for level in LEVELS
        ]
        return Verdict(
            moment,
            len(outcomes),
            coverage(outcomes),
            passed(outcomes, 0.1),
            ks_distance(pit(outcomes)),
            stated,
            observed,
            pinball_loss(outcomes),
            hours_loss(outcomes, self.catalogue),
            float(np.mean(rival)),
        )
