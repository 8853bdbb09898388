"""The rig against its publication and against an independent derivation."""

import math

import four_bar_reference as reference
import numpy as np
import pytest

from simcore import registry
from simcore.model.geometry import static_force
from simcore.model.workspace import REDUCED_SYSTEM
from simcore.run.case_run import run
from simcore.run.engine import Engine
from simcore.run.simulation import Simulation

CASE = registry.get("four-bar-b")
DRIVE = [(0.0, 0.0), (0.2, 10.0), (0.8, 0.0)]


@pytest.fixture(scope="module")
def published() -> dict:
    return run(CASE, {})


def _drive(sim: Simulation, until: float) -> None:
    ends = [t for t, _ in DRIVE[1:]] + [until]
    for (_, command), end in zip(DRIVE, ends, strict=True):
        sim.advance(round(end / sim.dt) - sim.steps, {"valve.command": command})


@pytest.fixture(scope="module")
def exact() -> np.ndarray:
    return reference.trajectory(1.2, DRIVE)


def test_maximum_cylinder_work_is_the_published_one(published: dict) -> None:
    assert published["energy"]["work_max_abs_J"] == pytest.approx(120.99, abs=0.3)


def test_energy_drift_is_within_the_published_share_of_the_work(published: dict) -> None:
    assert published["energy"]["drift_max_J"] <= 0.004 * published["energy"]["work_max_abs_J"]


def test_reference_mode_reproduces_the_published_iterations_and_drift() -> None:
    result = run(CASE, {}, integrator="trapezoidal-reference")
    assert result["newton"]["mean"] == pytest.approx(1.42, abs=0.05)
    assert result["newton"]["max"] <= 5
    assert result["energy"]["work_max_abs_J"] == pytest.approx(120.99, abs=0.3)
    assert result["energy"]["drift_max_J"] <= 0.6


def test_loops_stay_closed_on_all_three_levels(published: dict) -> None:
    assert published["constraint"]["position_max"] < 1e-9
    assert published["constraint"]["velocity_max"] < 1e-6
    assert published["constraint"]["acceleration_max"] < 1e-3


def test_static_force_follows_from_virtual_work_and_not_as_printed() -> None:
    lever = -math.sin(math.pi / 6)
    expected = reference.slope(reference.potential, math.pi / 3) / lever
    assert static_force(CASE.build()) == pytest.approx(expected, rel=1e-6)
    assert static_force(CASE.build()) == pytest.approx(-386.00, abs=0.01)


def test_the_printed_start_holds_681_newton_and_the_solved_one_stays_at_rest() -> None:
    assert Simulation(CASE.build()).outputs()["cylinder.force"] == pytest.approx(681.23, abs=1e-6)
    still = Simulation(CASE.build(start="equilibrium"))
    still.advance(1000)
    assert still.outputs()["crank.angle"] == pytest.approx(math.pi / 3, abs=1e-9)


@pytest.mark.parametrize(("angle", "rate"), [(0.8, 0.0), (1.05, -0.4), (1.3, 0.7)])
def test_crank_acceleration_equals_lagrange_for_one_freedom(angle: float, rate: float) -> None:
    engine = Engine(CASE.build(crank_start=angle), 1e-3)
    head = engine.plan.head[0]
    engine.state[head["at_v"]] = rate
    engine.settle(engine.state)
    force = float(engine.workspace.cylinders["push"][0])
    expected = reference.crank_acceleration(angle, rate, force)
    assert engine.state[head["at_a"]] == pytest.approx(expected, rel=1e-8)
    answer = engine.workspace.matrix[REDUCED_SYSTEM, 0, 2]
    assert answer == pytest.approx(-math.sin(angle / 2) / reference.inertia(angle), rel=1e-9)


def test_trajectory_equals_scipy_on_the_reduced_system(exact: np.ndarray) -> None:
    sim = Simulation(CASE.build(), dt=5e-4)
    _drive(sim, 1.2)
    out = sim.outputs()
    assert out["crank.angle"] == pytest.approx(exact[0], abs=2e-6)
    assert out["crank.rate"] == pytest.approx(exact[1], abs=2e-5)
    assert out["cylinder.p_A"] == pytest.approx(exact[3], abs=2e3)
    assert out["cylinder.p_B"] == pytest.approx(exact[4], abs=2e3)


def test_explicit_integrator_agrees_with_scipy_far_closer(exact: np.ndarray) -> None:
    sim = Simulation(CASE.build(), dt=1e-4, integrator="rk4")
    _drive(sim, 1.2)
    out = sim.outputs()
    assert out["crank.angle"] == pytest.approx(exact[0], abs=5e-8)
    assert out["cylinder.p_A"] == pytest.approx(exact[3], abs=50.0)


def test_assembled_and_differenced_tangents_lead_to_the_same_motion() -> None:
    # long spool time: its Euler update in reference mode must not be what is compared
    ends = []
    for integrator in ("trapezoidal", "trapezoidal-reference"):
        sim = Simulation(CASE.build(), integrator=integrator)
        sim.advance(300)
        ends.append(sim.outputs())
    assert ends[0]["crank.angle"] == pytest.approx(ends[1]["crank.angle"], abs=1e-8)
    assert ends[0]["cylinder.p_A"] == pytest.approx(ends[1]["cylinder.p_A"], abs=1.0)


def test_a_piston_that_leaves_its_tube_stops_the_run_with_time_and_name() -> None:
    from simcore.errors import Diverged

    sim = Simulation(CASE.build(l20=0.16, crank_start=1.2))
    with pytest.raises(Diverged, match="piston of 'cylinder' left its tube") as caught:
        sim.advance(20000, {"valve.command": -10.0})
    assert caught.value.time == pytest.approx(sim.time)
    assert all(math.isfinite(x) for x in sim.outputs().values())
