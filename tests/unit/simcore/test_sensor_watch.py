"""The watch names what is wrong with a sensor or the filter, soon, and nothing on a healthy machine."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from real_machine import CASE, PERIOD, Rig

from simcore.errors import ForeignDump, SimcoreError
from simcore.estimate.monitor.finding import Finding
from simcore.estimate.monitor.sensor_monitor import SensorMonitor
from simcore.estimate.sensors import Sensor, four_bar_set, own_sensors
from simcore.estimate.twin.live_twin import LiveTwin

NAMES = [s.name for s in four_bar_set(2, 50.0)]  # encoder, gyro, p1, p2, p3
SIGMA = np.array([float(s.noise) for s in four_bar_set(2, 50.0)])
ANGLE, P3 = 0, 4
Correction = tuple[float, np.ndarray, np.ndarray, np.ndarray]
Spoil = Callable[[np.ndarray, np.ndarray, np.ndarray], None]


def _corrections(
    rate: float, seconds: float, seed: int = 1, scale: float = 1.0, spoil: Spoil | None = None
) -> Iterator[Correction]:
    """White innovations of five sensors on a machine that swings and stands by turns.

    scale: true over assumed standard deviation of an innovation. spoil gets times, innovations in noises and
    readings, and changes them.
    """
    random = np.random.default_rng(seed)
    t = np.arange(1, round(seconds * rate) + 1) / rate
    swing = np.where(t % 9.0 < 5.0, np.sin(2 * np.pi * (t % 9.0) / 5.0), 0.0)
    expected = np.array([1.0, 0.2, 3e6, 3e6, 4e6]) + np.outer(swing, [0.3, 0.4, 1e6, 1e6, 5e5])
    normalised = scale * random.normal(size=expected.shape)
    readings = expected + normalised * SIGMA
    if spoil is not None:
        spoil(t, normalised, readings)
        normalised = normalised + (readings - expected - normalised * SIGMA) / SIGMA
    yield from zip(t.tolist(), normalised, readings, expected, strict=True)


def _watched(rate: float, corrections: Iterator[Correction]) -> list[tuple[float, Finding]]:
    """Every finding when it was first made."""
    watch, found, known = SensorMonitor(four_bar_set(2, rate)), [], set()
    for k, correction in enumerate(corrections):
        watch.feed(*correction)
        if k % max(1, round(rate / 100)) == 0:
            now = watch.findings()
            found += [(correction[0], f) for f in now if (f.kind, f.channel) not in known]
            known = {(f.kind, f.channel) for f in now}
    return found


@pytest.mark.parametrize("rate", [10.0, 50.0, 1000.0])
@pytest.mark.parametrize("variance", [0.7, 1.0, 1.3])
def test_a_healthy_machine_is_left_alone_though_the_filter_is_mistuned(rate: float, variance: float) -> None:
    assert _watched(rate, _corrections(rate, 60.0, scale=1 / math.sqrt(variance))) == []


def test_one_percent_of_outliers_and_a_third_of_losses_are_no_fault() -> None:
    def spoil(t: np.ndarray, normalised: np.ndarray, readings: np.ndarray) -> None:
        random = np.random.default_rng(8)
        wild = random.random(readings.shape) < 0.01
        readings += np.where(wild, 50 * SIGMA, 0.0)
        readings[random.random(readings.shape) < 0.3] = np.nan

    assert _watched(50.0, _corrections(50.0, 60.0, spoil=spoil)) == []


@pytest.mark.parametrize("rate", [50.0, 200.0, 1000.0])
@pytest.mark.parametrize("begin", [10.0, 11.3, 13.0])
def test_a_stuck_pressure_sensor_is_named_within_two_seconds(rate: float, begin: float) -> None:
    held = []

    def spoil(t: np.ndarray, normalised: np.ndarray, readings: np.ndarray) -> None:
        held.append(readings[np.searchsorted(t, begin), P3])
        readings[t > begin, P3] = held[0]

    ((when, finding),) = _watched(rate, _corrections(rate, 14.0, spoil=spoil))
    assert (finding.kind, finding.channel) == ("stuck", "cylinder.p_B")
    assert when < begin + 2.0
    assert finding.since / 1e6 == pytest.approx(begin, abs=2 / rate)
    assert finding.code in ("sensor.stuck.model", "sensor.stuck.noise")
    assert finding.values["reading"] == held[0]
    assert finding.values["quantity"] == "pressure"
    assert finding.text.startswith("cylinder.p_B sensor stuck at ")


def test_a_sensor_that_barely_moves_is_as_stuck_as_one_that_does_not() -> None:
    def spoil(t: np.ndarray, normalised: np.ndarray, readings: np.ndarray) -> None:
        readings[t > 10.0, P3] = 4e6 + 0.02 * SIGMA[P3] * normalised[t > 10.0, P3]

    ((_, finding),) = _watched(50.0, _corrections(50.0, 13.0, spoil=spoil))
    assert (finding.kind, finding.channel) == ("stuck", "cylinder.p_B")


def test_equal_readings_of_a_machine_that_stands_are_no_fault() -> None:
    watch, nothing = SensorMonitor(four_bar_set(2, 50.0)), np.zeros(5)
    for k in range(3000):
        watch.feed(k * 0.02, nothing, 5.0 * SIGMA, 5.0 * SIGMA)
    assert watch.findings() == ()


def test_a_sensor_that_fell_silent_in_motion_moves_nothing_any_more() -> None:
    watch, random = SensorMonitor(four_bar_set(2, 50.0)), np.random.default_rng(6)
    for k in range(1500):
        expected = 5.0 * SIGMA
        expected[ANGLE] += math.sin(0.02 * k)
        normalised = random.normal(size=5)
        readings = expected + normalised * SIGMA
        if k > 500:
            readings[ANGLE] = np.nan
        if k > 1000:
            readings[P3], normalised[P3] = expected[P3], 0.0
        watch.feed(k * 0.02, normalised, readings, expected)
    assert [(f.kind, f.channel) for f in watch.findings()] == [("silent", "crank.angle")]


def test_a_coarse_encoder_that_stands_while_others_move_is_not_stuck() -> None:
    digit = math.sqrt(12) * SIGMA[ANGLE]
    watch = SensorMonitor(four_bar_set(2, 50.0))
    for t, normalised, readings, expected in _corrections(50.0, 40.0):
        expected[ANGLE] = 1.0 + 0.02 * math.sin(0.5 * min(t, 20.0))
        readings[ANGLE] = digit * round(expected[ANGLE] / digit)
        normalised[ANGLE] = (readings[ANGLE] - expected[ANGLE]) / SIGMA[ANGLE]
        watch.feed(t, normalised, readings, expected)
        assert "stuck" not in [f.kind for f in watch.findings()]


@pytest.mark.parametrize(("off", "kinds"), [(2.2, []), (3.5, ["stuck"])])
def test_equal_readings_may_be_off_within_a_digit_and_no_further(off: float, kinds: list[str]) -> None:
    watch, random = SensorMonitor(four_bar_set(2, 50.0)), np.random.default_rng(6)
    for k in range(500):
        normalised = random.normal(size=5)
        normalised[ANGLE] = off
        watch.feed(k * 0.02, normalised, (5.0 + normalised) * SIGMA, 5.0 * SIGMA)
    assert [f.kind for f in watch.findings()] == kinds
    assert all(f.code == "sensor.stuck.others" for f in watch.findings())


def test_what_a_stuck_sensor_drags_along_is_not_blamed() -> None:
    def spoil(t: np.ndarray, normalised: np.ndarray, readings: np.ndarray) -> None:
        readings[t > 10.0, P3] = readings[np.searchsorted(t, 10.0), P3]
        readings[t > 10.0, 2] += 1.5 * SIGMA[2]

    ((_, finding),) = _watched(50.0, _corrections(50.0, 14.0, spoil=spoil))
    assert (finding.kind, finding.channel) == ("stuck", "cylinder.p_B")


def test_a_biased_sensor_is_named_beside_those_that_it_drags_along() -> None:
    def spoil(t: np.ndarray, normalised: np.ndarray, readings: np.ndarray) -> None:
        readings[t > 20.0, P3] -= 1.5 * SIGMA[P3]
        readings[t > 20.0, 2] += 0.6 * SIGMA[2]

    ((when, finding),) = _watched(50.0, _corrections(50.0, 40.0, spoil=spoil))
    assert (finding.kind, finding.channel) == ("biased", "cylinder.p_B")
    assert 21.0 < when < 25.0
    assert 20e6 < finding.since < 23e6
    assert finding.code == "sensor.biased.low"


def test_what_all_sensors_show_is_blamed_on_none() -> None:
    def spoil(t: np.ndarray, normalised: np.ndarray, readings: np.ndarray) -> None:
        readings += 1.0 * SIGMA

    assert _watched(50.0, _corrections(50.0, 30.0, spoil=spoil)) == []


def test_a_sensor_with_many_wild_readings_is_named() -> None:
    def spoil(t: np.ndarray, normalised: np.ndarray, readings: np.ndarray) -> None:
        random = np.random.default_rng(5)
        side = np.where(random.random(len(t)) < 0.5, -50.0, 50.0)
        readings[:, 1] += np.where((t > 20.0) & (random.random(len(t)) < 0.3), side, 0.0) * SIGMA[1]

    found = _watched(50.0, _corrections(50.0, 30.0, spoil=spoil))
    assert {(f.kind, f.channel) for _, f in found} == {("outlying", "crank.rate")}
    assert found[0][0] < 23.0
    assert found[0][1].code == "sensor.outlying"
    assert found[0][1].values["share"] == pytest.approx(0.3, abs=0.2)


def test_a_silent_sensor_is_named_and_forgiven_when_it_speaks_again() -> None:
    def spoil(t: np.ndarray, normalised: np.ndarray, readings: np.ndarray) -> None:
        readings[(t > 10.0) & (t < 12.0), 1] = np.nan

    watch, seen = SensorMonitor(four_bar_set(2, 50.0)), []
    for correction in _corrections(50.0, 14.0, spoil=spoil):
        watch.feed(*correction)
        seen += [(correction[0], f) for f in watch.findings()]
    assert {(f.kind, f.channel) for _, f in seen} == {("silent", "crank.rate")}
    assert seen[0][0] == pytest.approx(10.0 + 20 * 0.02, abs=0.03)
    assert seen[-1][0] == pytest.approx(12.0, abs=0.03)
    assert seen[0][1].since == pytest.approx(10e6, abs=1)
    assert seen[0][1].text == "crank.rate sensor silent (expected: at least 50 readings per second)"


def test_silence_of_all_is_seen_by_corrections_without_readings() -> None:
    watch, none = SensorMonitor(four_bar_set(1, 50.0)), np.full(4, np.nan)
    for k in range(50):
        watch.feed(k * 0.02, none, none, none)
    assert [f.kind for f in watch.findings()] == ["silent"] * 4


def test_a_filter_that_most_sensors_contradict_has_diverged_and_can_recover() -> None:
    watch = SensorMonitor(four_bar_set(2, 50.0))
    for correction in _corrections(50.0, 10.0):
        watch.feed(*correction)
    for t, normalised, readings, expected in _corrections(50.0, 5.0, seed=2, scale=4.0):
        watch.feed(10.0 + t, normalised, readings, expected)
    (finding,) = watch.findings()
    assert (finding.kind, finding.channel) == ("diverged", "")
    assert 10e6 < finding.since < 12e6
    assert finding.code == "twin.contradicted"
    watch.forget()
    assert watch.findings() == ()
    for t, normalised, readings, expected in _corrections(50.0, 5.0, seed=3):
        watch.feed(15.0 + t, normalised, readings, expected)
        assert watch.findings() == ()


def test_a_stuck_sensor_stays_named_when_the_filter_was_set_to_another_state() -> None:
    def spoil(t: np.ndarray, normalised: np.ndarray, readings: np.ndarray) -> None:
        readings[t > 10.0, P3] = 4e6

    watch, named = SensorMonitor(four_bar_set(2, 50.0)), []
    for k, correction in enumerate(_corrections(50.0, 12.5, spoil=spoil)):
        if k == 575:
            watch.forget()
        watch.feed(*correction)
        named.append([(f.kind, f.channel, f.since) for f in watch.findings()])
    assert all(found == [("stuck", "cylinder.p_B", 10_020_000)] for found in named[574:])


def test_the_windowed_nis_is_the_fading_mean_of_every_reading() -> None:
    watch, gate = SensorMonitor(four_bar_set(2, 50.0), gate=2.5), 2.5
    history = list(_corrections(50.0, 6.0, scale=1.5))
    for k, (t, normalised, readings, expected) in enumerate(history):
        readings[k % np.array([1, 2, 3, 5, 7]) != 0] = np.nan  # five rates
        watch.feed(t, normalised, readings, expected)
    above, below = 0.0, 0.0
    for i in range(5):
        mine = [(t, n[i]) for t, n, r, _ in history if np.isfinite(r[i])]
        for t, nu in mine:
            weight = math.exp(-(mine[-1][0] - t) / 2.0)
            above += weight * min(abs(nu), gate) ** 2
            below += weight
    assert watch.mean_nis == pytest.approx(above / below, rel=1e-9)


def test_a_dump_goes_on_bit_by_bit() -> None:
    history = list(_corrections(50.0, 20.0, scale=1.8))
    whole, second = SensorMonitor(four_bar_set(2, 50.0)), SensorMonitor(four_bar_set(2, 50.0))
    for correction in history[:500]:
        whole.feed(*correction)
    second.load(whole.dump())
    for correction in history[500:]:
        whole.feed(*correction)
        second.feed(*correction)
    assert whole.dump() == second.dump()
    assert whole.findings() == second.findings()


def test_a_dump_of_other_sensors_is_refused_and_nothing_changes() -> None:
    watch = SensorMonitor(four_bar_set(2, 50.0))
    watch.feed(0.0, np.ones(5), np.ones(5), np.ones(5))
    before = watch.dump()
    for foreign in (SensorMonitor(four_bar_set(1, 50.0)), SensorMonitor(four_bar_set(2, 100.0))):
        with pytest.raises(ForeignDump):
            watch.load(foreign.dump())
    with pytest.raises(ForeignDump, match="dump has 3 bytes"):
        watch.load(b"abc")
    assert watch.dump() == before


def test_a_wrong_correction_is_refused_and_nothing_changes() -> None:
    watch = SensorMonitor(four_bar_set(2, 50.0))
    watch.feed(1.0, np.ones(5), np.ones(5), np.ones(5))
    before = watch.dump()
    with pytest.raises(
        SimcoreError, match="4 innovations, 5 readings, 5 expected readings: must be 5 of each"
    ):
        watch.feed(2.0, np.ones(4), np.ones(5), np.ones(5))
    for moment in (0.5, math.nan):
        with pytest.raises(SimcoreError, match=r"must be finite and not before 1 s"):
            watch.feed(moment, np.ones(5), np.ones(5), np.ones(5))
    assert watch.dump() == before
    with pytest.raises(SimcoreError, match="gate = 0: must be more than zero"):
        SensorMonitor(four_bar_set(2, 50.0), gate=0)


def _follow(
    seconds: float, spoil: Callable[[float, dict[str, float], np.ndarray], None]
) -> list[tuple[float, Finding]]:
    """Findings on a twin beside a machine with other parameters, its readings gated at four sigma."""
    machine = CASE.build()
    sensors: tuple[Sensor, ...] = own_sensors(machine, 1 / PERIOD)
    rig, twin, watch = Rig(seed=3), LiveTwin(machine), SensorMonitor(sensors)
    columns = [twin.engine.position(s.channel) for s in sensors]
    noise = np.array([float(s.noise) for s in sensors])
    twin.start(rig.run()[1])
    found = []
    for k in range(round(seconds / PERIOD)):
        true, sample = rig.run()
        spoil(k * PERIOD, sample, true)
        twin.advance(20)
        expected = twin.values()[columns]
        readings = np.array([sample[s.channel] for s in sensors])
        normalised = (readings - expected) / np.hypot(twin.sigmas()[columns], noise)
        watch.feed(k * PERIOD, normalised, readings, expected)
        found += [(k * PERIOD, f) for f in watch.findings()]
        for sensor, nu in zip(sensors, normalised, strict=True):
            if abs(nu) > watch.gate:
                del sample[sensor.channel]
        twin.correct(sample)
    return found


def test_on_a_twin_with_wrong_parameters_only_the_stuck_sensor_is_named() -> None:
    held: dict[str, float] = {}

    def stuck(t: float, sample: dict[str, float], true: np.ndarray) -> None:
        if t > 4.5:
            sample["hose.p"] = held["p"]
        held["p"] = sample["hose.p"]

    found = _follow(8.0, stuck)
    assert {(f.kind, f.channel) for _, f in found} == {("stuck", "hose.p")}
    assert 4.5 < found[0][0] < 6.5


def test_on_a_twin_with_wrong_parameters_only_the_biased_sensor_is_named() -> None:
    def biased(t: float, sample: dict[str, float], true: np.ndarray) -> None:
        sample["cylinder.p_B"] += 5e5 if t > 3.0 else 0.0  # half as much would pass for supply and torque

    found = _follow(8.0, biased)
    assert {(f.kind, f.channel) for _, f in found} == {("biased", "cylinder.p_B")}
    assert found[0][0] < 6.0


def test_on_a_twin_a_coarse_encoder_is_no_fault() -> None:
    digit = math.sqrt(12) * SIGMA[ANGLE]
    edge = 0.413  # of a digit: where the crank rests from 6.5 s on, half a digit from what is shown

    def coarse(t: float, sample: dict[str, float], true: np.ndarray) -> None:
        sample["crank.angle"] = digit * (round(true[0] / digit - edge) + edge)

    assert _follow(9.0, coarse) == []
