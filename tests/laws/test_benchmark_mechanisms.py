"""Mechanisms of the IFToMM benchmark library, with the formulation and step that a user gets by default.

References: pendulum and N four-bar from elliptic integrals and from index-1 equations in extended precision;
Andrews' squeezing mechanism from the test set for initial value problem solvers (Mazzia and Magherini 2008).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from simcore import Simulation, registry
from simcore.cases.bare import bar, mechanism
from simcore.errors import Diverged
from simcore.model.elements import GROUND, Body, CutRevolute, Machine, Mount, Revolute, Spring, Twist
from simcore.model.geometry import point, poses
from simcore.model.quantity import Vector, assumed, place
from simcore.run.case_run import simulate

Z = (0.0, 0.0, 1.0)
GRAVITY = assumed(9.81, "m/s²")


def hinge(parent: str, x: float, y: float, start: float, rate: float = 0.0) -> Revolute:
    return Revolute(parent, place(x, y, 0), Z, assumed(start, "rad"), assumed(rate, "rad/s"))


def lump(name: str, joint: Revolute, mass: float, inertia: float, x: float, y: float = 0.0) -> Body:
    return Body(
        name,
        joint,
        assumed(mass, "kg"),
        place(x, y, 0),
        Vector((0.0, inertia, inertia), "kg m²", "assumed"),
        (),
    )


def pendulum() -> Machine:
    """A point mass on a rod without mass, from rest at (-1, 0)."""
    return mechanism("pendulum", GRAVITY, (lump("rod", hinge(GROUND, 0, 0, math.pi), 1.0, 0.0, 1.0),))


def test_a_pendulum_is_where_the_elliptic_integral_says() -> None:
    sim = Simulation(pendulum(), dt=1e-3)
    sim.advance(10_000)
    angle = sim.coordinates()[0]
    tip = np.array([math.cos(angle), math.sin(angle)])
    assert tip == pytest.approx([-0.275087462576, -0.961419205099], abs=5e-5)


def four_bars(windows: int, rate: float = -1.0) -> Machine:
    """Squares in a row on the ground, of bars of 1 m and 1 kg; singular when all bars lie flat."""
    bodies = [bar(f"post{k}", hinge(GROUND, k, 0, math.pi / 2, rate), 1.0, assumed(1.0, "kg"))
              for k in range(windows + 1)]  # fmt: skip
    bodies += [bar(f"beam{k}", hinge(f"post{k}", 1.0, 0.0, -math.pi / 2, -rate), 1.0, assumed(1.0, "kg"))
               for k in range(windows)]  # fmt: skip
    loops = tuple(
        CutRevolute(
            f"corner{k}", Mount(f"beam{k}", place(1, 0, 0)), Mount(f"post{k + 1}", place(1, 0, 0)), Z, Z
        )
        for k in range(windows)
    )
    return mechanism("four bars", GRAVITY, tuple(bodies), loops, ("post0",))


def test_four_bars_pass_their_singular_position() -> None:
    sim = Simulation(four_bars(2), dt=1e-3)
    sim.advance(10_000)
    where = poses(sim.machine, sim.coordinates())
    tip = point(where, Mount("post0", place(1, 0, 0)))
    assert tip[:2] == pytest.approx([0.328458111533, 0.944518538181], abs=5e-5)


def test_a_singular_position_that_cannot_be_passed_is_refused_by_name() -> None:
    sim = Simulation(four_bars(40), dt=1e-3, integrator="damped")
    with pytest.raises(Diverged, match="singular position"):
        sim.advance(10_000)


A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
D, DA, E_, EA, RR, RA, SS, SA, SB, SC, SD = (
    0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02,
)  # fmt: skip
ZT, ZF, FA, TA, TB, U, UA, UB = 0.04, 0.02, 0.01421, 0.02308, 0.00916, 0.04, 0.01228, 0.00449
START = (
    -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
    -0.222668390165885885, 1.23054744454982119,
)  # fmt: skip
END = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
    0.5347301163226948, 1.048080741042263,
)  # fmt: skip


def squeezer() -> Machine:
    """Seven bodies of some grams, three loops through one point; a motor turns the crank. No gravity."""
    beta, theta, gamma, phi, delta, omega, epsilon = START
    bodies = (
        lump("crank", hinge(GROUND, 0, 0, beta), 0.04325, 2.194e-6, RA),
        lump("rod", hinge("crank", RR, 0, theta), 0.00365, 4.410e-7, -DA),
        lump("plate", hinge(GROUND, *B, gamma), 0.02373, 5.255e-6, SA, SB),
        lump("link5", hinge(GROUND, *A, delta), 0.07050, 1.169e-5, TA, TB),
        lump("link4", hinge("link5", ZT, 0, phi), 0.00706, 5.667e-7, 0.0, EA - E_),
        lump("link7", hinge(GROUND, *A, epsilon), 0.05498, 1.912e-5, UA, UB),
        lump("link6", hinge("link7", 0, -U, omega), 0.00706, 5.667e-7, ZF - FA),
    )
    knot = Mount("rod", place(-D, 0, 0))
    loops = tuple(
        CutRevolute(f"knot {name}", knot, Mount(name, place(x, y, 0)), Z, Z)
        for name, x, y in (("plate", 0.0, -SS), ("link4", 0.0, -E_), ("link6", ZF, 0.0))
    )
    machine = mechanism("squeezer", assumed(0.0, "m/s²"), bodies, loops, ("crank",))
    spring = Spring(
        "spring", Mount(GROUND, place(*C, 0)), Mount("plate", place(SD, -SC, 0)),
        assumed(4530.0, "N/m"), assumed(0.0, "N s/m"), assumed(0.07785, "m"),
    )  # fmt: skip
    motor = Twist("motor", GROUND, "crank", Vector((0.0, 0.0, 0.033), "N m", "assumed"), GROUND)
    return replace(machine, links=(spring, motor))


def _squeezed(dt: float) -> np.ndarray:
    sim = Simulation(squeezer(), dt=dt)
    sim.advance(round(0.03 / dt))
    crank, rod, plate, link5, link4, link7, link6 = sim.coordinates()
    return np.array([crank, rod, plate, link4, link5, link6, link7])


def test_the_squeezing_mechanism_reaches_the_end_of_the_test_set() -> None:
    """Second order: the error falls by four when the step is halved."""
    errors = [float(np.max(np.abs(_squeezed(dt) - END))) for dt in (2e-5, 1e-5, 5e-6)]
    assert errors[-1] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.2)


def test_a_run_says_that_it_is_not_accurate() -> None:
    """Steps far too long for the squeezing mechanism: energy drifts, and the run says so."""
    run = Simulation(squeezer(), dt=1e-3).run(0.03)
    assert "run.drift" in {warning.code for warning in run.warnings}
    assert not Simulation(squeezer(), dt=1e-5).run(0.01).warnings


def test_a_run_names_a_volume_that_the_step_cannot_follow() -> None:
    run = simulate(registry.get("rahikainen-b"), {})
    assert [w.values["part"] for w in run.warnings if w.code == "run.stiff"] == ["hose"]
    assert not simulate(registry.get("four-bar-b"), {}).warnings
