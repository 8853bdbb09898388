"""The rig for valve curves: splines against scipy's, statics, both formulations, scipy beside it."""

import math
from itertools import pairwise

import four_bar_reference as four_bar
import numpy as np
import pytest
from driven import pushed
from formulations import BOTH, by_both, differences
from one_freedom import Array, OneFreedom, Pose, orifice
from scipy.integrate import solve_ivp
from scipy.interpolate import BSpline
from scipy.optimize import brentq

from simcore import registry
from simcore.cases.valve_curves import coefficient
from simcore.model.case import staircase
from simcore.run.case_run import run
from simcore.run.simulation import Simulation

CASE = registry.get("valve-rig")
DRIVE = [(0.0, 0.0), (0.05, 8.0), (0.5, -9.0), (0.9, 0.0)]
AREA_A, AREA_B, TANK, OPENS, PUMP_FLOW = 2e-3, 1.8e-3, 1e5, 7.6e6, 1e-3
# control points over 0..10 V by (port, where it leads): written again, not read from the case
CONTROL = {
    "supply-A": (0, 24, 45, 62, 79, 95),
    "A-tank": (0, 6, 22, 66, 88, 95),
    "supply-B": (0, 12, 30, 50, 72, 95),
    "B-tank": (0, 12, 26, 44, 70, 95),
}
OPENINGS = np.arange(9) * 1.25


def _coefficient(points: tuple[float, ...], share: float) -> float:
    """Plane quadratic B-spline over evenly spaced abscissae, at one of them."""
    knots = [0, 0, *np.linspace(0, 1, len(points) - 1), 1, 1]
    across, up = (BSpline(knots, np.array(c, float), 2) for c in (np.linspace(0, 1, len(points)), points))
    return float(up(brentq(lambda u: float(across(u)) - share, 0, 1, xtol=1e-15)))


EDGES = {
    name: np.array([1e-10 * _coefficient(points, u / 10) * u for u in OPENINGS])
    for name, points in CONTROL.items()
}


def _poses(crank: Array) -> list[Pose]:
    coupler, rocker = np.array([four_bar.angles(float(q)) for q in crank]).T
    x, y = 2 * np.cos(crank), 2 * np.sin(crank)
    return [
        (100.0, 100 * 4 / 12, x / 2, y / 2, crank),
        (400.0, 400 * 64 / 12, x + 4 * np.cos(coupler), y + 4 * np.sin(coupler), coupler),
        (250.0, 250 * 25 / 12, 10 - 2.5 * np.cos(rocker), -2.5 * np.sin(rocker), rocker),
    ]


@pytest.fixture(scope="module")
def reduced() -> OneFreedom:
    return OneFreedom(_poses, lambda crank: 2 * np.cos(crank / 2), 0.6, 1.2)


@pytest.fixture(scope="module")
def results() -> dict[str, dict]:
    return by_both(CASE)


def _relief(p: float) -> float:
    x = min(max((p - OPENS) / 5e5, 0.0), 1.0)
    drop = p - TANK
    return x * x * (3 - 2 * x) * 2 * PUMP_FLOW / math.sqrt(OPENS) * drop / (drop**2 + 2e5**2) ** 0.25


def _passes(edge: str, drop: float, u: float) -> float:
    return orifice(drop, float(np.interp(u, OPENINGS, EDGES[edge])))


def _rates(_t: float, x: Array, command: float, mechanism: OneFreedom) -> list[float]:
    """Crank angle and rate, piston, rod and pump pressure, spool; bulk modulus 1600 MPa + p/2."""
    q, rate, p_a, p_b, p_p, u = x
    speed = float(mechanism.lever(q)) * rate
    chamber = math.sqrt(3) / 2 + float(mechanism.length(q)) - math.sqrt(3)
    if u >= 0:
        into_a = drawn = _passes("supply-A", p_p - p_a, u)
        into_b = -_passes("B-tank", p_b - TANK, u)
    else:
        into_b = drawn = _passes("supply-B", p_p - p_b, -u)
        into_a = -_passes("A-tank", p_a - TANK, -u)
    force = p_a * AREA_A - p_b * AREA_B - four_bar.friction(speed)
    return [
        rate,
        mechanism.acceleration(q, rate, force),
        (1.6e9 + 0.5 * p_a) / (3.42e-4 + AREA_A * chamber) * (into_a - AREA_A * speed),
        (1.6e9 + 0.5 * p_b) / (3.42e-4 + AREA_B * (math.sqrt(3) - chamber)) * (into_b + AREA_B * speed),
        (1.6e9 + 0.5 * p_p) / 3.42e-3 * (PUMP_FLOW - _relief(p_p) - drawn),
        (command - u) * 70 * math.pi,
    ]


