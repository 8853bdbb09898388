"""The quick-return mechanism: statics, both formulations, energy, and scipy on a reduced derivation."""

import numpy as np
import pytest
from driven import pushed
from formulations import BOTH, by_both, differences
from one_freedom import Array, JaiswalCircuit, OneFreedom, Pose

from simcore import registry
from simcore.model.geometry import static_force
from simcore.run.case_run import run
from simcore.run.simulation import Simulation

CASE = registry.get("quick-return")
START = np.radians(30.59)
DRIVE = [(0.0, 0.0), (0.1, -10.0), (0.7, 0.0)]


def _poses(crank: Array) -> list[Pose]:
    """Lever through the crank's tip; coupler from the lever's end down to a ram that keeps its height."""
    tip_x, tip_y = np.cos(crank), 3 + np.sin(crank)
    lever = np.arctan2(tip_y, tip_x)
    top_x, top_y = 5 * np.cos(lever), 5 * np.sin(lever)
    across = np.sqrt(1.2**2 - (5 - top_y) ** 2)
    coupler = np.arctan2(5 - top_y, -across)
    still = np.zeros(crank.size)
    return [
        (25.0, 25 * 5**2 / 12, top_x / 2, top_y / 2, lever),
        (12.0, 12 * 1.2**2 / 12, top_x - across / 2, (top_y + 5) / 2, coupler),
        (3.0, 3 * 0.3**2 / 6, top_x - across, still + 5, still),
        (100.0, 100 / 12, tip_x / 2, 3 + np.sin(crank) / 2, crank),
        (30.0, 30 * 0.3**2 / 6, tip_x, tip_y, lever),
    ]


def _length(crank: Array) -> Array:
    return np.hypot(0.96 + 0.5 * np.cos(crank), 0.5 * np.sin(crank))


@pytest.fixture(scope="module")
def reduced() -> OneFreedom:
    return OneFreedom(_poses, _length, 0.2, 1.6)


@pytest.fixture(scope="module")
def results() -> dict[str, dict]:
    return by_both(CASE)


def test_the_static_force_is_that_of_virtual_work(reduced: OneFreedom) -> None:
    expected = reduced.static_force(START)
    assert expected == pytest.approx(-4151.6, abs=0.1)  # with the ram on the ground
    assert static_force(CASE.build()) == pytest.approx(expected, rel=1e-8)
    assert Simulation(CASE.build()).outputs()["cylinder.force"] == pytest.approx(expected, rel=1e-8)


def test_the_printed_angles_close_both_slides() -> None:
    printed = (76.22, 96.89, 6.89, 30.59, 45.63)
    assert Simulation(CASE.build()).coordinates() == pytest.approx(np.radians(printed), abs=1e-4)


def test_both_formulations_move_alike(results: dict[str, dict]) -> None:
    angle, share = differences(results)
    assert angle < 1e-6
    assert share < 1e-4


@pytest.mark.parametrize("way", BOTH)
def test_energy_drifts_by_a_thousandth_of_the_work_at_most(results: dict[str, dict], way: str) -> None:
    energy = results[way]["energy"]
    assert energy["drift_max_J"] <= 0.001 * energy["work_max_abs_J"]


def test_partitioning_keeps_the_slides_closed(results: dict[str, dict]) -> None:
    assert max(results["double-step"]["constraint"].values()) < 1e-10


@pytest.fixture(scope="module")
def exact(reduced: OneFreedom) -> Array:
    return JaiswalCircuit(reduced).trajectory(START, DRIVE, 1.0)


def _driven(dt: float, integrator: str) -> dict[str, float]:
    return pushed(Simulation(CASE.build(), dt=dt, integrator=integrator), DRIVE, 1.0).outputs()


def test_the_explicit_rule_moves_as_scipy_has_it(exact: Array) -> None:
    out = _driven(1e-4, "rk4")
    assert out["crank.angle"] == pytest.approx(exact[0], abs=1e-9)
    found = [out["hose.p"], out["cylinder.p_A"], out["cylinder.p_B"]]
    assert found == pytest.approx(exact[2:5], abs=1.0)


def test_the_implicit_rule_errs_in_the_second_order(exact: Array) -> None:
    errors = [abs(_driven(dt, "trapezoidal")["crank.angle"] - exact[0]) for dt in (5e-4, 2.5e-4)]
    assert errors[1] < 1e-5  # of an oscillation that nothing damps
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.4)


def test_the_printed_table_does_not_give_the_printed_work(results: dict[str, dict]) -> None:
    assert results["penalty"]["energy"]["work_max_J"] > 1.1 * 357.47
    for changed in ({"throttle_area": 4.793e-6}, {"valve_coefficient": 1.59e-8}):  # either would
        assert run(CASE, changed)["energy"]["work_max_J"] == pytest.approx(357.47, rel=0.006)
