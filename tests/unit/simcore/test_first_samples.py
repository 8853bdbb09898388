"""A twin starts from any first sample, or a sentence says what is impossible."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from simcore import registry
from simcore.errors import Diverged, Refused
from simcore.estimate.initialise.possible_spread import clearance
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model import Channel

MACHINES = ("excavator", "loader-crane", "four-bar-b")
SAMPLES = 100  # per machine
_DEGREE = np.pi / 180.0
_POSITIONS = ("rad", "m")


@pytest.fixture(scope="module", params=MACHINES)
def twin(request: pytest.FixtureRequest) -> LiveTwin:
    return LiveTwin(registry.get(request.param).build())


def telemetry(twin: LiveTwin) -> list[Channel]:
    return [c for c in twin.engine.channels if c.role in ("sensor", "input")]


def usual(twin: LiveTwin) -> dict[str, float]:
    """The described start, as its sensors read it."""
    twin.start({})
    values = dict(zip(twin.engine.index, twin.values().tolist(), strict=True))
    return {c.name: values[c.name] for c in telemetry(twin)}


def drawn(twin: LiveTwin, chance: np.random.Generator) -> dict[str, float]:
    """A sample of a machine anywhere in its travel or a little beyond it, with some of its channels."""
    sample = {}
    start, share = usual(twin), chance.choice([1.0, 0.5, 0.2])
    for channel in telemetry(twin):
        if chance.random() > share:
            continue
        value = start[channel.name]
        if channel.role == "input":
            value = float(chance.uniform(-1.0, 1.0))
        elif channel.unit in _POSITIONS:
            value += chance.uniform(-0.3, 0.3) + chance.choice([-2.0, 2.0]) * _DEGREE
        elif channel.unit == "Pa":
            value = float(chance.choice([0.0, -2e5, 1e5, chance.uniform(0.0, 3e7)]))
            value = min(value, 7e6) if twin.engine.machine.name == "four-bar-b" else value
        sample[channel.name] = float(value)
    return sample


def starts(twin: LiveTwin, sample: dict[str, float]) -> str:
    """Code of the sentence that says why there is no twin; empty: there is one, and it goes on."""
    try:
        twin.start(sample)
    except Diverged as error:
        return error.message.code
    assert np.all(np.isfinite(twin.values()))
    assert np.all(np.isfinite(twin.covariance))
    twin.engine.settle(twin.engine.state)
    assert clearance(twin.engine) > 0.0
    for _ in range(3):
        with contextlib.suppress(Refused):
            twin.correct(sample, 20)
        assert np.all(np.isfinite(twin.values()))
    return ""


def test_a_twin_starts_from_samples_of_all_kinds(twin: LiveTwin) -> None:
    chance = np.random.default_rng(16)
    codes = [starts(twin, drawn(twin, chance)) for _ in range(SAMPLES)]
    # several positions far beyond their ends are no twin, but a sentence
    assert set(codes) <= {"", "start.stroke"}
    assert np.mean([code == "" for code in codes]) > 0.9


def test_a_twin_starts_without_and_with_single_readings(twin: LiveTwin) -> None:
    assert starts(twin, {}) == ""
    for name, value in usual(twin).items():
        assert starts(twin, {name: value}) == "", name


def test_a_sample_of_zeros_leads_to_a_twin_or_a_sentence(twin: LiveTwin) -> None:
    assert starts(twin, dict.fromkeys(usual(twin), 0.0)) in ("", "start.stroke")


@pytest.mark.parametrize("off", [-1e300, -1e9, -1e3, 1e3, 1e9, 1e300])
def test_a_twin_starts_beside_a_sensor_that_reads_nonsense(twin: LiveTwin, off: float) -> None:
    sample = usual(twin)
    sensors = [c for c in telemetry(twin) if c.role == "sensor"]
    positions = [c.name for c in sensors if c.unit in _POSITIONS]
    for channel in sensors:
        code = starts(twin, sample | {channel.name: off})
        assert code == ("start.stroke" if positions == [channel.name] else ""), channel.name


def test_a_pressure_a_little_below_vapour_pressure_is_no_obstacle(twin: LiveTwin) -> None:
    sample = usual(twin)
    for channel in telemetry(twin):
        if channel.unit == "Pa":
            assert starts(twin, sample | {channel.name: -1e4}) == ""


def test_positions_of_the_wrong_unit_are_refused_by_name(twin: LiveTwin) -> None:
    sample = usual(twin)
    degrees = {c.name: sample[c.name] / _DEGREE + 1e3 for c in telemetry(twin) if c.unit in _POSITIONS}
    with pytest.raises(Diverged) as refused:
        twin.start(sample | degrees)
    assert refused.value.message.code == "start.stroke"
    assert refused.value.message.values["sensor"] in degrees
