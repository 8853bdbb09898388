"""Damage models against hand-worked numbers (docs/methods/wear.md), scipy and limits of their own laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from simcore.errors import BadMachine
from simcore.model.quantity import assumed
from simcore.wear import bearings, contamination, oil, pins, pumps, seals


def bushing(**changed: float) -> pins.Bushing:
    values = {"diameter": 0.08, "width": 0.1} | changed
    return pins.Bushing("boom pin", **{k: assumed(v, "") for k, v in values.items()})


def test_a_boom_pin_wears_as_worked_by_hand() -> None:
    # 200 kN on 80 x 100 mm: 25 MPa; a turn of 1 rad slides 40 mm; 4e-16 · 25e6 · 0.04 = 4e-10 m
    depth = pins.wear_depth(bushing().depth_per_load, 200e3, 1.0, 1.0)
    assert depth == pytest.approx(4e-10, rel=1e-12)
    assert pins.wear_depth(bushing().depth_per_load, -200e3, -1.0, 3.0) == pytest.approx(1.2e-9, rel=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-3.0, 3.0)), min_size=1, max_size=20))
def test_wear_is_volume_over_area_whatever_the_pieces(moves: list[tuple[float, float]]) -> None:
    """Archard's volume K F s/H over the projected area, with K/H = k."""
    one = bushing()
    depth = sum(pins.wear_depth(one.depth_per_load, force, turn, 1.0) for force, turn in moves)
    volume = sum(float(one.wear_rate) * abs(force) * abs(turn) * 0.04 for force, turn in moves)
    assert depth == pytest.approx(volume / (0.08 * 0.1), rel=1e-9, abs=1e-30)


def test_a_seal_lasts_700_km_at_200_bar() -> None:
    seal = seals.Seal("boom rod", own_pressure=assumed(1e-9, "Pa"))
    load = seals.seal_load(float(seal.own_pressure), 2e7, 700e3, seals.hot_factor(seal, 60.0))
    assert load / float(seal.life) == pytest.approx(1.0, rel=1e-9)
    assert seals.hot_factor(seal, 75.0) == pytest.approx(2.0)
    assert seals.hot_factor(seal, 30.0) == pytest.approx(0.25)


BALL = bearings.Bearing("pump bearing", "ball", assumed(60e3, "N"), assumed(1.5e3, "N"))


def test_rating_life_of_a_pump_bearing_as_worked_by_hand() -> None:
    # κ = 1, e_C = 0.5: e_C C_u/P = 0.5 · 1500/6000 = 0.125, its cube root 0.5;
    # (2.5671 - 1.9987)^0.83 = 0.5684^0.83 = 0.62565; 1 - 0.62565 · 0.5 = 0.68718; 0.1 · 0.68718^-9.3 = 3.2736
    factor = bearings.modification(bearings.BALL, 1.0, 0.125)
    assert factor == pytest.approx(0.1 * (1 - 0.5684**0.83 * 0.5) ** -9.3, rel=1e-12)
    assert factor == pytest.approx(3.27, rel=0.01)
    # C/P = 10: 1000 million revolutions, times the factor
    one_turn = bearings.damage(BALL, 6e3, 2 * math.pi)
    assert 1 / one_turn == pytest.approx(1e9 * factor, rel=1e-12)


@pytest.mark.parametrize("kind", [bearings.BALL, bearings.ROLLER])
@pytest.mark.parametrize("kappa", [0.4, 1.0])
def test_branches_of_the_standard_meet(kind: int, kappa: float) -> None:
    """The printed constants are rounded so that a_ISO is continuous in κ to four digits."""
    below, above = (bearings.modification(kind, kappa + step, 0.1) for step in (-1e-9, 1e-9))
    assert below == pytest.approx(above, rel=1e-3)


@settings(deadline=None)
@given(st.floats(0.1, 4.0), st.floats(0.0, 5.0), st.sampled_from([bearings.BALL, bearings.ROLLER]))
def test_a_thicker_film_and_cleaner_oil_never_shorten_life(kappa: float, load: float, kind: int) -> None:
    here = bearings.modification(kind, kappa, load)
    assert 0.1 <= here <= 50.0 + 1e-12
    assert bearings.modification(kind, min(kappa * 1.1, 4.0), load) >= here * (1 - 1e-3)
    assert bearings.modification(kind, kappa, load * 1.1) >= here