def _exact(mechanism: OneFreedom, until: float) -> Array:
    p_b = (1e6 * AREA_A - mechanism.static_force(math.pi / 3)) / AREA_B
    x = np.array([math.pi / 3, 0.0, 1e6, p_b, OPENS, 0.0])
    for (begin, command), (end, _) in pairwise([*DRIVE, (until, 0.0)]):
        answer = solve_ivp(
            _rates,
            (begin, end),
            x,
            method="Radau",
            args=(command, mechanism),
            rtol=1e-8,
            atol=[1e-9, 1e-8, 0.1, 0.1, 0.1, 1e-8],
            max_step=0.02,
        )
        x = answer.y[:, -1]
    return np.asarray(x)


@pytest.mark.parametrize("points", [3, 4, 5, 6])
def test_curves_are_quadratic_b_splines_over_their_control_points(points: int) -> None:
    values = (0.0, *np.sort(np.random.default_rng(points).uniform(0, 95, points - 2)), 95.0)
    line = tuple(9.5 * k for k in range(points))
    for share in np.linspace(0, 1, 23):
        assert coefficient(values, share) == pytest.approx(_coefficient(values, share), abs=1e-9)
        assert coefficient(line, share) == pytest.approx(line[-1] * share, abs=1e-9)


def test_the_rod_side_holds_the_machine_at_the_start(reduced: OneFreedom) -> None:
    start = Simulation(CASE.build())
    assert start.outputs()["cylinder.force"] == pytest.approx(reduced.static_force(math.pi / 3), rel=1e-7)
    assert start.outputs()["cylinder.p_A"] == pytest.approx(1e6)
    start.advance(500, {"valve.command": 0.0})
    assert start.outputs()["crank.angle"] == pytest.approx(math.pi / 3, abs=1e-8)
    assert _relief(start.outputs()["pump.p"]) == pytest.approx(PUMP_FLOW, rel=1e-6)


def test_the_crank_moves_as_scipy_has_it(reduced: OneFreedom) -> None:
    exact = _exact(reduced, 1.2)
    out = pushed(Simulation(CASE.build(), dt=2e-4), DRIVE, 1.2).outputs()
    assert out["crank.angle"] == pytest.approx(exact[0], abs=1e-6)
    found = [out[name] for name in ("cylinder.p_A", "cylinder.p_B", "pump.p")]
    assert found == pytest.approx(exact[2:5], abs=500.0)


def test_both_formulations_move_alike(results: dict[str, dict]) -> None:
    angle, share = differences(results)
    assert angle < 1e-6
    assert share < 1e-4


@pytest.mark.parametrize("way", BOTH)
def test_energy_is_booked_to_a_thousandth_of_the_work(results: dict[str, dict], way: str) -> None:
    energy = results[way]["energy"]
    assert energy["drift_max_J"] <= 0.001 * energy["work_max_abs_J"]
    assert abs(results[way]["energy"]["oil_left_over_J"]) < 1e-6


def test_partitioning_keeps_the_loop_closed(results: dict[str, dict]) -> None:
    assert max(results["double-step"]["constraint"].values()) < 1e-10


def test_the_sine_keeps_the_rig_in_its_range(results: dict[str, dict]) -> None:
    extremes = results["penalty"]["extremes"]
    low, high = extremes["z_deg"][0]
    assert 35 < low < 45  # far from the dead centre at zero
    assert high == pytest.approx(60, abs=0.1)
    assert all(least > TANK for least, _ in extremes["pressure_Pa"])
    assert extremes["pressure_Pa"][2][0] >= OPENS


def test_straight_curves_come_near_the_usable_set_found_without_the_engine() -> None:
    """Radau on one freedom with a relief of constant slope: crank 40..60°, rod side from 2.37 MPa."""
    straight = {f"cv_{edge}_{k}": 19.0 * k for edge in "abcd" for k in range(1, 5)}
    extremes = run(CASE, straight)["extremes"]
    assert extremes["z_deg"][0][0] == pytest.approx(40, abs=1.5)
    assert extremes["pressure_Pa"][1][0] == pytest.approx(2.37e6, abs=5e4)


def test_a_staircase_holds_the_middle_of_every_tread() -> None:
    steps = staircase("valve.command", lambda t: 2 * t, 0.1, 0.5)
    assert [t for t, _ in steps] == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])
    assert [c["valve.command"] for _, c in steps] == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])
    finer = [c["valve.command"] for _, c in CASE.command_schedule]
    assert len(finer) == 500
    assert finer[125] == pytest.approx(10 * math.sin(0.4 * math.pi * 1.255))
