"""Twin experiments: what a filter with biases must reach, and that it is honest about the rest."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simcore import cases
from simcore.cli.main import main
from simcore.errors import SimcoreError
from simcore.estimate import experiment as x
from simcore.estimate.sensors import four_bar_set

CASE = cases.get("four-bar-b")
MODEL = CASE.build()
SEEDS = range(201, 205)


@pytest.fixture(scope="module")
def alone() -> x.Motion:
    return x.move(CASE, {}, real=False)


@pytest.fixture(scope="module")
def real() -> dict[str, x.Motion]:
    return {kind: x.move(CASE, x.real_parameters(CASE, kind), real=True) for kind in ("E0", "E1", "E2")}


def pooled(
    truth: x.Motion, alone: x.Motion, kind: str, number: int, rate: float, seeds: range = SEEDS
) -> dict[str, np.ndarray]:
    """Means of the figures over seeds."""
    sensors, found = four_bar_set(number, rate), []
    for seed in seeds:
        readings = x.observe(MODEL, truth, sensors, seed)
        found.append(x.score(truth, x.estimate(MODEL, readings, sensors, alone.schedule, kind), alone))
    return {key: np.mean([f[key] for f in found], axis=0) for key in found[0]}


@pytest.mark.parametrize("machine", ["E1", "E2"])
def test_with_biases_the_twin_is_as_near_as_the_study_was(
    real: dict[str, x.Motion], alone: x.Motion, machine: str
) -> None:
    figures = pooled(real[machine], alone, "bias", 2, 1000.0)
    assert figures["rmse_percent"][0] < 0.02  # four seeds; the mean over twenty is in docs/benchmarks.md
    assert np.all(figures["rmse_percent"][2:] < 0.2)
    assert np.all(figures["coverage"] > 0.85)
    assert np.all(figures["coverage"][1:] < 0.995)  # the angle's error lasts for seconds: four seeds are few
    assert 0.9 < figures["nis_mean"] < 1.1


@pytest.mark.parametrize("number", [3, 4])
def test_the_pressure_that_nobody_measures_is_known(
    real: dict[str, x.Motion], alone: x.Motion, number: int
) -> None:
    figures = pooled(real["E2"], alone, "bias", number, 200.0)
    missing = {3: 4, 4: 3}[number]
    assert figures["rmse_percent"][missing] < 0.6
    assert figures["uncorrected_rmse_percent"][missing] > 5 * figures["rmse_percent"][missing]


def test_without_biases_a_lasting_error_makes_the_exact_transition_worse_than_the_published_one(
    real: dict[str, x.Motion], alone: x.Motion
) -> None:
    angle = {
        kind: pooled(real["E2"], alone, kind, 2, 1000.0, range(201, 203))["rmse_percent"][0]
        for kind in x.FILTERS
    }
    assert angle["bias"] < angle["published"] < angle["full"]


def test_the_biases_are_those_of_the_real_machine(real: dict[str, x.Motion], alone: x.Motion) -> None:
    sensors = four_bar_set(2, 1000.0)
    readings = x.observe(MODEL, real["E2"], sensors, 201)
    _, gain, supply = x.estimate(MODEL, readings, sensors, alone.schedule, "bias").biases
    assert gain == pytest.approx(0.9, abs=0.01)
    assert supply == pytest.approx(0.93 * 7.6e6, rel=0.01)


def test_without_model_error_the_errors_are_no_larger_than_the_filter_says(
    real: dict[str, x.Motion], alone: x.Motion
) -> None:
    assert pooled(real["E0"], alone, "bias", 2, 200.0)["nees_mean"] < 1.2  # per degree of freedom


@pytest.mark.parametrize("kind", ["full", "bias"])
def test_the_covariance_stays_positive_and_symmetric(
    real: dict[str, x.Motion], alone: x.Motion, kind: str
) -> None:
    sensors = four_bar_set(2, 1000.0)
    readings = x.observe(MODEL, real["E1"], sensors, 201)
    covariances = x.estimate(MODEL, readings, sensors, alone.schedule, kind).covariances
    assert np.array_equal(covariances, covariances.transpose(0, 2, 1))
    assert np.all(np.linalg.eigvalsh(covariances[::50]) > 0)


def test_outliers_are_left_out_by_the_gate(real: dict[str, x.Motion], alone: x.Motion) -> None:
    sensors = four_bar_set(2, 200.0)
    readings = x.observe(MODEL, real["E1"], sensors, 201)
    spoiled = readings.copy()
    chance = np.random.default_rng(3)
    for sensor in sensors:
        k = [o.name for o in MODEL.outputs].index(sensor.channel)
        wild = np.flatnonzero(np.isfinite(readings[:, k]) & (chance.random(len(readings)) < 0.01))
        wild = wild[wild > 200]
        spoiled[wild, k] += 50 * float(sensor.noise) * chance.choice([-1, 1], len(wild))
    clean, gated, open_ = (
        x.score(real["E1"], x.estimate(MODEL, r, sensors, alone.schedule, "bias", gate), alone)[
            "rmse_percent"
        ]
        for r, gate in ((readings, 5.0), (spoiled, 5.0), (spoiled, np.inf))
    )
    assert np.all(gated < 1.2 * np.asarray(clean))
    assert np.all(np.asarray(open_)[2:] > 2 * np.asarray(gated)[2:])


def test_the_command_prints_what_was_promised(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["estimate", "four-bar-b", "--sensors", "set-4", "--rate", "100", "--machine", "E1", "--json"])
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    promised = "rmse rmse_percent uncorrected_rmse_percent coverage nis_mean nees_mean us_per_cycle biases"
    assert set(promised.split()) <= set(told)
    assert len(told["rmse"]) == len(told["states"]) == 5


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--sensors", "set-9"], "set-1, set-2, set-3, set-4"),
        (["--rate", "0"], "more than 0 Hz"),
        (["--rate", "300"], "whole numbers of steps"),
        (["--noise-scale", "-1"], "more than zero"),
        (["--noise-seed", "-1"], "must not be negative"),
        (["--filter", "none"], "invalid choice"),
    ],
)
def test_bad_options_are_one_line_that_says_what_is_allowed(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(["estimate", "four-bar-b", *arguments])
    except SystemExit as end:
        status = int(end.code or 0)
    assert status == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_an_unknown_machine_or_filter_is_refused() -> None:
    with pytest.raises(SimcoreError, match="E0, E1, E2, E3"):
        x.real_parameters(CASE, "E9")
