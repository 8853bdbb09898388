"""Twin experiments: what a filter with biases must reach, and that it is honest about the rest."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simcore import registry
from simcore.cli.main import main
from simcore.errors import SimcoreError
from simcore.estimate.experiment import experiment as x
from simcore.estimate.experiment.offline_twin import FILTERS, OfflineTwin, estimate
from simcore.estimate.sensors import four_bar_set, own_sensors
from tests.estimation_table import cells, inaccuracies

CASE = registry.get("four-bar-b")
MODEL = CASE.build()
SEEDS = range(201, 205)


@pytest.fixture(scope="module")
def alone() -> x.Motion:
    return x.move(CASE, {}, real=False)


@pytest.fixture(scope="module")
def real() -> dict[str, x.Motion]:
    return {kind: x.move(CASE, x.real_parameters(CASE, kind), real=True) for kind in ("E1", "E2")}


def pooled(
    truth: x.Motion, alone: x.Motion, kind: str, number: int, rate: float, seeds: range = SEEDS
) -> dict[str, np.ndarray]:
    """Means of the figures over seeds."""
    sensors, found = four_bar_set(number, rate), []
    for seed in seeds:
        readings = x.observe(MODEL, truth, sensors, seed)
        found.append(x.score(truth, estimate(MODEL, readings, sensors, alone.schedule, kind), alone))
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


@pytest.mark.long
def test_every_set_and_rate_is_as_accurate_as_promised() -> None:
    """Two seeds; docs/benchmarks.md has the conditions on twenty."""
    found = list(cells(range(201, 203), machines=("E1", "E2"), rates=(100.0, 1000.0), kinds=("bias",)))
    assert inaccuracies(found) == []
    inside = np.mean([cell.coverage for cell in found], axis=0)
    assert np.all((inside > 0.88) & (inside < 0.99))


def test_without_biases_a_lasting_error_makes_the_exact_transition_worse_than_the_published_one(
    real: dict[str, x.Motion], alone: x.Motion
) -> None:
    angle = {
        kind: pooled(real["E2"], alone, kind, 2, 1000.0, range(201, 203))["rmse_percent"][0]
        for kind in FILTERS
    }
    assert angle["bias"] < angle["published"] < angle["full"]


def test_the_biases_are_those_of_the_real_machine(real: dict[str, x.Motion], alone: x.Motion) -> None:
    sensors = four_bar_set(2, 1000.0)
    readings = x.observe(MODEL, real["E2"], sensors, 201)
    _, gain, supply = estimate(MODEL, readings, sensors, alone.schedule, "bias").biases[-1]
    assert gain == pytest.approx(0.9, abs=0.01)
    assert supply == pytest.approx(0.93 * 7.6e6, rel=0.01)


@pytest.mark.parametrize("kind", ["full", "bias"])
def test_the_covariance_stays_positive_and_symmetric(
    real: dict[str, x.Motion], alone: x.Motion, kind: str
) -> None:
    sensors = four_bar_set(2, 1000.0)
    readings = x.observe(MODEL, real["E1"], sensors, 201)
    covariances = estimate(MODEL, readings, sensors, alone.schedule, kind).covariances
    assert np.array_equal(covariances, covariances.transpose(0, 2, 1))
    assert np.all(np.linalg.eigvalsh(covariances[::50]) > 0)


def test_the_command_prints_what_was_promised(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["estimate", "four-bar-b", "--sensors", "set-4", "--rate", "100", "--machine", "E1", "--json"])
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    promised = (
        "rmse rmse_percent uncorrected_rmse_percent coverage nis_mean nees_mean us_per_cycle parameters"
    )
    assert set(promised.split()) <= set(told)
    assert len(told["rmse"]) == len(told["states"]) == 5


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--sensors", "set-9"], "set-1, set-2, set-3, set-4"),
        (["--rate", "0"], "more than 0 Hz"),
        (["--rate", "300"], "a whole number of steps"),
        (["--noise-scale", "-1"], "more than zero"),
        (["--noise-seed", "-1"], "must be 0 or more"),
        (["--filter", "none"], "invalid choice"),
        (["--event", "flood"], "pick-up, stuck, outliers, loss, delay, late, swapped"),
        (["--event", "pick-up"], "declares no payload"),
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


@pytest.mark.parametrize("kind", ["published", "full"])
@pytest.mark.parametrize("name", ["crane", "loader-crane", "excavator"])
def test_only_the_filter_with_biases_has_any(name: str, kind: str) -> None:
    machine = registry.get(name).build()
    sensors = own_sensors(machine, 50.0)
    assert len(OfflineTwin(machine, sensors, "bias").biases) > 0
    assert len(OfflineTwin(machine, sensors, kind).biases) == 0


def test_an_unknown_machine_or_filter_is_refused() -> None:
    with pytest.raises(SimcoreError, match="E0, E1, E2, E3"):
        x.real_parameters(CASE, "E9")
