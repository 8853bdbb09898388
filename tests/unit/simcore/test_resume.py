"""After a silence, a loss or a restart a twin begins from its sensors and forgets nothing that is slow."""

from __future__ import annotations

import numpy as np
import pytest
from real_machine import CASE, Rig, follow

from simcore.errors import Diverged
from simcore.estimate.biases import bias_values
from simcore.estimate.initialise.possible_spread import possible_spread
from simcore.estimate.twin import sample_rate
from simcore.estimate.twin.kept_biases import after_loss, after_silence, first_covariance
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model import channel_table
from simcore.run.engine import Engine

MACHINE = CASE.build()
TABLE = channel_table(MACHINE)
INDEX = {c.name: i for i, c in enumerate(TABLE)}
STATES = 5


def biases(twin: LiveTwin) -> np.ndarray:
    return bias_values(twin.engine.condition, twin.biases)


def sample_of(twin: LiveTwin) -> dict[str, float]:
    values = twin.values()
    return {c.name: float(values[i]) for i, c in enumerate(TABLE) if c.role in ("sensor", "input")}


def test_a_resumed_twin_keeps_its_biases_and_their_correlations() -> None:
    twin = follow(4.0, 6)[0]
    learned, cov = biases(twin), twin.covariance[STATES:, STATES:].copy()
    twin.resume(sample_of(twin), 6000)
    # four-bar-b carries no load: nothing but time changes its biases
    np.testing.assert_allclose(biases(twin), learned, rtol=1e-12)
    grown = np.diag(twin.covariance[STATES:, STATES:]) - np.diag(cov)
    np.testing.assert_allclose(grown, twin.biases["walk"] ** 2 * 6.0, rtol=1e-3)
    off = ~np.eye(len(cov), dtype=bool)
    np.testing.assert_allclose(twin.covariance[STATES:, STATES:][off], cov[off], rtol=1e-9)
    assert np.all(twin.covariance[:STATES, STATES:] == 0.0)
    assert twin.engine.time == pytest.approx(4.0 + 6.0, abs=0.05)


def test_a_resume_from_an_impossible_sample_changes_nothing() -> None:
    twin = follow(0.5, 6)[0]
    before = twin.dump()
    with pytest.raises(Diverged, match=r"crank\.angle"):
        twin.resume({"crank.angle": 1e3}, 6000)
    assert twin.dump() == before


def test_a_stuck_sensor_stays_named_and_excluded_through_a_gap() -> None:
    rig, twin = Rig(seed=3, drive=lambda t: 6.0 * np.sin(3.0 * t)), LiveTwin(MACHINE)
    twin.start(rig.run()[1])
    held = None
    for _ in range(200):
        sample = rig.run()[1]
        held = sample["hose.p"] if held is None else held
        twin.correct(sample | {"hose.p": held}, 20)
    found = [(f.kind, f.channel, f.since) for f in twin.findings()]
    assert [name for _, name, _ in found] == ["hose.p"]
    for _ in range(100):
        rig.run()
    twin.resume(rig.run()[1] | {"hose.p": held}, 2020)
    assert [(f.kind, f.channel, f.since) for f in twin.findings()] == found
    for _ in range(25):
        twin.correct(rig.run()[1] | {"hose.p": held}, 20)
        assert found[0] in [(f.kind, f.channel, f.since) for f in twin.findings()]


def test_biases_walk_and_fade_over_a_silence_as_the_filter_lets_them() -> None:
    """Against their stochastic differential equations, b' = -b/τ + w, integrated in small steps."""
    twin = LiveTwin(MACHINE)
    records = twin.biases.copy()
    records["fade"][0], records["walk"][0] = 0.2, 0.0
    rng = np.random.default_rng(1)
    root = rng.normal(size=(len(records), len(records))) * 0.2
    cov = root @ root.T
    values, after = after_silence(records, np.ones(len(records)), cov, np.zeros(len(records)), 4.0, 3.0)
    step, expected, mean = 1e-3, cov.copy(), 1.0
    decay = np.diag(records["fade"])
    for _ in range(4000):
        expected += step * (-decay @ expected - expected @ decay.T)
        expected += step * np.diag(records["walk"] ** 2 + 2.0 * records["fade"])
        mean -= step * 0.2 * mean
    np.testing.assert_allclose(after, expected, rtol=5e-3, atol=1e-4)
    assert values[0] == pytest.approx(mean, rel=1e-3)
    assert np.all(values[1:] == 1.0)


