"""Is what the filter says of its own errors true? NEES, what NIS does not show, a million steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simcore import registry
from simcore.estimate.experiment import experiment as x
from simcore.estimate.experiment.offline_twin import FilterResult, OfflineTwin, estimate
from simcore.estimate.experiment.sampled_truth import sample_motion
from simcore.estimate.monitor.consistency import chi_square_bounds, goes_with, regressor_test
from simcore.estimate.sensors import four_bar_set

pytestmark = pytest.mark.long

CASE = registry.get("four-bar-b")
MODEL = CASE.build()
CHANNELS = [o.name for o in MODEL.outputs]


@pytest.fixture(scope="module")
def alone() -> x.Motion:
    return x.move(CASE, {}, real=False)


def test_without_model_error_nees_is_inside_its_bounds() -> None:
    """Fifty machines drawn from what the filter assumes, from rest into a movement."""
    seeds, sensors = 50, four_bar_set(2, 200.0)
    drive = ((0.0, {"valve.command": 0.0}), (0.4, {"valve.command": 10.0}))
    alone = x.move(replace(CASE, command_schedule=drive, t_end=0.8), {}, real=False)
    honest, told_wrong = [], []
    for seed in range(seeds):
        states, channels, _ = sample_motion(MODEL, seed, alone.schedule, len(alone.t) - 1)
        truth = replace(alone, states=states, channels=channels)
        for scale, found in ((1.0, honest), (1.5, told_wrong)) if seed < 10 else ((1.0, honest),):
            readings = x.record_motion(MODEL, truth, sensors, seed, scale).dense()[1:]
            twin = estimate(MODEL, readings, sensors, alone.schedule, "bias")
            found.append(float(x.score(truth, twin, alone)["nees_mean"]))
    low, high = (bound / 5 for bound in chi_square_bounds(seeds, 5))
    assert low < np.mean(honest) < high
    assert np.mean(told_wrong) > high  # with half as much noise again as it was told


def _followed(machine: str, alone: x.Motion) -> tuple[x.Motion, FilterResult]:
    truth, sensors = x.move(CASE, x.real_parameters(CASE, machine), real=True), four_bar_set(4, 1000.0)
    readings = x.observe(MODEL, truth, sensors, 201)
    return truth, estimate(MODEL, readings, sensors, alone.schedule, "bias")


def test_an_error_that_no_state_describes_shows_beside_the_spool_while_nis_stays_near_one(
    alone: x.Motion,
) -> None:
    suspected = {}
    for machine in ("E1", "E2", "E3"):
        truth, twin = _followed(machine, alone)
        figures, late = x.score(truth, twin, alone), truth.t[1:] > x.SETTLED
        spool = truth.channels[1:, CHANNELS.index("valve.spool")][late]
        pressures = [twin.innovations[late, CHANNELS.index(name)] for name in ("hose.p", "cylinder.p_B")]
        suspected[machine] = [goes_with(nu, spool) for nu in pressures]
        assert 0.9 < figures["nis_mean"] < 1.2
        if machine == "E3":
            assert figures["coverage"][3] < 0.6  # piston chamber, which nobody measures
            assert figures["rmse_percent"][3] < 2.0
            assert min(abs(regressor_test(nu, spool).statistic) for nu in pressures) > 10
    assert suspected == {"E1": [False, False], "E2": [False, False], "E3": [True, True]}


def test_the_covariance_is_sound_after_a_million_steps(alone: x.Motion) -> None:
    """A working cycle, then a long rest: there some states are known ever better, and others spread."""
    sensors, still = four_bar_set(2, 1000.0), 10_000
    truth = x.move(CASE, x.real_parameters(CASE, "E1"), real=True)
    at_rest = x.Motion(truth.t, np.tile(truth.states[-1], (still + 1, 1)),
                       np.tile(truth.channels[-1], (still + 1, 1)), truth.schedule)  # fmt: skip
    twin = OfflineTwin(MODEL, sensors, "bias")
    twin.run(x.observe(MODEL, truth, sensors, 1), alone.schedule)
    for seed in range(2, 101):
        twin.run(x.observe(MODEL, at_rest, sensors, seed), alone.schedule[:0])
    assert twin.engine.steps == 1_000_000
    covariance = twin.covariance
    assert np.array_equal(covariance, covariance.T)
    sizes = np.linalg.eigvalsh(covariance)
    assert sizes[0] > -len(sizes) * np.finfo(float).eps * sizes[-1]
    assert np.all(np.diag(covariance) > 0)
