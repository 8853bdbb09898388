"""Oil with air, valves that flow one way and friction at rest, in the filter: against integrals and draws."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from scipy import integrate, stats

from simcore import registry
from simcore.estimate.biases import BIAS
from simcore.estimate.linearise.aerated_oil import air_in, correct_pressures, softness, with_oil
from simcore.estimate.linearise.check_valves import reach_after, reach_after_readings
from simcore.estimate.linearise.jacobian import jacobian_at
from simcore.estimate.linearise.joint_friction_chord import chord_friction
from simcore.friction.brown_mcphee import brown_mcphee
from simcore.hydraulics.circuit import oil_softness
from simcore.model.plan import Plan
from simcore.model.workspace import Array, Workspace
from simcore.run.simulation import Simulation

_NAMES = ("loader-crane", "excavator")  # isothermal air, polytropic air


def _volume(name: str, pressure: float) -> tuple[Simulation, int]:
    """A machine whose first unmeasured volume, the last of all, has that pressure; where it is."""
    sim = Simulation(registry.get(name).build(), 1e-3)
    head = sim.plan.head[0]
    last = int(head["volumes"]) - 1
    sim.state[int(head["at_p"]) + last] = pressure
    sim.settle(sim.state)
    return sim, last


def _with_oil(sim: Simulation, last: int, pressure: float, oil: float) -> float:
    node, vapour = sim.workspace.nodes[last], float(sim.plan.head[0]["vapour"])
    air, power = air_in(sim.plan)
    return vapour + with_oil(node["compliance"], air * node["volume"], power, pressure - vapour, oil)


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize(("pressure", "oil"), [(4.5e5, 2e-6), (4.5e5, -6e-6), (2e4, 8e-6), (5e6, -1e-6)])
def test_oil_that_is_added_raises_the_pressure_as_the_model_does(
    name: str, pressure: float, oil: float
) -> None:
    """dp/dt = Q/C(p) with the softness of the model, integrated."""
    sim, last = _volume(name, pressure)
    node, at = sim.workspace.nodes[last], oil_softness(sim.plan, 1.0, pressure)[0]

    def rate(_: float, p: np.ndarray) -> np.ndarray:
        return oil / (
            node["compliance"] + (oil_softness(sim.plan, 1.0, float(p[0]))[0] - at) * node["volume"]
        )

    found = _with_oil(sim, last, pressure, oil)
    walked = integrate.solve_ivp(rate, (0.0, 1.0), [pressure], rtol=1e-9, atol=1e-3).y[0, -1]
    assert found == pytest.approx(walked, rel=1e-6)
    if oil > 0.0:
        air, power = air_in(sim.plan)
        y, rise = pressure - sim.plan.head[0]["vapour"], found - pressure
        soft = softness(node["compliance"], air * node["volume"], power, y, rise)
        assert soft * rise == pytest.approx(oil, rel=1e-6)


def test_no_oil_that_is_missing_brings_a_pressure_below_that_of_its_vapour() -> None:
    sim, last = _volume("loader-crane", 4.5e5)
    found = _with_oil(sim, last, 4.5e5, -1e-3)
    assert sim.plan.head[0]["vapour"] < found < 1e4


@pytest.mark.parametrize("name", _NAMES)
def test_a_correction_of_many_standard_deviations_raises_a_soft_pressure_by_no_more_than_itself(
    name: str,
) -> None:
    """Up to one it adds less at first, as soft oil does; beyond, a reading of the pressure is met."""
    sigma, rises = 0.4, np.array([0.05, 0.4, 1.0, 5.0, 20.0])  # MPa
    raised = [_corrected(name, 2e5, sigma, float(rise)) for rise in rises]
    assert 0.0 < raised[0] < rises[0]
    np.testing.assert_allclose(raised[1:], rises[1:], rtol=1e-6)


def _corrected(name: str, pressure: float, sigma: float, rise: float) -> float:
    """By how much a correction raises the pressure of a volume, MPa."""
    sim, last = _volume(name, pressure)
    head = sim.plan.head[0]
    n, at, i = int(head["states"]), int(head["at_p"]), 2 * int(head["free"]) + last
    cov, dx = np.zeros((n, n)), np.zeros(n)
    cov[i, i], dx[i] = sigma**2, rise
    p = sim.state[at : at + int(head["volumes"])]
    _correct(sim.plan, p, dx, cov, sim.workspace)
    return float(p[last] - pressure) / 1e6


@numba.njit(error_model="numpy")  # not cached: a cache of test kernels outlives renamed types
def _correct(plan: Plan, p: Array, dx: Array, cov: Array, ws: Workspace) -> None:
    correct_pressures(plan, p, dx, 1.0, cov, ws)


def test_friction_around_rest_damps_as_a_damper_of_its_chord_would() -> None:
    """Slopes of a crane whose slewing bearing has a viscous drag of the chord's slope instead."""
    sim = Simulation(registry.get("loader-crane").build(), 1e-3)
    plan, n, sigma = sim.plan, int(sim.plan.head[0]["states"]), 0.009
    free, bearing = int(plan.head[0]["free"]), plan.frictions[int(plan.head[0]["cylinders"])]
    law = [float(bearing[name]) for name in ("coulomb", "static", "stribeck", "viscous")]
    cov, found, expected = np.zeros((n, n)), np.zeros((n, n + 1)), np.zeros((n, n + 1))
    cov[free, free] = sigma**2
    jacobian_at(plan, np.zeros(0, dtype=BIAS), sim.state, sim.workspace, found)
    tangent = found.copy()
    chord_friction(plan, sim.state[int(plan.head[0]["at_v"]) :], cov, found, sim.workspace)
    frictions = plan.frictions.copy()
    damper = frictions[int(plan.head[0]["cylinders"])]
    damper["viscous"] = brown_mcphee(sigma, *law)[0] / sigma
    damper["coulomb"] = damper["static"] = 0.0
    frictions.flags.writeable = False
    plan = plan._replace(frictions=frictions)
    jacobian_at(plan, np.zeros(0, dtype=BIAS), sim.state, sim.workspace, expected)
    assert found[free, free] > 1.5 * tangent[free, free]  # both negative: it stops more slowly
    np.testing.assert_allclose(found[:, :n], expected[:, :n], rtol=2e-3, atol=1e-3)


