"""The twin: estimates with honest bounds, refuses nonsense, continues bit by bit after a dump."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from real_machine import CASE, Rig, follow

from simcore.errors import BadChannel, Diverged, ForeignDump, Refused, SimcoreError
from simcore.estimate.linearise.jacobian import jacobian_at, place_of, unit_of
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.formulation.partition import settle
from simcore.integrate.implicit import implicit_step
from simcore.model import channel_table
from simcore.model.quantity import assumed

MACHINE = CASE.build()
TABLE = channel_table(MACHINE)
INDEX = {c.name: i for i, c in enumerate(TABLE)}
ESTIMATED = [c.name for c in TABLE if c.role in ("sensor", "estimate")]


@pytest.fixture(scope="module")
def followed() -> tuple[LiveTwin, np.ndarray, np.ndarray, np.ndarray]:
    return follow(27.0, *range(101, 109))


@pytest.mark.parametrize("name", ESTIMATED)
def test_errors_stay_inside_the_95_percent_bounds_on_a_machine_with_other_parameters(
    followed: tuple, name: str
) -> None:
    _, errors, sigmas, _ = followed
    k = INDEX[name]
    inside = np.abs(errors[:, 50:, k]) < 1.96 * sigmas[:, 50:, k]
    assert np.mean(inside) > 0.93


def test_the_bounds_are_not_bought_by_being_wide(followed: tuple) -> None:
    _, _, sigmas, nis = followed
    assert 2.5 < np.mean(nis[:, 50:]) < 5.5  # four sensors
    typical = np.median(sigmas[:, 50:], axis=(0, 1))
    assert typical[INDEX["crank.angle"]] < 0.5 * TABLE[INDEX["crank.angle"]].noise_sigma
    assert typical[INDEX["cylinder.p_A"]] < 5e4


def test_the_unmeasured_piston_pressure_is_known_better_than_a_sensor_would_tell(followed: tuple) -> None:
    _, errors, _, _ = followed
    rmse = math.sqrt(np.mean(errors[:, 50:, INDEX["cylinder.p_A"]] ** 2))
    assert rmse < 4e4  # Pa; the sensors of the other volumes have 5e4


def test_the_covariance_stays_symmetric_and_positive_definite(followed: tuple) -> None:
    twin = followed[0]
    assert np.array_equal(twin.covariance, twin.covariance.T)
    assert np.all(np.linalg.eigvalsh(twin.covariance) > 0)


def test_the_twin_finds_a_machine_that_stands_elsewhere_and_the_model_alone_does_not() -> None:
    rig = Rig(seed=5, crank_start=0.95)
    twin, alone = LiveTwin(MACHINE), LiveTwin(MACHINE)
    for _ in range(100):
        true, sample = rig.run()
        for each in (twin, alone):
            each.advance(20)
        twin.correct(sample)
        alone.command(sample)
    assert abs(twin.values()[0] - true[0]) < 3e-3
    assert abs(alone.values()[0] - true[0]) > 5e-2


def test_uncertainty_grows_while_coasting_and_shrinks_with_a_sample(followed: tuple) -> None:
    twin = LiveTwin(MACHINE)
    twin.load(followed[0].dump())
    grown = [twin.sigmas()]
    for _ in range(4):
        twin.advance(250)
        grown.append(twin.sigmas())
    for name in ("crank.angle", "cylinder.length", "rocker.angle"):
        series = [s[INDEX[name]] for s in grown]
        assert series == sorted(series)
    for name in ("hose.p", "cylinder.p_A", "cylinder.p_B"):  # these spread at once and no further
        first, *later = (s[INDEX[name]] for s in grown)
        assert min(later) > 5 * first
    values = twin.values()
    twin.correct({c.name: float(values[INDEX[c.name]]) for c in TABLE if c.role == "sensor"})
    assert np.all(twin.sigmas()[:9] < grown[-1][:9])


def test_inputs_and_model_channels_have_no_sigma() -> None:
    sigmas = LiveTwin(MACHINE).sigmas()
    assert np.isnan(sigmas[INDEX["valve.command"]])
    assert np.isnan(sigmas[INDEX["valve.spool"]])
    assert np.all(np.isfinite(sigmas[:9]))


def test_loops_are_closed_exactly_after_a_correction() -> None:
    twin = LiveTwin(MACHINE)
    twin.correct({"crank.angle": 1.0, "crank.rate": 0.1, "hose.p": 3e6})
    twin.values()
    assert np.max(np.abs(twin.engine.workspace.rows["gap"])) < 1e-12
    assert np.max(np.abs(twin.engine.workspace.rows["rate"])) < 1e-12


def test_a_reading_moves_the_estimate_as_the_kalman_gain_says() -> None:
    twin = LiveTwin(MACHINE)
    variance, before = twin.covariance[0, 0], twin.values()[0]
    noise = TABLE[0].noise_sigma ** 2
    twin.correct({"crank.angle": before + 0.01})
    gain = variance / (variance + noise)
    assert twin.values()[0] - before == pytest.approx(gain * 0.01, rel=1e-6)
    assert twin.covariance[0, 0] == pytest.approx((1 - gain) * variance, rel=1e-6)
    assert twin.diagnostics()["nis"] == pytest.approx(0.01**2 / (variance + noise), rel=1e-6)


@pytest.mark.parametrize(("steps", "command"), [(0, 8.0), (3, 8.0), (40, 8.0), (300, -6.0)])
def test_the_transition_is_the_derivative_of_the_whole_step(steps: int, command: float) -> None:
    tight = replace(
        MACHINE.solver,
        position_tolerance=assumed(1e-11, "rad"),
        pressure_tolerance=assumed(1e-5, "Pa"),
    )
    twin = LiveTwin(replace(MACHINE, solver=tight))
    twin.command({"valve.command": command})
    twin.advance(steps)
    plan, ws, dt, n = twin.engine.plan, twin.engine.workspace, 1e-3, 5
    places = [place_of(plan, i) for i in range(n)]
    units = np.array([unit_of(plan, i) for i in range(n)])

    def step(state: np.ndarray) -> np.ndarray:
        new = state.copy()
        assert settle(plan, new, ws)
        assert implicit_step(plan, new, dt, ws, False, False, False, True)[1] == 0
        return new

    start = twin.engine.state.copy()
    assert settle(plan, start, ws)
    before, after = np.zeros((2, n + len(twin.engine.channels), n + len(twin.biases) + 1))
    jacobian_at(plan, twin.biases, start, ws, before)
    jacobian_at(plan, twin.biases, step(start), ws, after)
    before, after = before[:n, :n], after[:n, :n]
    ours = np.linalg.solve(np.eye(n) - dt / 2 * after, np.eye(n) + dt / 2 * before)
    for j, size in enumerate((1e-5, 2e-5, 1e-3, 1e-3, 1e-3)):
        nudge = np.zeros_like(start)
        nudge[places[j]] = size * units[j]
        theirs = (step(start + nudge)[places] - step(start - nudge)[places]) / units / (2 * size)
        assert np.linalg.norm(ours[:, j] - theirs) < 1e-6 * np.linalg.norm(theirs)


def test_the_start_uses_what_the_first_sample_tells() -> None:
    twin = LiveTwin(MACHINE)
    twin.start({"crank.angle": 0.8, "hose.p": 3.3e6, "cylinder.p_B": 2.2e6, "valve.command": 4.0})
    values, sigmas = twin.values(), twin.sigmas()
    assert values[INDEX["crank.angle"]] == pytest.approx(0.8)
    assert values[INDEX["cylinder.p_A"]] == pytest.approx(3.3e6)
    assert values[INDEX["cylinder.p_B"]] == pytest.approx(2.2e6)
    assert values[INDEX["valve.command"]] == 4.0
    assert sigmas[INDEX["cylinder.p_A"]] > 1e6  # nobody measured it
    assert sigmas[INDEX["crank.rate"]] == pytest.approx(0.2)  # missing: nominal


def test_a_start_outside_the_stroke_is_refused() -> None:
    with pytest.raises(Diverged, match=r"crank\.angle reads a position far beyond"):
        LiveTwin(MACHINE).start({"crank.angle": 2.4})


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ({"crank.angel": 1.0}, r"unknown channel 'crank\.angel'; known: crank\.angle"),
        ({"crank.angle": math.nan}, r"channel 'crank\.angle': nan is not a finite number"),
        ({"valve.command": math.inf}, r"channel 'valve\.command': inf is not a finite number"),
        ({"cylinder.p_A": 1e6}, r"channel 'cylinder\.p_A' is computed by the twin"),
    ],
)
def test_a_bad_reading_is_refused_and_changes_nothing(sample: dict, message: str) -> None:
    twin = LiveTwin(MACHINE)
    before = twin.dump()
    with pytest.raises(BadChannel, match=message):
        twin.correct(sample)
    assert twin.dump() == before


def test_a_twin_left_alone_at_full_stroke_never_fails() -> None:
    """The model comes to the end of its cylinder; time goes on, and its state stays possible."""
    twin = LiveTwin(MACHINE)
    twin.command({"valve.command": -10.0})
    twin.advance(20_000)
    assert twin.steps == 20_000
    assert np.isfinite(twin.values()).all()
    sigma = twin.sigmas()[INDEX["crank.angle"]]
    assert np.isnan(sigma) or sigma < math.pi


def test_a_correction_into_the_impossible_is_refused_and_the_twin_stays_as_it_was() -> None:
    twin = LiveTwin(MACHINE)
    before = twin.dump()
    with pytest.raises(Diverged):
        twin.correct({"crank.angle": 1e9})
    assert twin.dump() == before


def odd_samples() -> Iterator[dict[str, float]]:
    """With and without commands, a silence, a jump that no correction follows, a sensor that is stuck."""
    rig, rng = Rig(seed=9), np.random.default_rng(9)
    for number in range(200):
        sample = rig.run()[1]
        if number % 7 == 0 or 80 < number < 120:
            sample.pop("valve.command")
        if 140 < number < 150:
            sample = {"valve.command": 1.0}
        if number > 160:
            sample["hose.p"] = 2e6
        if rng.random() < 0.05:
            sample["crank.angle"] = 1e9
        yield sample


def test_steps_and_correction_at_once_are_the_same_to_the_bit_as_one_after_the_other() -> None:
    at_once, apart, refused = LiveTwin(MACHINE), LiveTwin(MACHINE), 0
    for sample in odd_samples():
        apart.advance(20)
        try:
            apart.correct(sample)
        except Refused:
            refused += 1
            with pytest.raises(Refused):
                at_once.correct(sample, 20)
        else:
            at_once.correct(sample, 20)
        assert at_once.dump() == apart.dump()
    assert refused > 0


def test_long_silence_before_a_correction_is_the_same_at_once_and_apart() -> None:
    at_once, apart = LiveTwin(MACHINE), LiveTwin(MACHINE)
    sample = {"crank.angle": 1.0, "valve.command": -10.0}
    for twin in (at_once, apart):
        twin.correct(sample)
    apart.advance(20_000)
    apart.correct({"crank.angle": 0.9})
    at_once.correct({"crank.angle": 0.9}, 20_000)
    assert at_once.dump() == apart.dump()
    assert at_once.values()[0] == pytest.approx(0.9, abs=0.02)


def test_a_bad_reading_is_refused_behind_the_steps_before_it() -> None:
    at_once, apart = LiveTwin(MACHINE), LiveTwin(MACHINE)
    apart.advance(20)
    with pytest.raises(BadChannel):
        at_once.correct({"crank.angle": math.nan}, 20)
    assert at_once.dump() == apart.dump()


def test_a_foreign_dump_is_refused() -> None:
    twin = LiveTwin(MACHINE)
    dump = twin.dump()
    for other in (LiveTwin(CASE.build(tau=0.006)), LiveTwin(MACHINE, dt_us=500)):
        with pytest.raises(ForeignDump, match="another machine, other parameters or another time step"):
            other.load(dump)
    with pytest.raises(ForeignDump, match="not a dump of a twin"):
        twin.load(b"nonsense")
    with pytest.raises(ForeignDump, match="bytes"):
        twin.load(dump[:-8])
    assert twin.dump() == dump


def test_a_sample_of_inputs_alone_is_latched_and_corrects_nothing() -> None:
    twin = LiveTwin(MACHINE)
    covariance = twin.covariance.copy()
    twin.correct({"valve.command": 3.0})
    assert twin.values()[INDEX["valve.command"]] == 3.0
    assert np.array_equal(twin.covariance, covariance)
    assert math.isnan(twin.diagnostics()["nis"])


def test_a_step_that_is_no_whole_microsecond_is_refused() -> None:
    with pytest.raises(SimcoreError, match="dt_us = 0"):
        LiveTwin(MACHINE, dt_us=0)
