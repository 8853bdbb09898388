"""A machine falls silent and its operator does what the twin cannot know: bounds hold, it is found again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from real_machine import CASE, PERIOD, Rig, follow

from simcore.estimate.linearise.stale_inputs import LEVER_TIME
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model import channel_table
from simcore.model.quantity import assumed

pytestmark = pytest.mark.long

MACHINE = CASE.build()
TABLE = channel_table(MACHINE)
INDEX = {c.name: i for i, c in enumerate(TABLE)}
SEEN = [INDEX[n] for n in ("crank.angle", "crank.rate", "hose.p", "cylinder.p_A", "cylinder.p_B")]
ANGLE = INDEX["crank.angle"]
PRESSURES = [INDEX[n] for n in ("hose.p", "cylinder.p_A", "cylinder.p_B")]
PUMP = 7.6e6  # Pa
LEAD = 0.6  # s of telemetry before the gap, with the command that is held during it

# command before the gap and in it, V; those of the longest gap keep the crank away from its dead points
STRONG = ((0.0, 8.0), (0.0, -8.0), (0.0, 10.0), (8.0, 0.0), (-8.0, 0.0), (8.0, -8.0), (-8.0, 8.0), (0.0, 0.0))
GENTLE = tuple((0.5 * held, 0.5 * hidden) for held, hidden in STRONG)
GAPS = (0.5, 1.0, 2.0, 4.0)


def _lever(t: float, held: float, hidden: float) -> float:
    """Command of an operator who moves the lever to another position from t = 0 on, V."""
    return held if t < -1e-9 else hidden + (held - hidden) * np.exp(-max(t, 0.0) / LEVER_TIME)


class Silence:
    """A twin beside a rig whose telemetry stops while the command changes."""

    def __init__(self, seed: int, held: float, hidden: float, gap: float, delay: float = 0.0) -> None:
        self.rig = Rig(seed, drive=lambda t: _lever(t - LEAD - delay, held, hidden))
        self.twin = LiveTwin(MACHINE)
        self.twin.start(self.rig.run()[1])
        for _ in range(round(LEAD / PERIOD) - 2):
            self.listen()
        self.usual = self.twin.sigmas()
        errors, sigmas = [], []
        for _ in range(round(gap / PERIOD)):
            true, _ = self.rig.run()
            self.twin.advance(20)
            errors.append(self.twin.values() - true)
            sigmas.append(self.twin.sigmas())
        self.errors, self.sigmas = np.array(errors), np.array(sigmas)

    def listen(self, spoil: Callable[[dict[str, float]], None] | None = None) -> np.ndarray:
        """One sample; the error after it."""
        true, sample = self.rig.run()
        if spoil is not None:
            spoil(sample)
        self.twin.advance(20)
        self.twin.correct(sample)
        return self.twin.values() - true


@pytest.fixture(scope="module", params=GAPS, ids=lambda gap: f"{gap} s")
def silences(request: pytest.FixtureRequest) -> list[Silence]:
    commands = GENTLE if request.param > 2.0 else STRONG
    return [
        Silence(10 * turn + seed, held, hidden, request.param, delay=turn * 0.3 * request.param)
        for seed, (held, hidden) in enumerate(commands)
        for turn in range(2)
    ]


def test_the_true_machine_stays_inside_the_bounds_of_a_silent_twin(silences: list[Silence]) -> None:
    inside = np.array([np.mean(np.abs(s.errors) < 1.96 * s.sigmas, axis=0)[SEEN] for s in silences])
    assert np.all(np.mean(inside, axis=0) > 0.9)
    assert np.min(inside) > 0.6  # no single command may be left out


def test_bounds_grow_with_silence_and_stay_below_what_is_possible(silences: list[Silence]) -> None:
    for s in silences:
        assert np.all(np.diff(s.sigmas[3:25, ANGLE]) > 0)
        assert s.sigmas[-1, ANGLE] > 20 * s.usual[ANGLE]
        assert np.all(s.sigmas[-1, PRESSURES] > 3 * s.usual[PRESSURES])
        assert np.all(s.sigmas[:, PRESSURES] <= 0.5 * (PUMP + 1e6))  # the supply as far as it is known


def test_a_few_samples_after_silence_are_enough(silences: list[Silence]) -> None:
    off = []
    for s in silences:
        for _ in range(5):
            error = s.listen()
        sigma = s.twin.sigmas()
        off.append((np.abs(error) / sigma)[SEEN])
        # the encoder alone, averaged over five samples: nothing older tells where the crank is
        assert sigma[ANGLE] < 1.1 * TABLE[ANGLE].noise_sigma / np.sqrt(5)
        # five samples of 0.5 bar and what the model adds, also where no sensor is
        assert np.all(sigma[PRESSURES] < 0.75 * TABLE[PRESSURES[0]].noise_sigma)
    assert np.mean(np.array(off) < 3.0) > 0.97
    assert np.max(off) < 6.0


def test_a_short_silence_is_no_silence() -> None:
    """Two periods of telemetry: bit by bit as with a command that is known for ever."""
    for_ever = replace(MACHINE.model_error, input_fresh=assumed(1e9, "s"))
    known, twin = LiveTwin(replace(MACHINE, model_error=for_ever)), LiveTwin(MACHINE)
    rig = Rig(seed=3, drive=lambda t: 8.0)
    _, first = rig.run()
    for each in (known, twin):
        each.start(first)
    for _ in range(10):
        rig.run()
        _, sample = rig.run()
        for each in (known, twin):
            each.advance(40)
            each.correct(sample)
    assert np.array_equal(known.engine.state, twin.engine.state)
    assert np.array_equal(known.covariance, twin.covariance)
    for each in (known, twin):
        each.advance(50)
    assert np.array_equal(known.engine.state, twin.engine.state)
    for each in (known, twin):
        each.advance(10)
    assert not np.array_equal(known.covariance, twin.covariance)


def test_a_silent_twin_is_the_same_in_any_chunks_and_through_a_dump() -> None:
    whole = follow(0.5, 6)[0]
    parts, start = LiveTwin(MACHINE), whole.dump()
    whole.advance(700)
    parts.load(start)
    for steps in (1, 30, 19, 1, 1, 148, 500):
        parts.advance(steps)
        again = LiveTwin(MACHINE)
        again.load(parts.dump())
        parts = again
    assert parts.dump() == whole.dump()
    sample = follow(0.04, 7)[0].values()
    reading = {c.name: float(sample[i]) for i, c in enumerate(TABLE) if c.role in ("sensor", "input")}
    for twin in (whole, parts):
        twin.correct(reading)
        twin.advance(100)
    assert parts.dump() == whole.dump()


def test_before_the_first_command_none_is_known() -> None:
    rig = Rig(seed=8)
    _, first = rig.run()
    told, untold = LiveTwin(MACHINE), LiveTwin(MACHINE)
    told.start(first)
    untold.start({name: value for name, value in first.items() if name != "valve.command"})
    for twin in (told, untold):
        twin.advance(40)
    assert np.all(untold.sigmas()[SEEN] > told.sigmas()[SEEN])
    assert untold.sigmas()[INDEX["crank.rate"]] > 10 * told.sigmas()[INDEX["crank.rate"]]


def test_a_twin_that_is_never_told_the_command_follows_the_sensors() -> None:
    rig, twin = Rig(seed=9, drive=lambda t: 8.0 if t > 0.5 else 0.0), LiveTwin(MACHINE)
    for k in range(100):
        true, sample = rig.run()
        del sample["valve.command"]
        if k > 0:
            twin.advance(20)
            twin.correct(sample)
        else:
            twin.start(sample)
    assert abs(twin.values()[ANGLE] - true[ANGLE]) < 0.02
    assert np.all(np.linalg.eigvalsh(twin.covariance) > 0)


def test_a_command_alone_makes_the_slopes_those_of_a_known_spool() -> None:
    twin = follow(0.1, 6)[0]
    twin.advance(200)
    blurred = twin.dump()
    twin.command({"valve.command": 0.0})
    told = twin._estimate.jacobian.copy()
    twin._refresh()
    assert np.array_equal(told, twin._estimate.jacobian)
    assert blurred != twin.dump()


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("crank.angle", 0.3),
        ("crank.angle", -0.3),
        ("crank.rate", 1.0),
        ("hose.p", 5e6),
        ("cylinder.p_B", -3e6),
    ],
)
def test_an_outlier_right_after_silence_is_forgotten_within_a_second(name: str, size: float) -> None:
    silence = Silence(seed=3, held=0.0, hidden=4.0, gap=2.0)

    def spoil(sample: dict[str, float]) -> None:
        sample[name] += size

    silence.listen(spoil)
    for _ in range(50):
        error = silence.listen()
    assert abs(error[ANGLE]) < 0.02
    assert np.all(np.abs(error[PRESSURES]) < 1.5e5)


def test_an_expected_command_returns_to_neutral_as_an_operator_does() -> None:
    twin = follow(0.2, 6)[0]
    twin.command({"valve.command": 8.0})
    fresh, stroke = float(MACHINE.model_error.input_fresh), float(MACHINE.model_error.input_memory)
    command = INDEX["valve.command"]
    twin.advance(round(fresh / 1e-3))
    assert twin.values()[command] == 8.0
    twin.advance(1500)
    assert twin.values()[command] == pytest.approx(8.0 * np.exp(-1.5 / stroke), rel=1e-3)


def test_a_model_that_cannot_go_on_in_silence_is_held_and_found_again() -> None:
    """Telemetry ends while nothing is known; time passes, numbers stay finite, the next sample is enough."""
    rig, twin = Rig(seed=4), follow(0.5, 4)[0]
    twin._hold(3000)  # as when a step has no solution
    assert np.isfinite(twin.values()).all()
    assert np.isnan(twin.sigmas()).all()
    assert twin.engine.time == pytest.approx(3.0 + 0.5, abs=0.05)
    true, sample = rig.run()
    twin.correct(sample, 20)
    assert abs(twin.values()[ANGLE] - true[ANGLE]) < 4 * TABLE[ANGLE].noise_sigma
    assert np.isfinite(twin.sigmas()[SEEN]).all()
