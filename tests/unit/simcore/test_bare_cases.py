"""The chain and the free four-bar against independent derivations, and their runs on the command line."""

import json
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from simcore import registry
from simcore.cli.main import main
from simcore.run.case_run import run
from simcore.run.simulation import Simulation

CHAIN, FOUR_BAR = registry.get("chain"), registry.get("four-bar-free")


def _double_pendulum(t_end: float) -> np.ndarray:
    """Two slender bars from Lagrange's equations in absolute angles."""
    m, length, g = 1.0, 0.5, 9.81

    def rate(_: float, y: np.ndarray) -> list[float]:
        p, q, dp, dq = y
        c, s = math.cos(p - q), math.sin(p - q)
        mass = m * length**2 * np.array([[4 / 3, c / 2], [c / 2, 1 / 3]])
        force = np.array(
            [
                -m * length**2 / 2 * s * dq**2 - 1.5 * m * g * length * math.cos(p),
                m * length**2 / 2 * s * dp**2 - 0.5 * m * g * length * math.cos(q),
            ]
        )
        return [dp, dq, *np.linalg.solve(mass, force)]

    answer = solve_ivp(rate, (0, t_end), [0.0] * 4, rtol=1e-11, atol=1e-12)
    return np.array([answer.y[0, -1], answer.y[1, -1] - answer.y[0, -1]])


def test_two_links_move_as_a_double_pendulum() -> None:
    machine = CHAIN.build(n=2)
    sim = Simulation(machine, dt=1e-3, integrator="rk4")
    sim.advance(500)
    assert np.allclose(sim.coordinates(), _double_pendulum(0.5), atol=1e-7)
    sim = Simulation(machine, dt=5e-4)
    sim.advance(1000)
    assert np.allclose(sim.coordinates(), _double_pendulum(0.5), atol=2e-4)


@pytest.mark.parametrize("spatial", [0, 1])
def test_the_error_of_the_tip_is_of_second_order(spatial: int) -> None:
    errors = [
        run(CHAIN, {"n": 4, "spatial": spatial}, dt=dt, t_end=0.4)["error"]["tip_m"] for dt in (2e-3, 1e-3)
    ]
    assert errors[1] < 2e-4
    assert 3.0 < errors[0] / errors[1] < 5.0


def test_the_free_four_bar_shows_its_error_beside_its_gap() -> None:
    results = {
        way: run(FOUR_BAR, {}, formulation=way[0], integrator=way[1])
        for way in (("penalty", "trapezoidal"), ("double-step", "trapezoidal"), ("double-step", "rk4"))
    }
    for (formulation, integrator), result in results.items():
        assert result["options"]["formulation"] == formulation
        assert result["error"]["crank_rad"] < (1e-9 if integrator == "rk4" else 5e-5)
        assert result["energy"]["drift_max_J"] < 1e-3
        assert result["constraint"]["position_max"] < 1e-10
    ends = [result["final"]["z_deg"][0] for result in results.values()]
    assert abs(ends[0] - ends[2]) < abs(ends[1] - ends[2]) < 3e-3  # degrees; the penalty errs less


def test_bare_cases_run_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "chain", "--set", "n=3", "--t-end", "0.02", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["error"]["against"] == "double-step, rk4, 20 us"
    assert len(result["final"]["z_deg"]) == 3
    assert "cylinder_length_m" not in result["final"]
    arguments = ["run", "four-bar-free", "--t-end", "0.02", "--formulation", "index1", "--integrator", "rk4"]
    assert main(arguments) == 0
    assert "20 steps of 0.001 s, index1, rk4" in capsys.readouterr().out
    assert main(["run", "four-bar-free", "--formulation", "index1"]) == 2
    assert (
        "index1 cannot be used with integrator trapezoidal; use one of these integrators: rk4"
        in capsys.readouterr().err
    )
    assert main(["run", "chain", "--set", "n=2.5"]) == 2
    assert "whole number" in capsys.readouterr().err
