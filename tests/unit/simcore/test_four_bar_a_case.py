"""The long boom of the first publication: statics, both formulations, energy, and scipy beside it."""

import math

import numpy as np
import pytest
from driven import pushed
from formulations import BOTH, by_both, differences
from one_freedom import Array, JaiswalCircuit, OneFreedom, Pose

from simcore import registry
from simcore.model.geometry import static_force
from simcore.run.case_run import run
from simcore.run.simulation import Simulation

CASE = registry.get("four-bar-a")
DRIVE = [(0.0, 0.0), (0.1, 10.0), (0.7, 0.0)]


def _knee(boom: Array) -> tuple[Array, Array]:
    """Where link and rocker meet: √2 m from the boom's point at 3 m, 2 m from the bearing (0, -1)."""
    x, y = 3 * np.cos(boom), 3 * np.sin(boom) + 1
    reach = np.hypot(x, y)
    along = (2**2 + reach**2 - 2) / (2 * reach)
    off = np.sqrt(4 - along**2)
    return (along * x + off * y) / reach, (along * y - off * x) / reach - 1


def _poses(boom: Array) -> list[Pose]:
    x, y = _knee(boom)
    hinge_x, hinge_y = 3 * np.cos(boom), 3 * np.sin(boom)
    link = np.unwrap(np.arctan2(y - hinge_y, x - hinge_x))
    rocker = np.unwrap(np.arctan2(-1 - y, -x))
    return [
        (225.0, 225 * 81 / 12, 4.5 * np.cos(boom), 4.5 * np.sin(boom), boom),
        (35.0, 35 * 2 / 12, (hinge_x + x) / 2, (hinge_y + y) / 2, link),
        (50.0, 50 * 4 / 12, x / 2, (y - 1) / 2, rocker),
    ]


def _length(boom: Array) -> Array:
    x, y = _knee(boom)
    return np.hypot(x / 2, (y - 1) / 2 + 2)


@pytest.fixture(scope="module")
def reduced() -> OneFreedom:
    return OneFreedom(_poses, _length, -0.2, 0.2)


@pytest.fixture(scope="module")
def results() -> dict[str, dict]:
    return by_both(CASE)


def test_the_static_force_is_the_published_formula_and_that_of_virtual_work(reduced: OneFreedom) -> None:
    formula = math.sqrt(2) * 9.81 * (3 * 225 + 2 * 35 + 50)
    assert reduced.static_force(0.0) == pytest.approx(formula, rel=1e-8)
    assert static_force(CASE.build()) == pytest.approx(formula, rel=1e-9)
    assert Simulation(CASE.build()).outputs()["cylinder.force"] == pytest.approx(11029.38, abs=0.01)


def test_both_formulations_move_alike(results: dict[str, dict]) -> None:
    angle, share = differences(results)
    assert angle < 1e-6
    assert share < 1e-4


@pytest.mark.parametrize("way", BOTH)
def test_energy_drifts_by_a_thousandth_of_the_work_at_most(results: dict[str, dict], way: str) -> None:
    energy = results[way]["energy"]
    assert energy["drift_max_J"] <= 0.001 * energy["work_max_abs_J"]
    assert results[way]["constraint"]["position_max"] < 1e-9


def test_partitioning_keeps_the_loop_closed(results: dict[str, dict]) -> None:
    assert max(results["double-step"]["constraint"].values()) < 1e-10


def test_reference_mode_drifts_by_a_thousandth_of_the_work_at_most() -> None:
    energy = run(CASE, {}, integrator="trapezoidal-reference")["energy"]
    assert energy["drift_max_J"] <= 0.001 * energy["work_max_abs_J"]


def test_the_explicit_rule_moves_as_scipy_has_it(reduced: OneFreedom) -> None:
    exact = JaiswalCircuit(reduced).trajectory(0.0, DRIVE, 1.0)
    out = pushed(Simulation(CASE.build(), dt=1e-4, integrator="rk4"), DRIVE, 1.0).outputs()
    assert out["boom.angle"] == pytest.approx(exact[0], abs=1e-9)
    found = [out["hose.p"], out["cylinder.p_A"], out["cylinder.p_B"]]
    assert found == pytest.approx(exact[2:5], abs=1.0)


def test_the_printed_table_does_not_give_the_printed_work(results: dict[str, dict]) -> None:
    assert results["penalty"]["energy"]["work_max_J"] > 1.3 * 982.95
    for changed in ({"throttle_area": 4.793e-6}, {"valve_coefficient": 1.59e-8}):  # either would
        assert run(CASE, changed)["energy"]["work_max_J"] == pytest.approx(982.95, rel=0.006)
