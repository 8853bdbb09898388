"""Errors of the sensors in the filter: rows of readings, the covariance of a start, time stamps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simcore import registry
from simcore.estimate.biases import DELAY, SENSOR, biases_of, drifted, driven
from simcore.estimate.linearise.sensor_errors import SMOOTHING, start_covariance
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.kernels.jit import kernel
from simcore.model.plan import Plan, Records
from simcore.run.engine import Engine

MACHINE = registry.get("loader-crane").build()
ENGINE = Engine(MACHINE, 1e-3)
BIASES = biases_of(MACHINE, ENGINE.plan)


def _channel(name: str) -> int:
    return [o.name for o in MACHINE.outputs].index(name)


def test_pressures_have_an_error_each_and_a_common_delay() -> None:
    sensors = {k for k, o in enumerate(MACHINE.outputs) if o.role == "sensor" and o.reads == "pressure"}
    assert set(BIASES["index"][BIASES["kind"] == SENSOR]) == sensors
    assert np.count_nonzero(BIASES["kind"] == DELAY) == 1


def test_the_zero_point_of_an_encoder_is_part_of_the_bounds() -> None:
    """Of its own angle, and of everything that follows from it: the height of a point by its lever arm."""
    twin, without = LiveTwin(MACHINE), LiveTwin(MACHINE)
    without._zero_errors[:] = 0.0
    grown = twin.sigmas() ** 2 - without.sigmas() ** 2
    size = float(MACHINE.model_error.angle_error or 0.0)
    assert grown[_channel("boom.angle")] == pytest.approx(size**2)
    pressures = [_channel(o.name) for o in MACHINE.outputs if o.reads == "pressure"]
    np.testing.assert_allclose(grown[pressures], 0.0, atol=1e-6)
    n, errors = len(twin.covariance) - len(twin.biases), twin._zero_errors
    for k, output in enumerate(MACHINE.outputs):
        if output.reads in ("length", "height"):
            lever = twin._estimate.jacobian[0, n + k, : len(errors)]
            assert grown[k] == pytest.approx(np.sum((lever * errors) ** 2), rel=1e-6, abs=1e-12)


@kernel
def _driven(plan: Plan, biases: Records) -> int:
    return driven(plan.head[0].states, biases)


@kernel
def _drifted(biases: Records, i: int, span: float, variance: float) -> float:
    return drifted(biases[i], span, variance)


def test_errors_of_sensors_are_last_and_move_nothing() -> None:
    states = int(ENGINE.plan.head[0]["states"])
    moving = np.isin(BIASES["kind"], (SENSOR, DELAY), invert=True)
    assert _driven(ENGINE.plan, BIASES) == states + np.count_nonzero(moving)
    assert not np.any(np.diff(moving.astype(int)) > 0)


def test_the_error_of_a_sensor_is_never_known_exactly_nor_beyond_its_class() -> None:
    i = int(np.flatnonzero(BIASES["kind"] == SENSOR)[0])
    assert _drifted(BIASES, i, 1.0, 0.01) == pytest.approx(1 / 9)
    assert _drifted(BIASES, i, 1.0, 0.5) == pytest.approx(0.5 + 1e-4)
    assert _drifted(BIASES, i, 1e6, 0.9) == 1.0


def test_a_state_set_from_a_reading_has_the_error_of_its_sensor() -> None:
    """x = y - b - noise: var x = σ² + σ_b², cov(x, b) = -σ_b², and y itself is known to its noise."""
    plan, n = ENGINE.plan, int(ENGINE.plan.head[0]["states"])
    readings = np.full(len(MACHINE.outputs), np.nan)
    gauge = _channel("lift.p_A")
    readings[gauge] = 5e6
    sigmas, spread = np.full(n, 2e-3), np.eye(len(BIASES))
    found = start_covariance(plan, BIASES, readings, sigmas, spread)
    i = n + int(np.flatnonzero((BIASES["kind"] == SENSOR) & (BIASES["index"] == gauge))[0])
    (x,) = (s for s in range(n) if found[s, i] != 0.0)
    unit = float(BIASES[i - n]["unit"]) / 1e6  # MPa
    assert found[x, x] == pytest.approx(2e-3**2 + unit**2)
    h = np.zeros(len(found))
    h[x], h[i] = 1.0, unit
    assert h @ found @ h == pytest.approx(2e-3**2)
    assert np.all(np.linalg.eigvalsh(found) > 0.0)


def _expected(twin: LiveTwin) -> np.ndarray:
    """Readings that the twin expects now: measured less innovation."""
    n = len(twin.covariance) - len(twin.biases)
    return twin._estimate.jacobian[0, n:, len(twin.covariance)].copy()


def test_rows_of_readings_are_the_derivatives_of_what_the_twin_expects() -> None:
    twin = LiveTwin(MACHINE)
    twin.command({c.name: 3.0 for c in twin.engine.channels if c.role == "input"})
    twin.advance(40)
    twin._refresh()
    n, m = len(twin.covariance) - len(twin.biases), len(twin.covariance)
    rows, before = twin._estimate.jacobian[0, n:, :m].copy(), _expected(twin)
    for i in np.flatnonzero(np.isin(twin.biases["kind"], (SENSOR, DELAY))):
        index, unit = int(twin.biases[i]["index"]), float(twin.biases[i]["unit"])
        field = "offset" if twin.biases[i]["kind"] == SENSOR else "delay"
        twin.engine.condition.channels[field][index] += unit
        twin._refresh()
        np.testing.assert_allclose(_expected(twin) - before, rows[:, n + i], rtol=1e-6, atol=1e-6)
        twin.engine.condition.channels[field][index] -= unit
    late = n + int(np.flatnonzero(twin.biases["kind"] == DELAY)[0])
    pressures = [_channel(s.channel) for s in twin.sensor_monitor.sensors if s.quantity == "pressure"]
    assert np.all(rows[pressures, late] != 0.0)
    others = [k for k in range(len(rows)) if k not in pressures]
    assert np.all(rows[others, late] == 0.0)


def test_the_expectation_of_a_late_sensor_lags_behind() -> None:
    """For a pressure that rises at a constant rate, (p - p̄)/τ becomes that rate, and y = p - d ṗ."""
    rate, dt, averaged, p = 3e6, 1e-3, 0.0, 0.0
    share = 1.0 - math.exp(-dt / SMOOTHING)
    for _ in range(1000):
        p += rate * dt
        averaged += share * (p - averaged)
    # the discrete average is behind by half a step less than the continuous one
    assert (p - averaged) / SMOOTHING == pytest.approx(rate, rel=0.6 * dt / SMOOTHING)


def test_time_offsets_are_those_of_all_pressures() -> None:
    twin = LiveTwin(MACHINE)
    offsets = twin.time_offsets()
    assert set(offsets) == {s.channel for s in twin.sensor_monitor.sensors if s.quantity == "pressure"}
    prior = float(MACHINE.model_error.pressure_delay or 0.0)
    assert all(value == (0.0, pytest.approx(prior)) for value in offsets.values())
