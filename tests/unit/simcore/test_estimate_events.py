"""Faults and loads during a run: named, left out, allowed for; and what is refused before it can do harm."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from simcore import registry
from simcore.cli.estimate import Experiment, Setting, experiment
from simcore.cli.main import main
from simcore.errors import BadChannel, BadMachine, BadSensor
from simcore.estimate.biases import PAYLOAD, bias_values, biases_of, put_biases
from simcore.estimate.experiment import experiment as x
from simcore.estimate.experiment.events import stage
from simcore.estimate.experiment.offline_twin import OfflineTwin, estimate
from simcore.estimate.linearise.jacobian import jacobian_at
from simcore.estimate.sensors import four_bar_set
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.formulation.partition import settle
from simcore.model.elements import Payload
from simcore.model.quantity import assumed
from simcore.run.simulation import Simulation

pytestmark = pytest.mark.long

FOUR_BAR = registry.get("four-bar-b")
MODEL = FOUR_BAR.build()


def run(event: str, case: str = "four-bar-b", sensors: str = "set-2") -> Experiment:
    return experiment(registry.get(case), Setting(sensors, 200.0, "E1", "bias", 201, 1.0, event))


def test_a_stuck_pressure_sensor_is_named_and_done_without() -> None:
    done = run("stuck")
    assert [(n.finding.kind, n.finding.channel) for n in done.found.findings] == [("stuck", "hose.p")]
    assert 0 < done.found.findings[0].at - done.event.at < 2.0
    off = np.abs(done.found.states - done.truth.states[1:])[:, 0]
    assert np.max(off[500:]) < 0.03 * np.max(np.abs(done.truth.states[:, 0]))
    assert np.all(done.figures["rmse_percent"] < 1.5 * done.clean["rmse_percent"])


@pytest.mark.parametrize("event", ["outliers", "loss"])
def test_a_twin_gets_over_it(event: str) -> None:
    done = run(event)
    assert not done.found.findings
    assert np.all(done.figures["rmse_percent"] < 1.3 * done.clean["rmse_percent"])
    assert 0.9 < done.figures["nis_mean"] < 1.1


@pytest.mark.parametrize("event", ["delay", "swapped"])
def test_a_twin_waits_for_its_slowest_sensor_and_fuses_in_the_order_of_taking(event: str) -> None:
    alone, sensors = x.move(FOUR_BAR, {}, real=False), four_bar_set(2, 200.0)
    staged = stage(FOUR_BAR, MODEL, event, sensors)
    sound = x.observe(MODEL, alone, sensors, 201)
    disturbed = x.record_motion(MODEL, alone, staged.sensors, 201, faults=staged.faults)
    order = [arrival.taken for arrival in disturbed.arrivals()]
    assert (order != sorted(order)) == (event == "swapped")
    assert disturbed.late(staged.patience) == 0
    assert disturbed.late(0.0) > 0
    np.testing.assert_array_equal(disturbed.dense(staged.patience)[1:], sound)


def test_readings_that_come_too_late_are_counted_and_left_out() -> None:
    done = run("late")
    assert done.late == 2001  # all of p1, the one at the start included
    assert [(n.finding.kind, n.finding.channel) for n in done.found.findings] == [("silent", "hose.p")]
    assert np.all(done.figures["rmse_percent"] < 1.5 * done.clean["rmse_percent"])


def test_what_a_crane_picks_up_is_weighed() -> None:
    done = run("pick-up", "crane", "own")
    payload = next(one for one in done.learned if one.kind == PAYLOAD)
    assert payload.real == 250.0
    assert payload.estimate == pytest.approx(250.0, rel=0.03)
    assert abs(payload.estimate - 250.0) < 3 * payload.sigma
    before = done.found.biases[round(done.event.pick_up.at * 1e3) - 1, -1]
    assert before == pytest.approx(100.0, rel=0.03)  # a wrong weight of the boom is not taken for a load


def test_the_command_tells_what_was_picked_up(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "crane.html"
    asked = ["estimate", "crane", "--event", "pick-up", "--machine", "E2", "--json", "--plot", str(page)]
    assert main(asked) == 0
    told = json.loads(capsys.readouterr().out)["parameters"]["payload of hanger, kg"]
    assert told["real"] == 250.0
    assert told["at"] == 15.0
    assert told["estimate"] == pytest.approx(250.0, rel=0.03)
    assert "payload of hanger, kg" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("body", ["hanger", "tip mass"])
def test_a_payload_moves_the_machine_as_a_heavier_body_does(body: str) -> None:
    """On a body with a joint of its own, and on one that is welded to another."""
    crane = registry.get("crane").build()
    error = replace(crane.model_error, payload=Payload(body, assumed(5.0, "kg"), assumed(50.0, "kg")))
    machine = replace(crane, model_error=error)
    sim = Simulation(machine)
    sim.advance(1300, {"valve.command": 10.0})
    plan, biases, condition = sim.plan, biases_of(machine, sim.plan), sim.condition
    payload = int(np.flatnonzero(biases["kind"] == PAYLOAD)[0])
    at, n, free = bias_values(condition, biases), int(plan.head[0]["states"]), int(plan.head[0]["free"])
    assert at[payload] == pytest.approx(float(next(b for b in crane.bodies if b.name == body).mass))

    def accelerations(mass: float) -> np.ndarray:
        heavier = tuple(replace(b, mass=assumed(mass, "kg")) if b.name == body else b for b in machine.bodies)
        other, state = Simulation(replace(machine, bodies=heavier)), sim.state.copy()
        assert settle(other.plan, state, other.workspace)
        return state[int(plan.head[0]["at_a"]) :][:free]

    slope = np.zeros((n + len(sim.channels), n + len(biases) + 1))
    state = sim.state.copy()
    assert settle(plan, state, sim.workspace)
    jacobian_at(plan, biases, state, sim.workspace, slope)
    ours = slope[free : 2 * free, n + payload] / biases["unit"][payload]
    theirs = (accelerations(at[payload] + 0.1) - accelerations(at[payload] - 0.1)) / 0.2
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-8)

    put_biases(condition, biases, np.where(biases["kind"] == PAYLOAD, at + 30.0, at))
    state = sim.state.copy()
    assert settle(plan, state, sim.workspace)
    here = state[int(plan.head[0]["at_a"]) :][:free]
    np.testing.assert_allclose(here, accelerations(at[payload] + 30.0), rtol=1e-9, atol=1e-9)


def test_a_payload_learned_step_by_step_is_the_one_that_is_put_back() -> None:
    """Corrections add to it within a step, a dump that is taken up puts it: the same to the last digit."""
    crane = registry.get("crane").build()
    error = replace(crane.model_error, payload=Payload("tip mass", assumed(5.0, "kg"), assumed(50.0, "kg")))
    machine = replace(crane, model_error=error)
    learning, fresh = LiveTwin(machine), LiveTwin(machine)
    for k in range(5):
        learning.advance(20)
        learning.correct({"cylinder.p_A": 4.6e6 + 3e4 * k, "boom.angle": 0.5236, "valve.command": 0.0})
    payload = bias_values(learning.engine.condition, learning.biases)[-1]
    assert payload != 250.0  # learned something
    fresh.load(learning.dump())
    assert fresh.engine.plan.bodies.tobytes() == learning.engine.plan.bodies.tobytes()


def _readings(steps: int = 20) -> np.ndarray:
    return np.full((steps, len(MODEL.outputs)), np.nan)


def test_wrong_readings_and_sensors_are_refused_with_a_reason() -> None:
    sensors, none = four_bar_set(2, 1000.0), np.zeros((0, 0))
    infinite, strange = _readings(), _readings()
    infinite[7, 0], strange[3, 5] = np.inf, 0.1
    with pytest.raises(BadChannel, match=r"'crank\.angle': inf at step 7"):
        estimate(MODEL, infinite, sensors, none, "bias")
    with pytest.raises(BadChannel, match=r"'coupler\.angle' has readings, but no sensor measures it"):
        estimate(MODEL, strange, sensors, none, "bias")
    with pytest.raises(BadChannel, match="must have 11 columns"):
        estimate(MODEL, np.zeros((5, 3)), sensors, none, "bias")
    negative = replace(sensors[0], noise=assumed(-1e-3, "rad"))
    with pytest.raises(BadSensor, match=r"'encoder': noise = -0\.001 rad"):
        estimate(MODEL, _readings(), [negative], none, "bias")
    with pytest.raises(BadSensor, match="'nowhere' is unknown"):
        estimate(MODEL, _readings(), [replace(sensors[0], channel="nowhere")], none, "bias")


def test_a_refused_reading_leaves_the_filter_as_it_was() -> None:
    twin = OfflineTwin(MODEL, four_bar_set(2, 1000.0), "bias")
    state, covariance = twin.engine.state.copy(), twin.covariance.copy()
    infinite = _readings()
    infinite[0, 0] = -np.inf
    with pytest.raises(BadChannel):
        twin.refuse(infinite)
    assert np.array_equal(twin.engine.state, state)
    assert np.array_equal(twin.covariance, covariance)


@pytest.mark.parametrize(
    "sample",
    [
        {"crank.angle": 1.0, "nowhere": 1.0},
        {"crank.angle": 1.0, "hose.p": float("nan")},
        {"coupler.angle": 1.0},
    ],
)
def test_a_refused_sample_leaves_the_live_twin_as_it_was(sample: dict[str, float]) -> None:
    twin = LiveTwin(MODEL)
    twin.start({"crank.angle": 1.05, "valve.command": 0.0})
    twin.advance(20)
    before = twin.dump()
    with pytest.raises(BadChannel):
        twin.correct(sample)
    assert twin.dump() == before


def test_a_payload_on_an_unknown_body_is_refused() -> None:
    crane = registry.get("crane").build()
    error = replace(crane.model_error, payload=Payload("nobody", assumed(5.0, "kg"), assumed(50.0, "kg")))
    with pytest.raises(BadMachine, match="nobody"):
        Simulation(replace(crane, model_error=error))
