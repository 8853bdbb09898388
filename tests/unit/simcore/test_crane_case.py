"""The crane against closed-form statics and against Lagrange's equations of two freedoms in scipy."""

import math
from itertools import pairwise

import numpy as np
import pytest
from driven import driven, pushed
from one_freedom import Array, orifice
from scipy.integrate import solve_ivp

from simcore import registry
from simcore.errors import BadParameter
from simcore.model.case import Parameter, adapted
from simcore.run.case_run import run
from simcore.run.simulation import Simulation

CASE = registry.get("crane")
G = 9.81
AREA_A, AREA_B = math.pi * 0.08**2 / 4, math.pi * (0.08**2 - 0.035**2) / 4
DRIVE = [(0.0, 0.0), (0.05, 10.0), (0.5, 0.0)]
TANK, OPENS, PUMP_FLOW = 1e5, 7.6e6, 2.5e-4


def _length(boom: float) -> float:
    """Cosine rule: 0.5 m along the boom, √3/2 m along the ground."""
    return math.sqrt(1 - math.sqrt(0.75) * math.cos(boom))


def _lever(boom: float) -> float:
    return math.sqrt(0.75) * math.sin(boom) / (2 * _length(boom))


def _static(boom: float, load: float) -> float:
    """Moment of all weights about the boom's bearing over the cylinder's lever."""
    return G * (200 / 2 + 250 + load) * math.cos(boom) / _lever(boom)


def _relief(p: float) -> float:
    """Opens along 3x² - 2x³ over 0.5 MPa to a coefficient of twice the pump's flow."""
    x = min(max((p - OPENS) / 5e5, 0.0), 1.0)
    drop = p - TANK
    return x * x * (3 - 2 * x) * 2 * PUMP_FLOW / math.sqrt(OPENS) * drop / (drop**2 + 2e5**2) ** 0.25


def _rates(_t: float, x: Array, command: float, load: float) -> list[float]:
    """Boom and hanger angle (both absolute), their rates, hose, piston, rod and pump pressure, spool."""
    boom, hang, v_boom, v_hang, hose, piston, rod, pump, u = x
    speed = _lever(boom) * v_boom
    chamber = 0.05 + _length(boom) - 0.5
    force = piston * AREA_A - rod * AREA_B
    force -= abs(force) * 0.12 * math.tanh(speed / 0.0125)
    between = load * 0.5 * math.cos(boom - hang)
    twist = load * 0.5 * math.sin(boom - hang)
    mass = [[200 / 3 + 250 + load, between], [between, load * 0.25]]
    weights = G * (100 + 250 + load) * math.cos(boom), G * load * 0.5 * math.cos(hang)
    torque = [force * _lever(boom) - twist * v_hang**2 - weights[0], twist * v_boom**2 - weights[1]]
    edge = 1.069e-8 * abs(u)
    drawn = orifice(pump - (hose if u > 0 else rod), edge)
    back = orifice((rod if u > 0 else hose) - TANK, edge)
    into_hose, into_rod = (drawn, -back) if u > 0 else (-back, drawn)
    through = orifice(hose - piston, 0.8 * 2.83e-5 * math.sqrt(2 / 850))
    soft, wall = 1 / 1.5e9 + 1 / 1.5e8, 1 / 1.5e9 + 1 / 3.15e10
    return [
        v_boom,
        v_hang,
        *np.linalg.solve(mass, torque),
        (into_hose - through) / (4.71e-5 * soft),
        (through - AREA_A * speed) / (3.14e-5 * soft + AREA_A * chamber * wall),
        (into_rod + AREA_B * speed) / (7.85e-5 * soft + AREA_B * (0.3 - chamber) * wall),
        (PUMP_FLOW - _relief(pump) - drawn) / (5e-4 * soft),
        (command - u) * 70 * math.pi,
    ]


def _exact(load: float, until: float) -> Array:
    p_a = (_static(math.pi / 6, load) + 3.5e6 * AREA_B) / AREA_A
    x = np.array([math.pi / 6, 1.5 * math.pi, 0, 0, p_a, p_a, 3.5e6, OPENS, 0.0])
    for (begin, command), (end, _) in pairwise([*DRIVE, (until, 0.0)]):
        scale = [1e-10] * 2 + [1e-9] * 2 + [1e-2] * 4 + [1e-9]
        answer = solve_ivp(
            _rates, (begin, end), x, method="Radau", args=(command, load), rtol=1e-9, atol=scale
        )
        x = answer.y[:, -1]
    return np.asarray(x)


