"""Readings of simulated sensors: the chances are as large as asked for, and belong to one sensor alone."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from simcore.errors import BadSensor
from simcore.estimate.experiment.sampling import Faults, Recording, record
from simcore.estimate.sensors import Mounting, Sensor
from simcore.model.quantity import assumed

DT = 1e-3
CHANNELS = ("crank.angle", "hose.p")
STEPS = 20_000
TIME = np.arange(STEPS) * DT
TRUTH = np.column_stack([np.sin(TIME), 3e6 + 1e6 * np.cos(3 * TIME)])
ENCODER = Sensor("encoder", "joint encoder", "crank.angle", 500.0, assumed(0.004, "rad"))
GAUGE = Sensor("gauge", "chamber pressure", "hose.p", 100.0, assumed(5e4, "Pa"))


def _watch(*sensors: Sensor, seed: int = 1, **faults: Faults) -> Recording:
    return record(TRUTH, CHANNELS, sensors, DT, seed, faults)


def _errors(recording: Recording, column: int) -> np.ndarray:
    """Error of every reading that there is."""
    errors = recording.dense()[:, column] - TRUTH[:, column]
    return errors[np.isfinite(errors)]


def test_readings_come_at_the_rate_of_their_sensor_and_nowhere_else() -> None:
    dense = _watch(ENCODER, GAUGE).dense()
    assert np.array_equal(np.flatnonzero(np.isfinite(dense[:, 0])), np.arange(0, STEPS, 2))
    assert np.array_equal(np.flatnonzero(np.isfinite(dense[:, 1])), np.arange(0, STEPS, 10))


def test_noise_is_white_normal_and_as_large_as_defined() -> None:
    errors = _errors(_watch(ENCODER), 0) / 0.004
    assert stats.kstest(errors, "norm").pvalue > 0.01
    assert abs(np.corrcoef(errors[1:], errors[:-1])[0, 1]) < 3 / math.sqrt(len(errors))


def test_a_bias_shifts_the_value_and_a_mounting_does_not() -> None:
    plain, turned = ENCODER, replace(ENCODER, mounting=Mounting(sign=-1, zero=0.7))
    assert np.mean(_errors(_watch(replace(plain, bias=0.1)), 0)) == pytest.approx(0.1, abs=2e-4)
    assert np.mean(_errors(_watch(turned), 0)) == pytest.approx(0.0, abs=2e-4)
    shown = _watch(turned).arrivals()[1000]
    assert shown.value == pytest.approx(0.7 - math.sin(shown.taken), abs=0.02)


def test_the_noise_of_a_sensor_changes_neither_with_others_nor_with_faults() -> None:
    alone = _watch(GAUGE).dense()[:, 1]
    beside = _watch(ENCODER, GAUGE).dense()[:, 1]
    assert np.array_equal(alone, beside, equal_nan=True)
    lossy = _watch(GAUGE, gauge=Faults(loss=0.3, doubled=0.2, swapped=0.2)).dense()[:, 1]
    kept = np.isfinite(lossy)
    assert 0 < np.sum(kept) < 2000
    assert np.array_equal(lossy[kept], alone[kept])


def test_the_seed_decides_and_names_draw_apart() -> None:
    first = _watch(ENCODER, GAUGE, seed=3).arrivals()
    assert first == _watch(ENCODER, GAUGE, seed=3).arrivals()
    assert first != _watch(ENCODER, GAUGE, seed=4).arrivals()
    twin = replace(ENCODER, name="other")
    assert abs(np.corrcoef(_errors(_watch(ENCODER), 0), _errors(_watch(twin), 0))[0, 1]) < 0.04


def test_loss_takes_the_share_that_was_asked_for() -> None:
    recording = _watch(ENCODER, encoder=Faults(loss=0.3))
    left = len(recording.arrivals())
    assert stats.binomtest(left, 10_000, 0.7).pvalue > 0.001
    assert left == np.sum(np.isfinite(recording.dense()))


def test_outliers_have_their_share_and_their_size_on_both_sides() -> None:
    errors = _errors(_watch(ENCODER, encoder=Faults(outliers=0.01, outlier_size=50)), 0) / 0.004
    wild = errors[np.abs(errors) > 20]
    assert stats.binomtest(len(wild), 10_000, 0.01).pvalue > 0.001
    assert np.all(np.abs(np.abs(wild) - 50) < 5)
    assert 0.25 < np.mean(wild > 0) < 0.75


def test_a_delayed_reading_carries_the_time_it_was_taken() -> None:
    recording = _watch(replace(ENCODER, delay=0.2), GAUGE)
    arrivals = recording.arrivals()
    late = [a for a in arrivals if a.sensor == "encoder"]
    assert all(a.arrived == pytest.approx(a.taken + 0.2, abs=1e-12) for a in late)
    assert late[500].value == pytest.approx(math.sin(late[500].taken), abs=0.02)
    assert [a.arrived for a in arrivals] == sorted(a.arrived for a in arrivals)
    # by time taken the encoder lies between readings of the gauge that came before it
    assert any(b.taken < a.taken for a, b in pairwise(arrivals))


def test_who_waits_too_short_goes_without_the_late_ones() -> None:
    recording = _watch(replace(ENCODER, delay=0.2), GAUGE)
    assert np.sum(np.isfinite(recording.dense(patience=0.15)), axis=0).tolist() == [0, 2000]
    assert np.sum(np.isfinite(recording.dense(patience=0.25)), axis=0).tolist() == [10_000, 2000]


def test_doubled_readings_are_the_same_twice() -> None:
    recording = _watch(GAUGE, gauge=Faults(doubled=0.2))
    arrivals = recording.arrivals()
    extra = len(arrivals) - 2000
    assert stats.binomtest(extra, 2000, 0.2).pvalue > 0.001
    assert len({(a.taken, a.value) for a in arrivals}) == 2000
    assert np.array_equal(recording.dense(), _watch(GAUGE).dense(), equal_nan=True)


def test_swapped_readings_arrive_in_the_place_of_their_neighbour() -> None:
    recording = _watch(GAUGE, gauge=Faults(swapped=0.3))
    taken = np.array([a.taken for a in recording.arrivals()])
    back = int(np.sum(np.diff(taken) < 0))
    assert stats.binomtest(back, 1000, 0.3).pvalue > 0.001
    assert np.allclose(np.sort(taken), np.arange(2000) * 0.01)
    assert np.array_equal(recording.dense(), _watch(GAUGE).dense(), equal_nan=True)


def test_a_stuck_sensor_repeats_its_last_reading() -> None:
    values = np.array([a.value for a in _watch(GAUGE, gauge=Faults(stuck_from=5.0)).arrivals()])
    healthy = np.array([a.value for a in _watch(GAUGE).arrivals()])
    assert np.array_equal(values[:500], healthy[:500])
    assert np.all(values[500:] == healthy[499])


def test_a_step_and_a_drift_of_the_bias_begin_when_they_should() -> None:
    healthy = _errors(_watch(GAUGE), 1)
    at = np.arange(2000) * 0.01
    stepped = _errors(_watch(GAUGE, gauge=Faults(step_from=5.0, step=2e5)), 1) - healthy
    assert stepped == pytest.approx(np.where(at >= 5.0, 2e5, 0.0), abs=1e-6)
    drifting = _errors(_watch(GAUGE, gauge=Faults(drift_from=5.0, drift=1e4)), 1) - healthy
    assert drifting == pytest.approx(np.maximum(at - 5.0, 0.0) * 1e4, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "faults", "message"),
    [
        ("gauge", Faults(loss=1.2), r"faults of 'gauge': loss = 1\.2: must be between 0 and 1"),
        ("gauge", Faults(outliers=math.nan), r"outliers = nan: must be between 0 and 1"),
        ("gauge", Faults(step=math.inf), r"step = inf: must be finite"),
        ("gauge", Faults(stuck_from=math.nan), r"stuck_from = nan: must be a time"),
        ("wheel", Faults(), r"faults of 'wheel': there is no sensor of this name; known: gauge"),
    ],
)
def test_impossible_faults_are_refused(name: str, faults: Faults, message: str) -> None:
    with pytest.raises(BadSensor, match=message):
        _watch(GAUGE, **{name: faults})


def test_a_truth_that_does_not_fit_is_refused() -> None:
    with pytest.raises(BadSensor, match=r"finite numbers with 1 columns, one per channel"):
        record(TRUTH, CHANNELS[:1], (ENCODER,), DT, 1)
    with pytest.raises(BadSensor, match=r"finite numbers"):
        record(np.full((10, 2), np.nan), CHANNELS, (ENCODER,), DT, 1)
    with pytest.raises(BadSensor, match=r"'hose\.p' has no column in the truth"):
        record(TRUTH[:, :1], CHANNELS[:1], (GAUGE,), DT, 1)
