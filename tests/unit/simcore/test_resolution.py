"""The resolution of a sensor is learned from its readings; a coarse sensor is not taken for a stuck one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simcore.estimate.monitor.resolution import COARSE, FINE
from simcore.estimate.monitor.sensor_monitor import SensorMonitor
from simcore.estimate.sensors import Sensor
from simcore.model.quantity import assumed

_RATE = 50.0
_NOISE = math.radians(0.2)


def _watch(digit: float, seconds: float, seed: int = 1, stuck_from: float = math.inf) -> SensorMonitor:
    """A monitor of an angle that swings slowly and rests by turns, read with noise and rounded to `digit`."""
    sensor = Sensor("boom", "joint encoder", "boom.angle", _RATE, assumed(_NOISE, "rad"))
    watch = SensorMonitor([sensor], 5.0, classed=[sensor.channel])
    random, held = np.random.default_rng(seed), 0.0
    for k in range(1, round(seconds * _RATE)):
        t = k / _RATE
        expected = 0.4 * math.sin(0.5 * t) if t % 14.0 < 8.0 else 0.4 * math.sin(0.5 * (t - t % 14.0 + 8.0))
        reading = expected + _NOISE * random.normal()
        reading = digit * round(reading / digit) if digit else reading
        held = reading if t < stuck_from else held
        sigma = max(_NOISE, digit / math.sqrt(12.0))
        row = np.array([held - expected])
        watch.feed(t, row / sigma, np.array([held]), np.array([expected]))
        if t < stuck_from:
            assert watch.findings() == ()
    return watch


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("degrees", [0.25, 1.0, 1.5])
def test_a_digit_is_learned_and_no_sensor_is_stuck(degrees: float, seed: int) -> None:
    row = _watch(math.radians(degrees), 30.0, seed).rows[0]
    assert row["resolved"] == COARSE
    assert row["digit"] == pytest.approx(math.radians(degrees), rel=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_noise_has_no_digit(seed: int) -> None:
    row = _watch(0.0, 30.0, seed).rows[0]
    assert row["resolved"] == FINE


def test_a_resolution_coarser_than_the_described_noise_is_told() -> None:
    (note,) = _watch(math.radians(1.0), 20.0).notes()
    assert (note.kind, note.code, note.is_note) == ("quantised", "sensor.quantised", True)
    assert note.values["step"] == pytest.approx(math.radians(1.0))
    assert _watch(math.radians(0.25), 20.0).notes() == ()


@pytest.mark.parametrize("degrees", [0.0, 0.25, 1.0])
def test_a_stuck_sensor_is_still_found(degrees: float) -> None:
    watch = _watch(math.radians(degrees), 24.0, stuck_from=15.0)
    assert [(f.kind, f.channel) for f in watch.findings()] == [("stuck", "boom.angle")]
