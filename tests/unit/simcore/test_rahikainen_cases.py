"""The parallelogram against its publications: iterations, energy, failures, a hose left out."""

import math
from itertools import pairwise

import numpy as np
import pytest
from driven import driven

from simcore import registry
from simcore.errors import BadMachine, Diverged
from simcore.model.case import Case
from simcore.model.compiler import compile
from simcore.model.geometry import static_force
from simcore.model.reduction import without_volume
from simcore.run.case_run import run

A, B = registry.get("rahikainen-a"), registry.get("rahikainen-b")
REDUCED = {"hydraulics": "singular-perturbation"}
REFERENCE = "trapezoidal-reference"


def test_the_start_is_the_published_equilibrium() -> None:
    machine = A.build()
    assert static_force(machine) == pytest.approx(
        math.sqrt(3) / 2 * 9.81 * (50 + 2 * 50 + 2.5 * 250), rel=1e-9
    )
    assert float(machine.volumes[1].start) == pytest.approx(4.14e6, abs=5e3)


@pytest.mark.parametrize(
    ("ms", "mean", "most"),
    [(0.5, 1.63, 4), (1, 1.78, 3), (2, 1.85, 4), (3, 1.90, 4), (4, 2.03, 6), (5, 2.37, 17)],
)
def test_case_a_takes_the_published_iterations(ms: float, mean: float, most: int) -> None:
    newton = driven(A, {}, ms * 1e-3, REFERENCE)[0].newton()
    assert newton["mean"] == pytest.approx(mean, abs=0.02)
    assert newton["max"] == pytest.approx(most, abs=1)


@pytest.mark.parametrize(("ms", "joule"), [(8, 9.6), (4, 6.1)])
def test_case_a_drifts_by_the_published_energy(ms: float, joule: float) -> None:
    energy = run(A, {}, dt=ms * 1e-3, integrator=REFERENCE)["energy"]
    assert energy["drift_max_J"] == pytest.approx(joule, abs=0.1)


@pytest.mark.parametrize(
    ("ms", "mean", "most"),
    [(0.5, 1.62, 4), (1, 1.76, 4), (2, 1.81, 3), (3, 1.83, 4), (5, 1.85, 3), (8, 1.90, 4)],
)
def test_case_b_without_the_hose_takes_the_published_iterations(ms: float, mean: float, most: int) -> None:
    newton = driven(B, REDUCED, ms * 1e-3, REFERENCE)[0].newton()
    assert newton["mean"] == pytest.approx(mean, abs=0.02)
    assert newton["max"] == pytest.approx(most, abs=1)


@pytest.mark.parametrize(("ms", "mean", "most"), [(0.5, 1.76, 4), (1, 2.26, 4), (2, 2.52, 4)])
def test_case_b_with_the_hose_takes_the_published_iterations(ms: float, mean: float, most: int) -> None:
    newton = driven(B, {}, ms * 1e-3, REFERENCE)[0].newton()
    assert newton["mean"] == pytest.approx(mean, abs=0.02)
    assert newton["max"] == pytest.approx(most, abs=1)


def test_case_b_with_the_hose_fails_at_3_ms_as_published() -> None:
    with pytest.raises(Diverged, match="pressure of 'hose'") as caught:
        driven(B, {}, 3e-3, REFERENCE)
    assert caught.value.time == pytest.approx(2.81, abs=0.01)


@pytest.mark.parametrize(("case", "overrides"), [(A, {}), (B, REDUCED), (B, {})])
@pytest.mark.parametrize("ms", [1, 2])
def test_the_tangent_changes_nothing_but_speed(case: Case, overrides: dict, ms: float) -> None:
    fast, reference = (
        driven(case, overrides | {"spool": "euler"}, ms * 1e-3, integrator, every=0.02)[1]
        for integrator in ("trapezoidal", REFERENCE)
    )
    shares = np.max(np.abs(fast - reference), axis=0) / np.ptp(reference, axis=0)
    assert np.max(shares[:3]) < 1e-6
    assert np.max(shares[3:]) < 1e-4


def test_fast_mode_converges_with_second_order_to_a_10_us_run() -> None:
    def angles(dt: float) -> np.ndarray:
        return driven(A, {}, dt, every=0.1)[1][:, 0]

    exact = angles(1e-5)
    errors = [float(np.max(np.abs(angles(ms * 1e-3) - exact))) for ms in (4, 2, 1, 0.5)]
    assert all(1.7 < math.log2(a / b) < 2.4 for a, b in pairwise(errors)), errors


def test_orifices_in_series_need_no_factor() -> None:
    lumped = run(B, {}, dt=2e-3)["energy"]["potential_rise_J"]
    series = run(B, REDUCED | {"correction": "series"}, dt=2e-3)["energy"]["potential_rise_J"]
    plain = run(B, REDUCED | {"factor_up": 1.0, "factor_down": 1.0}, dt=2e-3)["energy"]["potential_rise_J"]
    assert series == pytest.approx(lumped, rel=0.005)
    assert abs(plain / lumped - 1) > 0.05


def test_a_volume_that_is_no_link_cannot_be_left_out() -> None:
    machine = A.build()
    with pytest.raises(BadMachine, match="'rod chamber' cannot be left out"):
        without_volume(machine, "rod chamber", None)
    with pytest.raises(BadMachine, match="'pipe' does not exist; known: hose"):
        without_volume(machine, "pipe", None)
    assert int(compile(without_volume(machine, "hose", None)).head[0]["volumes"]) == 2