def test_doubt_never_exceeds_that_of_a_new_twin() -> None:
    records, steps = LiveTwin(MACHINE).biases, np.zeros(len(LiveTwin(MACHINE).biases))
    first = first_covariance(records, steps)
    assert np.all(np.diag(after_loss(records, 0.9 * first, steps)) <= np.diag(first) * (1 + 1e-12))
    np.testing.assert_allclose(after_loss(records, 0.1 * first, steps), 0.4 * first)


def test_no_state_can_be_less_certain_than_its_travel_allows() -> None:
    most = possible_spread(Engine(MACHINE, 1e-3))
    assert most[0] <= np.pi / 2 + 0.2  # less than half a turn to either side
    assert np.all(most[2:] == pytest.approx(7.6 / 2))  # half the pump's pressure, MPa
    twin = follow(0.5, 2)[0]
    twin.advance(9000)
    assert np.all(np.sqrt(np.diag(twin.covariance)[:STATES]) <= most * (1 + 1e-9))
    assert np.all(np.linalg.eigvalsh(twin.covariance) > -1e-9)


@pytest.mark.parametrize("period", [0.01, 0.02, 0.1, 1.0])
def test_the_observed_period_is_the_true_one_and_a_gap_does_not_change_it(period: float) -> None:
    rate = np.zeros(sample_rate.RATE)
    for k in range(200):
        sample_rate.observe(rate, k * period, period, None)
    assert rate[sample_rate.PERIOD] == pytest.approx(period)
    sample_rate.observe(rate, 201 * period + 30.0, 30.0, None)
    assert rate[sample_rate.PERIOD] <= 3 * period


@pytest.mark.parametrize(
    ("rate", "code"), [(50, None), (14, None), (10, "telemetry.slow"), (1, "telemetry.sparse")]
)
def test_samples_that_come_too_rarely_are_named_with_both_rates(rate: float, code: str | None) -> None:
    memory = np.zeros(sample_rate.RATE)
    for k in range(100):
        sample_rate.observe(memory, k / rate, 1.0 / rate, 15.0)
    said = sample_rate.complaint(memory, 15.0)
    assert (said and said.code) == code
    if said is not None:
        assert said.values["rate"] == pytest.approx(rate)


def test_a_twin_on_a_slow_diet_shows_what_it_can_and_says_so() -> None:
    rig, twin = Rig(seed=5), LiveTwin(MACHINE)
    twin.start(rig.run()[1])
    for _ in range(8):
        for _ in range(49):
            rig.run()
        true, sample = rig.run()
        twin.correct(sample, 1000)
    assert [f.code for f in twin.findings()] == ["telemetry.sparse"]
    sigmas = twin.sigmas()
    assert np.isnan(sigmas[INDEX["cylinder.p_A"]])
    assert sigmas[INDEX["crank.angle"]] < 0.02
    assert abs(twin.values()[INDEX["crank.angle"]] - true[INDEX["crank.angle"]]) < 0.02


def test_a_piston_a_little_outside_its_tube_is_put_at_its_end() -> None:
    """Both ends of the stroke: the reading is beyond, the twin starts, and can take steps."""
    engine = Engine(MACHINE, 1e-3)
    travel = 2.0 * float(possible_spread(engine)[0])
    for way in (-1.0, 1.0):
        angle, twin = float(engine.state[0]), LiveTwin(MACHINE)
        reached = angle
        while abs(reached - angle) < travel:
            try:
                twin.start({"crank.angle": reached + 0.02 * way})
            except Diverged:
                break
            reached += 0.02 * way
        twin.start({"crank.angle": reached})
        twin.advance(100)
        assert np.isfinite(twin.values()).all()
        assert abs(twin.values()[0] - reached) < 0.25
