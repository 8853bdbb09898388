"""A live twin with a faulty sensor, after a divergence, and beside the model left alone."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from real_machine import CASE, PERIOD, Rig
from scipy.stats import chi2

from simcore.estimate.monitor.finding import Finding
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model import channel_table
from simcore.run.simulation import Simulation

MACHINE = CASE.build()
TABLE = channel_table(MACHINE)
INDEX = {c.name: i for i, c in enumerate(TABLE)}
ANGLE = INDEX["crank.angle"]
BEGIN = 4.5  # s, when a fault begins: the crank has been out and comes back
Spoil = Callable[[float, dict[str, float]], None]


class Watched:
    """A twin beside a rig with other parameters, whose readings are spoiled on the way."""

    def __init__(self, spoil: Spoil = lambda t, sample: None, seed: int = 3) -> None:
        self.rig, self.spoil = Rig(seed), spoil
        self.twin = LiveTwin(MACHINE)
        self.twin.start(self.rig.run()[1])
        self.time = 0.0
        self.errors: list[float] = []
        self.found: list[tuple[float, Finding]] = []
        self.largest = 0.0

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / PERIOD)):
            self.time += PERIOD
            true, sample = self.rig.run()
            self.spoil(self.time, sample)
            self.twin.advance(20)
            self.twin.correct(sample)
            self.largest = max(self.largest, abs(float(true[ANGLE])))
            self.errors.append(abs(float(self.twin.values()[ANGLE] - true[ANGLE])))
            self.found += [(self.time, f) for f in self.twin.findings()]

    def named(self) -> set[tuple[str, str | None]]:
        return {(f.kind, f.channel) for _, f in self.found}


def stuck(name: str, until: float = math.inf) -> Spoil:
    held: dict[str, float] = {}

    def spoil(t: float, sample: dict[str, float]) -> None:
        if BEGIN < t < until:
            sample[name] = held["reading"]
        held["reading"] = sample[name]

    return spoil


def listens(twin: LiveTwin, name: str) -> bool:
    """Whether another reading of that sensor makes another twin."""
    after = []
    for reading in twin.values()[INDEX[name]] + np.array([0.0, 1e5]):
        copy = LiveTwin(MACHINE)
        copy.load(twin.dump())
        copy.correct({name: float(reading)})
        after.append(copy.values()[INDEX[name]])
    return bool(after[0] != after[1])


@pytest.fixture(scope="module")
def sound() -> Watched:
    made = Watched()
    made.run(18.0)
    return made


def test_nothing_is_named_on_a_machine_whose_parameters_are_merely_wrong(sound: Watched) -> None:
    assert sound.found == []
    health = sound.twin.health()
    assert 0.3 < health.low < 1.0 < health.high < 2.0
    assert 0.5 < health.nis < 1.7


@pytest.mark.parametrize("name", ["hose.p", "cylinder.p_B"])
def test_a_stuck_pressure_sensor_is_named_within_two_seconds_and_the_angle_stays(name: str) -> None:
    made = Watched(stuck(name))
    made.run(10.0)
    assert made.named() == {("stuck", name)}
    assert BEGIN < made.found[0][0] < BEGIN + 2.0
    assert made.found[-1][0] == made.time  # for as long as it lasts
    assert max(made.errors[25:]) < 0.03 * made.largest


def test_a_sensor_that_is_sound_again_is_taken_back() -> None:
    made = Watched(stuck("hose.p", until=BEGIN + 3.0))
    made.run(BEGIN + 2.9)
    assert made.twin.findings()[0].kind == "stuck"
    assert not listens(made.twin, "hose.p")
    made.run(6.0)
    assert made.twin.findings() == ()
    assert listens(made.twin, "hose.p")
    assert max(made.errors[25:]) < 0.03 * made.largest


def test_a_biased_pressure_sensor_is_named_and_no_other() -> None:
    def biased(t: float, sample: dict[str, float]) -> None:
        sample["cylinder.p_B"] += 5e5 if t > BEGIN else 0.0

    made = Watched(biased)
    made.run(9.0)
    assert made.named() == {("biased", "cylinder.p_B")}
    assert made.found[0][0] < BEGIN + 3.0
    assert made.found[0][1].code == "sensor.biased.high"
    assert max(made.errors[25:]) < 0.03 * made.largest


def test_a_gross_error_of_one_sensor_does_not_make_the_twin_doubt_itself() -> None:
    def gross(t: float, sample: dict[str, float]) -> None:
        sample["crank.angle"] += 0.5 if t > BEGIN else 0.0

    made = Watched(gross)
    made.run(8.0)
    assert {sensor for _, sensor in made.named()} == {"crank.angle"}
    assert max(made.errors[25:]) < 0.03 * made.largest


def test_a_twin_that_was_carried_away_is_back_within_a_few_samples() -> None:
    made = Watched()
    made.run(3.0)
    engine = made.twin.engine
    engine.state[int(engine.plan.head[0]["at_z"])] += 0.2
    engine.state[int(engine.plan.head[0]["at_p"]) :][:3] += 1e6
    engine.settle(engine.state)
    made.twin._refresh()
    made.run(0.3)
    assert made.errors[-1] < 5e-3


def test_a_filter_that_most_sensors_contradict_is_set_anew_without_a_restart() -> None:
    random = np.random.default_rng(4)

    def loud(t: float, sample: dict[str, float]) -> None:
        for channel in TABLE:
            if channel.role == "sensor" and BEGIN < t < BEGIN + 2.0:
                sample[channel.name] += 3.5 * random.normal(0, channel.noise_sigma)

    made = Watched(loud)
    made.run(BEGIN + 3.0)
    steps = made.twin.steps
    assert ("diverged", "") in made.named()
    assert any(f.code == "twin.restarted" for _, f in made.found)
    assert steps == 20 * round((BEGIN + 3.0) / PERIOD)
    made.run(15.0)
    assert made.twin.findings() == ()
    assert made.errors[-1] < 5e-3


def test_a_dump_in_the_middle_of_a_fault_goes_on_bit_by_bit() -> None:
    made = Watched(stuck("hose.p"))
    made.run(BEGIN + 0.4)
    other = LiveTwin(MACHINE)
    other.load(made.twin.dump())
    for _ in range(100):
        _, sample = made.rig.run()
        made.time += PERIOD
        made.spoil(made.time, sample)
        for twin, chunks in ((made.twin, (20,)), (other, (7, 1, 12))):
            for steps in chunks:
                twin.advance(steps)
            twin.correct(sample)
        other.compare(True)  # nothing depends on the open-loop model
        other.uncorrected()
    assert other.health() == made.twin.health()
    assert other.findings() == made.twin.findings()
    assert other.findings()[0].kind == "stuck"
    assert other.dump() == made.twin.dump()


def test_the_model_left_alone_is_a_plain_simulation_of_the_nominal_machine() -> None:
    twin, sim = LiveTwin(MACHINE), Simulation(MACHINE, dt=2e-3)
    rig = Rig(seed=6)
    _, first = rig.run()
    twin.start(first)
    twin.compare(True)
    sim.state[:] = twin.engine.state
    for _ in range(150):
        true, sample = rig.run()
        sim.advance(10)
        sim.command({"valve.command": sample["valve.command"]})
        twin.advance(20)
        twin.correct(sample)
    assert np.array_equal(twin.uncorrected(), sim.read())
    assert abs(twin.uncorrected()[ANGLE] - true[ANGLE]) > 10 * abs(twin.values()[ANGLE] - true[ANGLE])


def test_the_model_left_alone_runs_only_while_it_is_wanted_and_begins_at_the_twin() -> None:
    rig, twin = Rig(seed=6), LiveTwin(MACHINE)
    twin.start(rig.run()[1])
    twin.advance(20)
    assert np.isnan(twin.uncorrected()).all()
    twin.compare(True)
    assert twin.open_loop.since == twin.engine.time == 0.02
    assert np.array_equal(twin.uncorrected(), twin.values())
    twin.advance(20)
    assert np.isfinite(twin.uncorrected()).all()
    twin.compare(True)  # goes on
    assert twin.open_loop.since == 0.02
    twin.compare(False)
    assert np.isnan(twin.uncorrected()).all()


def test_a_model_that_leaves_its_stroke_harms_nobody_and_begins_anew_from_the_twin() -> None:
    """The machine stands, and its last command is not repeated: the model goes on with it to its end."""
    rig, twin = Rig(seed=7, drive=lambda t: 0.0), LiveTwin(MACHINE)
    twin.start(rig.run()[1])
    twin.compare(True)
    twin.open_loop.command(0, -10.0)
    for _ in range(300):
        true, sample = rig.run()
        del sample["valve.command"]
        twin.advance(20)
        twin.correct(sample)
        assert abs(twin.values()[ANGLE] - true[ANGLE]) < 0.02
        twin.uncorrected()  # as for a frame
    assert 4.0 < twin.open_loop.since < 6.0
    assert abs(twin.uncorrected()[ANGLE] - true[ANGLE]) < 0.02


def test_a_model_that_cannot_go_on_shows_nothing() -> None:
    twin = LiveTwin(MACHINE)
    twin.compare(True)
    twin.open_loop.command(0, -10.0)
    twin.advance(8000)
    assert np.isnan(twin.uncorrected()).all()
    assert np.isfinite(twin.values()).all()


def test_innovations_are_known_for_what_was_read_and_for_nothing_else(sound: Watched) -> None:
    off, sigma = sound.twin.innovations()
    read = [c.role == "sensor" for c in TABLE]
    assert np.isfinite(off).tolist() == np.isfinite(sigma).tolist() == read
    nis = float(np.nansum((off / sigma) ** 2))
    assert nis == pytest.approx(sound.twin.diagnostics()["nis"], rel=1e-9)


def test_the_bounds_of_the_nis_are_those_of_the_chi_square_distribution(sound: Watched) -> None:
    rows = sound.twin.sensor_monitor.rows
    degrees = float(np.sum(rows["weight"] ** 2 / rows["weight_square"]))
    low, high = chi2.interval(0.95, degrees)
    health = sound.twin.health()
    assert health.low == pytest.approx(low / degrees, rel=2e-3)
    assert health.high == pytest.approx(high / degrees, rel=2e-3)


def test_a_twin_that_starts_again_is_as_new() -> None:
    made = Watched(stuck("hose.p"))
    made.run(BEGIN + 1.0)
    made.twin.advance(130)  # owed by the model left alone
    fresh = LiveTwin(MACHINE)
    _, sample = made.rig.run()
    for twin in (made.twin, fresh):
        twin.start(sample)
        twin.advance(33)
    assert made.twin.dump() == fresh.dump()
    assert made.twin.findings() == ()
