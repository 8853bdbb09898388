"""The long boom of the first publication: statics and energy."""

import math

import pytest

from simcore import cases
from simcore.model.geometry import static_force
from simcore.run import run
from simcore.simulation import Simulation

CASE = cases.get("four-bar-a")


def test_the_static_force_is_the_published_formula() -> None:
    assert static_force(CASE.build()) == pytest.approx(
        math.sqrt(2) * 9.81 * (3 * 225 + 2 * 35 + 50), rel=1e-9
    )
    assert Simulation(CASE.build()).outputs()["cylinder.force"] == pytest.approx(11029.38, abs=0.01)


@pytest.mark.parametrize("integrator", ["trapezoidal", "trapezoidal-reference"])
def test_energy_drifts_by_a_thousandth_of_the_work_at_most(integrator: str) -> None:
    result = run(CASE, {}, integrator=integrator)
    energy = result["energy"]
    assert energy["drift_max_J"] <= 0.001 * energy["work_max_abs_J"]
    assert result["constraint"]["position_max"] < 1e-9


def test_the_printed_table_does_not_give_the_printed_work() -> None:
    assert run(CASE, {})["energy"]["work_max_J"] == pytest.approx(1312, abs=15)  # printed: 982.95 J
