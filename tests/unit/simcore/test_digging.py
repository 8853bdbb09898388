"""A blade in the ground against closed forms: resistance, fill, momentum of what it takes along, dumping."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.machines.excavator.choices import passive_coefficient
from simcore.run.simulation import Simulation
from simcore.soil.digging import contact
from tests.unit.simcore.shaft_rigs import blade, soil

_WIDTH, _COUNTS = 1.1, 0.2 - 0.01  # m; depth that counts: less half of the soft layer


def _fill(sim: Simulation) -> int:
    head = sim.plan.head[0]
    return int(head["at_p"] + head["scalars"] - 1)


def test_a_blade_is_slowed_down_by_the_earthmoving_equation() -> None:
    """Fast against the turn velocity and without fill the resistance is constant: v = v₀ - R t/m."""
    machine = blade(soil(swell=1e-9), speed=8.0, mass=5000.0)
    sim = Simulation(machine)
    sim.advance(500)
    expected = _WIDTH * _COUNTS * (4e4 * _COUNTS + 2e4)
    assert sim.outputs()["blade.force"] == pytest.approx(expected, rel=1e-4)
    assert sim.outputs()["blade.rate"] == pytest.approx(8.0 - expected * 0.5 / 5000.0, rel=1e-4)


def test_a_blade_takes_up_what_it_sweeps() -> None:
    sim = Simulation(blade(soil(cohesion=0.0, weight=0.0, swell=1.2), speed=4.0, mass=1e7, capacity=50.0))
    sim.advance(1000)
    swept = 1.2 * _WIDTH * _COUNTS * sim.outputs()["blade.at"]
    # 0.05 m/s turn velocity: a share of 4 / 4.05 of the speed counts
    assert sim.outputs()["blade.fill"] == pytest.approx(swept * 4.0 / 4.05, rel=1e-5)


def test_what_is_taken_along_shares_the_momentum() -> None:
    """No resistance: (m + μ) v is constant, and half of the lost energy went into carrying soil along."""
    machine = blade(soil(cohesion=0.0, weight=0.0), speed=3.0, mass=300.0, capacity=50.0)
    run = Simulation(machine, 2.5e-4).run(0.8, sample_dt=1e-3)
    mass = 300.0 + 1600.0 * run["blade.fill"]
    np.testing.assert_allclose(mass * run["blade.rate"], 900.0, rtol=1e-6)
    assert mass[-1] > 600.0
    lost = 0.5 * 300.0 * 9.0 - 0.5 * mass[-1] * run["blade.rate"][-1] ** 2
    assert run.energy["elements"]["soil"]["edge"]["lost_J"] == pytest.approx(lost, rel=1e-5)
    assert abs(run.energy["left_over_J"]) < 1e-5 * lost


@settings(max_examples=15, deadline=None)
@given(
    depth=st.floats(-0.1, 0.5),
    speed=st.floats(-3, 3),
    cohesion=st.floats(0, 5e4),
    capacity=st.floats(0.05, 2),
)
def test_digging_never_gives_energy_and_its_books_close(
    depth: float, speed: float, cohesion: float, capacity: float
) -> None:
    machine = blade(soil(cohesion=cohesion, surcharge=3e4), depth, speed, 400.0, capacity)
    coarse, fine = Simulation(machine, 1e-4).run(0.5), Simulation(machine, 5e-5).run(0.5)
    begun = 0.5 * 400.0 * speed**2
    for run in (coarse, fine):
        assert run.energy["elements"]["soil"]["edge"]["lost_J"] >= -1e-9
        assert abs(run["blade.rate"][-1]) <= abs(speed) + 1e-9
        assert run["blade.fill"].min() >= -1e-9
        assert run["blade.fill"].max() <= capacity * 1.02
        if depth <= 0:
            assert run["blade.force"].max() == 0.0
    # Deep in firm soil a slow blade stands still within a millisecond, so the work of a step is only known
    # to the second order: the books have to close in the limit of short steps (Richardson's extrapolation).
    for left_over in ("left_over_J", "drift_max_J"):
        limit = (4 * fine.energy[left_over] - coarse.energy[left_over]) / 3
        assert abs(limit) < 1e-4 * begun + 1e-6


def test_what_the_books_of_digging_leave_over_falls_with_the_square_of_the_step() -> None:
    """Where it is largest: a slow blade, deep in the firmest soil."""
    machine = blade(soil(cohesion=5e4, surcharge=3e4), 0.5, 0.03, 400.0, 2.0)
    left = [abs(Simulation(machine, dt).run(0.5).energy["left_over_J"]) for dt in (1e-4, 5e-5, 2.5e-5)]
    assert left[0] / left[1] == pytest.approx(4.0, rel=0.02)
    assert left[1] / left[2] == pytest.approx(4.0, rel=0.02)


def test_a_bucket_above_the_ground_empties_exponentially_when_its_mouth_is_turned_down() -> None:
    from dataclasses import replace

    machine = blade(soil(), depth=-0.5, speed=0.0)
    turned = replace(machine, digging=(replace(machine.digging[0], axis_mouth=(0.0, -1.0, 0.0)),))
    for case, left in ((machine, 1.0), (turned, math.exp(-0.3 / 0.4))):
        sim = Simulation(case)
        sim.state[_fill(sim)] = 0.8
        sim.settle(sim.state)
        sim.advance(300)
        assert sim.outputs()["blade.fill"] == pytest.approx(0.8 * left, rel=1e-5)


@pytest.mark.parametrize(
    ("integrator", "formulation"), [("rk4", None), ("damped", "penalty"), ("trapezoidal", "double-step")]
)
def test_every_rule_digs_the_same(integrator: str, formulation: str | None) -> None:
    machine = blade(soil(surcharge=5e4), speed=3.0, mass=900.0, capacity=0.6)
    ways = (Simulation(machine, 1e-3), Simulation(machine, 1e-3, integrator, formulation))
    for sim in ways:
        sim.advance(300)
    first, second = (np.array(list(sim.outputs().values())) for sim in ways)
    np.testing.assert_allclose(first, second, rtol=2e-4)


@settings(deadline=None)
@given(depth=st.floats(-1, 1))
def test_contact_begins_softly(depth: float) -> None:
    counts, slope = contact(depth, 0.05)
    assert 0.0 <= counts <= max(depth, 0.0)
    h = 1e-7
    assert slope == pytest.approx(
        (contact(depth + h, 0.05)[0] - contact(depth - h, 0.05)[0]) / (2 * h), abs=1e-5
    )


def test_the_passive_coefficient_is_rankine_s_on_a_smooth_blade() -> None:
    for degrees in (10.0, 25.0, 38.0):
        phi = math.radians(degrees)
        rankine = math.tan(math.pi / 4 + phi / 2) ** 2
        assert passive_coefficient(phi, 0.0) == pytest.approx(rankine, rel=1e-12)
        assert passive_coefficient(phi, phi / 2) > rankine