def test_damage_adds_up_to_the_mean_load_of_the_standard() -> None:
    """P_m = (Σ P_i³ n_i/Σ n_i)^(1/3), with the life factor held at 1/10 by severe contamination."""
    dirty = bearings.Bearing(
        "b", "ball", assumed(60e3, "N"), assumed(1.5e3, "N"), cleanliness=assumed(0, "1")
    )
    loads, turns = np.array([4e3, 9e3, 15e3]), np.array([5.0, 2.0, 1.0]) * 1e3
    summed = sum(bearings.damage(dirty, p, 2 * math.pi * n) for p, n in zip(loads, turns, strict=True))
    mean = float((np.sum(loads**3 * turns) / np.sum(turns)) ** (1 / 3))
    assert summed == pytest.approx(bearings.damage(dirty, mean, 2 * math.pi * turns.sum()), rel=1e-12)
    assert bearings.damage(dirty, 0.0, 10.0) == 0.0


def test_oil_ages_five_times_as_fast_at_80_degrees() -> None:
    # 80e3/8.3145 · (1/333.15 - 1/353.15) = 1.6357; e^1.6357 = 5.133
    assert oil.ageing_rate(80.0, 80e3, 60.0) == pytest.approx(5.133, rel=1e-3)
    assert oil.ageing_rate(60.0, 80e3, 60.0) == 1.0


TANK = {"capacity": 4e5, "conductance": 80.0, "cooler": 900.0, "opens": 55.0}


@settings(deadline=None)
@given(
    st.floats(-20.0, 110.0), st.floats(0.0, 4e4), st.floats(-30.0, 45.0), st.floats(1.0, 2e4), st.booleans()
)
def test_tank_temperature_equals_an_integrated_heat_balance(
    start: float, losses: float, air: float, span: float, halved: bool
) -> None:
    def temperature(begin: float, seconds: float) -> float:
        return oil.tank_temperature(begin, losses, air, *TANK.values(), seconds)

    end = temperature(temperature(start, span / 2), span / 2) if halved else temperature(start, span)

    def slope(_: float, t: np.ndarray) -> np.ndarray:
        cooling = TANK["cooler"] * np.maximum(t - TANK["opens"], 0.0)
        return (losses - TANK["conductance"] * (t - air) - cooling) / TANK["capacity"]

    solved = solve_ivp(slope, (0.0, span), [start], rtol=1e-9, atol=1e-9, max_step=200.0)
    assert end == pytest.approx(float(solved.y[0, -1]), abs=1e-4)


def test_a_pump_reaches_its_life_at_rated_pressure_and_loses_efficiency() -> None:
    pump = pumps.PumpWear(
        "main pump", assumed(112e-6, "m³"), assumed(4e-15, "m³"), assumed(28e6, "Pa"), assumed(1e9, "1")
    )
    used = pumps.pump_wear(28e6, 1e9, 1.0, 28e6, 1e9, 3.0)
    assert used == pytest.approx(1.0)
    assert pumps.pump_wear(14e6, 1e9, contamination.particle_ratio(19.0, 16.0), 28e6, 1e9, 3.0) == 1.0
    # slip 4e-15 · 28e6/0.02 = 5.6e-6 m³/s of 112e-6 · 30 = 3.36e-3: 0.17 %; four times that when worn
    new, worn = (pumps.volumetric_efficiency(pump, w, 28e6, 0.02, 30.0) for w in (0.0, 1.0))
    assert 1 - new == pytest.approx(5.6e-6 / 3.36e-3, rel=1e-9)
    assert (1 - worn) / (1 - new) == pytest.approx(4.0)


def test_metering_edges_wear_with_pressure_drop_and_dirt() -> None:
    args = (10e6, 5e-3, 3.6e7, 1.5)
    assert pumps.edge_wear(10e6, 5e-3, 1.0, 3.6e7, *args) == pytest.approx(1.0)
    assert pumps.edge_wear(40e6, 5e-3, 2.0, 3.6e7, *args) == pytest.approx(16.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bushing(width=0.0), "boom pin: width = 0: must be above zero"),
        (lambda: bushing(wear_rate=math.nan), "boom pin: wear_rate = nan: must be above zero"),
        (
            lambda: bearings.Bearing(
                "b", "ball", assumed(1, "N"), assumed(1, "N"), cleanliness=assumed(2, "1")
            ),
            "b: cleanliness = 2: must be between 0 and 1",
        ),
        (
            lambda: contamination.checked_code("oil", 40.0),
            "oil: cleanliness code = 40: must be between 1 and 28",
        ),
        (lambda: seals.Seal("s", life=assumed(-1.0, "Pa m")), "s: life = -1: must be above zero"),
    ],
)
def test_impossible_values_are_refused_by_name(make, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadMachine, match=f"^{words}$"):
        make()
