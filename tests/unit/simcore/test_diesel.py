"""Engines against closed forms: governor, lag, fuel, energy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import RegularGridInterpolator
from scipy.optimize import brentq

from simcore.errors import BadMachine
from simcore.model.compiler import compile
from simcore.model.diesel_soil import governed
from simcore.powertrain.diesel import demand, fuel_rate
from simcore.run.simulation import Simulation
from tests.unit.simcore.shaft_rigs import engine, wheel

RECORD = compile(wheel(0.0, 150.0)).diesels[0]


@settings(deadline=None)
@given(speed=st.floats(0, 300))
def test_the_governor_gives_what_its_curve_says_and_its_slope(speed: float) -> None:
    torque, slope, faster = demand(RECORD, 0.0, speed)
    assert torque == pytest.approx(governed(engine(), speed), rel=1e-12, abs=1e-9)
    assert -40.0 <= torque <= 600.0
    h = 1e-5
    if all(abs(speed - knot) > 1e-3 for knot in (100.0, 150.0, 180.0, 200.0, 210.0)):
        rise = demand(RECORD, 0.0, speed + h)[0] - demand(RECORD, 0.0, speed - h)[0]
        assert slope == pytest.approx(rise / (2 * h), rel=1e-5, abs=1e-4)
        rise = demand(RECORD, h, speed)[0] - demand(RECORD, -h, speed)[0]
        assert faster == pytest.approx(rise / (2 * h), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("load", [0.0, 150.0, 400.0])
def test_under_a_load_the_engine_settles_where_its_governor_balances_it(load: float) -> None:
    sim = Simulation(wheel(load, 190.0))
    sim.advance(6000)
    expected = brentq(lambda w: governed(engine(), w) - load, 120.0, 200.0)
    assert sim.outputs()["wheel.speed"] == pytest.approx(expected, rel=1e-6)
    assert sim.outputs()["engine.torque"] == pytest.approx(load, abs=1e-3)


def test_torque_follows_with_its_time_constant() -> None:
    """A wheel too heavy to change its speed: the torque tends to what is asked for as 1 - exp(-t/τ)."""
    sim = Simulation(wheel(0.0, 170.0, inertia=1e7, tau=0.3))
    head = sim.plan.head[0]
    sim.state[head["at_p"]] = 0.0
    sim.settle(sim.state)
    sim.advance(500)
    wanted = governed(engine(), 170.0)
    assert sim.outputs()["engine.torque"] == pytest.approx(wanted * (1 - math.exp(-0.5 / 0.3)), rel=1e-5)


@settings(deadline=None)
@given(speed=st.floats(100.5, 209.5), torque=st.floats(0.5, 599.5))
def test_fuel_is_the_map_straight_between_its_points(speed: float, torque: float) -> None:
    fuel = engine().fuel
    rates = np.outer(fuel.speeds, (0.0, *fuel.torques)) * np.pad(np.array(fuel.specific), ((0, 0), (1, 0)))
    rates[:, 0] = fuel.idle
    lookup = RegularGridInterpolator((fuel.speeds, (0.0, *fuel.torques)), rates)
    rate, per_speed, per_torque = fuel_rate(RECORD, speed, torque)
    assert rate == pytest.approx(float(lookup((speed, torque))), rel=1e-12)
    for h, slope, where in ((1e-6, per_speed, (1, 0)), (1e-6, per_torque, (0, 1))):
        up, down = (
            fuel_rate(RECORD, speed + s * h * where[0], torque + s * h * where[1])[0] for s in (1, -1)
        )
        if _inside_a_cell(speed, torque, fuel):
            assert slope == pytest.approx((up - down) / (2 * h), rel=1e-4, abs=1e-12)


def _inside_a_cell(speed: float, torque: float, fuel: object) -> bool:
    knots = (*fuel.speeds, *fuel.torques)  # type: ignore[attr-defined]
    return all(min(abs(speed - k), abs(torque - k)) > 1e-3 for k in knots)


def test_outside_its_map_an_engine_burns_what_the_rim_says() -> None:
    assert fuel_rate(RECORD, 150.0, -20.0)[0] == pytest.approx(4e-4)
    assert fuel_rate(RECORD, 50.0, 0.0)[0] == pytest.approx(2e-4)
    assert fuel_rate(RECORD, 500.0, 900.0)[0] == pytest.approx(6.1e-8 * 210 * 600)


def test_books_of_an_engine_close_and_fuel_is_the_sum_of_its_rate() -> None:
    run = Simulation(wheel(300.0, 150.0)).run(3.0, sample_dt=1e-3)
    entry = run.energy["elements"]["engines"]["engine"]
    stored = 0.5 * 3.0 * (run["wheel.speed"][-1] ** 2 - run["wheel.speed"][0] ** 2)
    braked = 300.0 * np.trapezoid(run["wheel.speed"], run.t)
    assert entry["given_J"] == pytest.approx(stored + braked, rel=1e-6)
    assert abs(run.energy["left_over_J"]) < 1e-6 * entry["given_J"]
    assert run.energy["drift_max_J"] < 1e-6 * entry["given_J"]
    assert entry["fuel_kg"] == pytest.approx(np.trapezoid(run["engine.fuel"], run.t), rel=1e-9)


@pytest.mark.parametrize(
    ("integrator", "formulation"), [("rk4", None), ("damped", "penalty"), ("trapezoidal", "double-step")]
)
def test_every_rule_runs_an_engine_to_the_same_speed(integrator: str, formulation: str | None) -> None:
    ways = (
        Simulation(wheel(300.0, 150.0), 1e-3),
        Simulation(wheel(300.0, 150.0), 1e-3, integrator, formulation),
    )
    for sim in ways:
        sim.advance(800)
    first, second = (sim.outputs()["wheel.speed"] for sim in ways)
    assert first == pytest.approx(second, rel=1e-5)


def test_an_engine_that_cannot_be_is_refused() -> None:
    from dataclasses import replace

    good = wheel(0.0, 150.0)
    bad = replace(good.diesels[0], full_load=replace(good.diesels[0].full_load, speeds=(100.0, 90.0, 210.0)))
    with pytest.raises(BadMachine, match=r"engine\.full_load: 90 comes after 100"):
        compile(replace(good, diesels=(bad,)))
    with pytest.raises(BadMachine, match="engine 'engine' refers to 'axle'"):
        compile(replace(good, diesels=(replace(good.diesels[0], shaft="axle"),)))