@pytest.mark.parametrize("load", [100.0, 20.0, 400.0])
def test_the_start_pressure_weighs_the_load(load: float) -> None:
    out = Simulation(CASE.build(hook_load=load)).outputs()
    assert out["cylinder.force"] == pytest.approx(2 * G * (100 + 250 + load), rel=1e-8)
    assert out["cylinder.p_A"] == pytest.approx((2 * G * (350 + load) + 3.5e6 * AREA_B) / AREA_A, rel=1e-8)
    assert out["cylinder.length"] == pytest.approx(0.5, abs=1e-12)


def test_nothing_moves_before_the_valve_opens() -> None:
    sim = Simulation(CASE.build())
    sim.advance(900, {"valve.command": 0.0})
    out = sim.outputs()
    assert out["boom.angle"] == pytest.approx(math.pi / 6, abs=1e-9)
    assert out["hanger.angle"] == pytest.approx(math.radians(240), abs=1e-8)
    assert _relief(out["pump.p"]) == pytest.approx(PUMP_FLOW, rel=1e-6)  # all of it over the relief valve


@pytest.mark.parametrize("load", [100.0, 300.0])
def test_boom_and_load_move_as_scipy_has_them(load: float) -> None:
    exact = _exact(load, 0.8)
    machine = CASE.build(hook_load=load)
    out = pushed(Simulation(machine, dt=5e-5, integrator="rk4"), DRIVE, 0.8).outputs()
    assert out["boom.angle"] == pytest.approx(exact[0], abs=1e-8)
    assert out["boom.angle"] + out["hanger.angle"] == pytest.approx(exact[1], abs=1e-7)
    found = [out[name] for name in ("hose.p", "cylinder.p_A", "cylinder.p_B", "pump.p")]
    assert found == pytest.approx(exact[4:8], abs=20.0)
    coarse = pushed(Simulation(machine, dt=1e-3), DRIVE, 0.8).outputs()
    assert coarse["boom.angle"] == pytest.approx(exact[0], abs=5e-5)


def test_the_drive_lifts_and_lowers_within_the_stroke_and_books_all_energy() -> None:
    result = run(CASE, {})
    energy, (low, high) = result["energy"], result["extremes"]["cylinder_length_m"]
    assert 0.458 < low < 0.51 < 0.6 < high < 0.742  # free of the end dampers
    assert energy["drift_max_J"] <= 0.001 * energy["work_max_abs_J"]
    assert abs(result["energy"]["oil_left_over_J"]) < 1e-6
    assert min(least for least, _ in result["extremes"]["pressure_Pa"]) > TANK


def test_a_boom_driven_down_comes_to_rest_on_its_end_damper() -> None:
    sim = Simulation(CASE.build(swing_damping=50.0))
    sim.advance(3000, {"valve.command": -10.0})
    sim.advance(12000, {"valve.command": 0.0})
    out = sim.outputs()
    assert out["cylinder.length"] < 0.458
    assert abs(out["boom.rate"]) < 1e-4
    assert out["cylinder.force"] == pytest.approx(_static(out["boom.angle"], 100.0), rel=1e-3)


def test_the_step_is_of_second_order() -> None:
    ends = [driven(CASE, {}, dt)[1][-1, 0] for dt in (2e-3, 1e-3, 2.5e-4)]
    errors = np.abs(np.array(ends[:2]) - ends[2])
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.3)


def test_only_shared_parameters_can_be_adapted() -> None:
    shared = (Parameter("a", 1.0, "-", "printed", ""), Parameter("b", 2.0, "-", "printed", ""))
    own = Parameter("b", 3.0, "-", "assumed", "")
    assert adapted(shared, own) == (shared[0], own)
    with pytest.raises(BadParameter, match="no shared parameter of this name to replace: c"):
        adapted(shared, Parameter("c", 3.0, "-", "assumed", ""))