def _held(fallen: float) -> float:
    """Root of the mean square of max(x - fallen, 0), x normal."""
    square = integrate.quad(lambda x: (x - fallen) ** 2 * stats.norm.pdf(x), fallen, 12.0)[0]
    return float(np.sqrt(square))


@pytest.mark.parametrize("fallen", [0.5, 1.0, 1.5, 2.0])
def test_who_has_not_fallen_onto_the_valve_yet_is_not_forgotten(fallen: float) -> None:
    """The standard deviation about the valve covers a normal pressure that falls onto it, within a factor."""
    steps = 1000
    sigma, reach = 1.0, np.sqrt(2.0)
    for _ in range(steps):
        part = fallen / steps / sigma
        sigma, reach = sigma / (1.0 + part / reach), reach_after(reach, part)
    assert _held(fallen) < sigma < 2.5 * _held(fallen)


def test_a_reading_that_tells_all_tells_the_tail_too() -> None:
    """Little told: the reach stays in Pa; all told: what is left is normal."""
    assert reach_after_readings(5.0, 1.0) == pytest.approx(5.0)
    assert reach_after_readings(5.0, 1e-9) == pytest.approx(np.sqrt(2.0))
    shares = np.linspace(0.01, 1.0, 50)
    told = [reach_after_readings(5.0, float(share)) * np.sqrt(share) for share in shares]
    assert np.all(np.diff(told) > 0.0)  # a better reading leaves a shorter tail


def test_a_pressure_held_by_a_steady_flow_is_as_uncertain_as_its_draws() -> None:
    """Noise against a fall of one per second, reflected: exponential, so √2 q/2 about the valve."""
    noise, dt, chance = 0.3, 1e-4, np.random.default_rng(5)
    drawn = np.zeros(4000)
    for _ in range(3000):
        drawn = np.maximum(drawn - dt + noise * np.sqrt(dt) * chance.normal(size=len(drawn)), 0.0)
    variance = 1e-4
    for _ in range(3000):
        variance += dt * (noise**2 - 2.0 * np.sqrt(variance) / reach_after(1.0, 0.0))
    assert np.sqrt(variance) == pytest.approx(np.sqrt(np.mean(drawn**2)), rel=0.1)
