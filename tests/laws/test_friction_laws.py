"""What every law of seal friction keeps: no energy from nothing, derivatives that are true."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simcore import registry
from simcore.friction.bengisu_akay import bengisu_akay
from simcore.friction.efficiency import passive_efficiency, printed_efficiency
from simcore.friction.lugre import film_rate, micro_damping, slip
from simcore.model.plan import LUGRE, MODIFIED_LUGRE
from simcore.run.case_run import run
from simcore.run.simulation import Simulation

CASE = registry.get("four-bar-b")
force = st.floats(0, 1e5)
speed = st.floats(-10, 10)
LAWS = ("bengisu-akay", "brown-mcphee", "lugre", "modified-lugre")
PUBLISHED = {"bengisu-akay": 121.02, "brown-mcphee": 120.99, "lugre": 120.94, "modified-lugre": 120.97}  # J


@settings(deadline=None)
@given(
    v=speed,
    coulomb=force,
    extra=force,
    stribeck=st.floats(1e-4, 1),
    viscous=st.floats(0, 1e4),
    shape=st.floats(0, 1e3),
)
def test_bengisu_akay_never_creates_energy(
    v: float, coulomb: float, extra: float, stribeck: float, viscous: float, shape: float
) -> None:
    friction, _ = bengisu_akay(v, coulomb, coulomb + extra, stribeck, viscous, shape)
    assert friction * v >= 0.0
    assert bengisu_akay(-v, coulomb, coulomb + extra, stribeck, viscous, shape)[0] == -friction


@settings(deadline=None)
@given(v=speed, load=st.floats(-1e6, 1e6), loss=st.floats(0, 1), turn=st.floats(1e-4, 1))
def test_the_passive_efficiency_form_never_creates_energy(
    v: float, load: float, loss: float, turn: float
) -> None:
    assert passive_efficiency(v, load, loss, turn)[0] * v >= 0.0


def test_the_printed_efficiency_form_creates_energy_under_a_pulling_load() -> None:
    friction, _, _ = printed_efficiency(0.1, -1e4, 0.12)
    assert friction * 0.1 < 0.0


@settings(deadline=None)
@given(v=st.floats(-0.2, 0.2), load=st.floats(-1e5, 1e5))
def test_static_laws_have_the_slopes_they_say(v: float, load: float) -> None:
    h = 1e-7
    if abs(abs(v) - 0.0125) > 2 * h and abs(v) > 2 * h:
        high, low = (bengisu_akay(v + d, 210.0, 830.0, 0.0125, 330.0, 50.0)[0] for d in (h, -h))
        slope = bengisu_akay(v, 210.0, 830.0, 0.0125, 330.0, 50.0)[1]
        assert slope == pytest.approx((high - low) / (2 * h), rel=1e-4, abs=0.5)
    high, low = (passive_efficiency(v + d, load, 0.12, 0.0125)[0] for d in (h, -h))
    assert passive_efficiency(v, load, 0.12, 0.0125)[1] == pytest.approx(
        (high - low) / (2 * h), rel=1e-4, abs=1
    )


def _bristle_work(law: int, bent: float, speeds: list[float], damping: float, limited: bool = True) -> float:
    """Energy a seal takes over a velocity history less what its bristles gain, J; bent: at the start."""
    coulomb, static, stribeck, exponent, stiffness, viscous = 210.0, 830.0, 0.0125, 0.5, 7.348e6, 0.0
    q = bent * static / stiffness
    film, taken = 0.0, 0.5 * stiffness * q * q
    for v in speeds:
        for _ in range(40):
            ratio, _, _ = slip(v, film, coulomb, static, stribeck, exponent)
            # the bristle equation is linear at a fixed speed: step it exactly
            pace, dt = stiffness * ratio, 2e-5
            steady = v / pace if pace > 0 else q
            end = steady + (q - steady) * np.exp(-pace * dt)
            sigma = micro_damping(damping, ratio) if limited else damping
            taken += stiffness * v * (steady * dt + (q - steady) * -np.expm1(-pace * dt) / max(pace, 1e-12))
            taken += sigma * v * (end - q) + viscous * v * v * dt
            q = end
            if law == MODIFIED_LUGRE:
                film += dt * film_rate(v, film, coulomb, static, 0.7, 0.25, 1.5, 40.0)[0]
    return float(taken - 0.5 * stiffness * q * q)


velocities = st.lists(
    st.floats(1e-6, 2.0).flatmap(lambda v: st.sampled_from([v, -v])), min_size=1, max_size=8
)


@settings(max_examples=60, deadline=None)
@given(
    bent=st.floats(-1, 1),
    speeds=velocities,
    damping=st.floats(0, 1e6),
    law=st.sampled_from([LUGRE, MODIFIED_LUGRE]),
)
@example(bent=1.0, speeds=[2.0], damping=1e6, law=LUGRE)
def test_bristles_never_give_more_than_they_took(
    bent: float, speeds: list[float], damping: float, law: int
) -> None:
    assert _bristle_work(law, bent, speeds, damping) >= -1e-9


def test_a_constant_bristle_damping_would_give_energy() -> None:
    assert _bristle_work(LUGRE, 1.0, [2.0], 1e6, limited=False) < -1.0


@pytest.fixture(scope="module")
def energies() -> dict[str, dict[str, float]]:
    return {law: run(CASE, {"friction": law})["energy"] for law in LAWS}


@pytest.mark.parametrize("law", LAWS)
def test_the_rig_does_the_published_work_with_every_law(law: str, energies: dict) -> None:
    assert energies[law]["work_max_abs_J"] == pytest.approx(PUBLISHED[law], abs=0.3)
    assert energies[law]["drift_max_J"] <= 0.004 * energies[law]["work_max_abs_J"]


def test_the_laws_rank_as_published(energies: dict) -> None:
    ranked = sorted(LAWS, key=lambda law: energies[law]["work_max_abs_J"], reverse=True)
    assert ranked == ["bengisu-akay", "brown-mcphee", "modified-lugre", "lugre"]


@pytest.mark.parametrize("law", ["lugre", "modified-lugre"])
def test_fast_and_reference_tangents_agree_on_the_states_of_seals(law: str) -> None:
    ends = []
    for integrator in ("trapezoidal", "trapezoidal-reference"):
        sim = Simulation(CASE.build(friction=law, spool="euler"), integrator=integrator)
        sim.advance(400, {"valve.command": 10.0})
        sim.advance(200, {"valve.command": -5.0})
        ends.append(sim.state.copy())
    head = sim.plan.head[0]
    first = int(head["at_p"] + head["volumes"])
    inner = slice(first, first + int(head["inner"]))
    assert ends[0][: int(head["coords"])] == pytest.approx(ends[1][: int(head["coords"])], abs=1e-6)
    assert ends[0][inner] == pytest.approx(ends[1][inner], abs=2e-7)


def test_the_explicit_integrator_follows_the_states_of_seals() -> None:
    ends = []
    for dt, integrator in ((2e-4, "trapezoidal"), (5e-5, "rk4")):
        sim = Simulation(CASE.build(friction="modified-lugre"), dt=dt, integrator=integrator)
        sim.advance(round(0.3 / dt), {"valve.command": 10.0})
        ends.append(sim.outputs())
    assert ends[0]["crank.angle"] == pytest.approx(ends[1]["crank.angle"], abs=5e-6)
    assert ends[0]["cylinder.force"] == pytest.approx(ends[1]["cylinder.force"], rel=1e-3)
