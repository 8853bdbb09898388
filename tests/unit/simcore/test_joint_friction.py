"""Friction in hinges and slides against equations of motion written out by hand and solved by scipy."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from spatial_machines import any_body, machine_of

from simcore.errors import BadMachine
from simcore.model.checks import check
from simcore.model.elements import (
    GROUND,
    BengisuAkay,
    BrownMcPhee,
    Efficiency,
    Friction,
    JointFriction,
    LuGre,
    Machine,
    ModifiedLuGre,
    Prismatic,
    Revolute,
    Spherical,
    Twist,
)
from simcore.model.quantity import Vector, assumed, place
from simcore.run.simulation import Simulation

INERTIA, TORQUE, PUSHED = 0.5, 3.0, 2.0  # kg m², N m, s
COULOMB, STATIC, STRIBECK, VISCOUS, SHAPE = 1.2, 2.0, 0.05, 0.4, 8.0  # N m, N m, rad/s, N m s/rad, s/rad
BRISTLE, MICRO, EXPONENT = 400.0, 2.0, 2.0  # N m/rad, N m s/rad, -

_STRIBECK = (assumed(COULOMB, "N m"), assumed(STATIC, "N m"), assumed(STRIBECK, "rad/s"))
BENGISU = BengisuAkay(*_STRIBECK, assumed(VISCOUS, "N m s/rad"), assumed(SHAPE, "s/rad"))
BROWN = BrownMcPhee(*_STRIBECK, assumed(VISCOUS, "N m s/rad"))
LUGRE = LuGre(
    *_STRIBECK,
    assumed(VISCOUS, "N m s/rad"),
    assumed(EXPONENT, "-"),
    assumed(BRISTLE, "N m/rad"),
    assumed(MICRO, "N m s/rad"),
)
FILM = ModifiedLuGre(LUGRE, assumed(1.0, "rad/s"), assumed(0.2, "s"), assumed(1.0, "s"), assumed(20.0, "s"))


def _machine(law: Friction, joint: Revolute | Prismatic | Spherical | None = None) -> Machine:
    hinge = Revolute(GROUND, place(0, 0, 0), (0.0, 0.0, 1.0), assumed(0.0, "rad"), assumed(0.0, "rad/s"))
    body = replace(
        any_body("wheel", joint or hinge, np.random.default_rng(0)),
        mass=assumed(1.0, "kg"),
        centre=place(0, 0, 0),
        inertia=Vector((INERTIA, INERTIA, INERTIA), "kg m²", "assumed"),
    )
    links = [JointFriction("bearing", "wheel", law)]
    if joint is None:
        torque = Vector((0.0, 0.0, TORQUE), "N m", "assumed")
        links.append(Twist("motor", GROUND, "wheel", torque, GROUND))
    return machine_of([body], gravity=Vector((0.0, 0.0, 0.0), "m/s²", "assumed"), links=tuple(links))


def _brown(v: float) -> float:
    x = abs(v) / STRIBECK
    peak = (STATIC - COULOMB) * x / (0.25 * x * x + 0.75) ** 2
    return math.copysign(COULOMB * math.tanh(4 * x) + peak, v) + VISCOUS * v * math.tanh(4)


def _bengisu(v: float) -> float:
    x = abs(v)
    if x < STRIBECK:
        return math.copysign(STATIC - STATIC / STRIBECK**2 * (x - STRIBECK) ** 2, v)
    level = COULOMB + (STATIC - COULOMB) * math.exp(-SHAPE * (x - STRIBECK))
    return math.copysign(level, v) + VISCOUS * v


def _lugre(v: float, q: float) -> tuple[float, float]:
    g = COULOMB + (STATIC - COULOMB) * math.exp(-((abs(v) / STRIBECK) ** EXPONENT))
    dq = v - BRISTLE * abs(v) * q / g
    micro = MICRO / (1 + MICRO * abs(v) / (4 * g))
    return BRISTLE * q + micro * dq + VISCOUS * v, dq


def _solved(law: Friction) -> float:
    """Angle after a push, by an integrator of high order on equations of our own."""

    def rates(_: float, x: np.ndarray) -> list[float]:
        if law is LUGRE:
            friction, dq = _lugre(x[1], x[2])
            return [x[1], (TORQUE - friction) / INERTIA, dq]
        friction = _brown(x[1]) if law is BROWN else _bengisu(x[1])
        return [x[1], (TORQUE - friction) / INERTIA, 0.0]

    end = solve_ivp(rates, (0, PUSHED), [0.0, 0.0, 0.0], method="Radau", rtol=1e-10, atol=1e-12)
    return float(end.y[0, -1])


@pytest.mark.parametrize("law", [BROWN, BENGISU, LUGRE], ids=["brown-mcphee", "bengisu-akay", "lugre"])
@pytest.mark.parametrize(
    ("integrator", "formulation"),
    [("trapezoidal", "penalty"), ("trapezoidal", "double-step"), ("damped", "penalty"), ("rk4", "index1")],
)
def test_a_braked_wheel_turns_as_its_equation_says(law: Friction, integrator: str, formulation: str) -> None:
    sim = Simulation(_machine(law), dt=2e-4, integrator=integrator, formulation=formulation)
    sim.advance(round(PUSHED / sim.dt))
    assert sim.coordinates()[0] == pytest.approx(_solved(law), rel=2e-6)


@pytest.mark.parametrize("law", [BROWN, BENGISU, LUGRE, FILM])
def test_without_a_motor_friction_only_takes_energy(law: Friction) -> None:
    machine = _machine(law)
    spinning = replace(machine.bodies[0].joint, rate=assumed(3.0, "rad/s"))
    body = replace(machine.bodies[0], joint=spinning)
    sim = Simulation(replace(machine, bodies=(body,), links=machine.links[:1]), dt=1e-3)
    at = int(sim.plan.head[0]["at_v"])
    speeds = [3.0]
    for _ in range(150):
        sim.advance(20)
        speeds.append(abs(float(sim.state[at])))
    assert speeds[-1] < 1e-3 * speeds[0]
    stored = 0.5 * BRISTLE * (STATIC / BRISTLE) ** 2  # what bent bristles may give back, J
    for before, after in pairwise(speeds):
        assert 0.5 * INERTIA * (after**2 - before**2) <= stored


def test_an_efficiency_or_a_ball_is_refused_with_the_name() -> None:
    with pytest.raises(BadMachine, match=r"'bearing'.*efficiency"):
        check(_machine(Efficiency(assumed(0.9, "-"))))
    still = Vector((0.0, 0.0, 0.0), "rad", "assumed"), Vector((0.0, 0.0, 0.0), "rad/s", "assumed")
    ball = Spherical(GROUND, place(0, 0, 0), *still)
    with pytest.raises(BadMachine, match=r"'bearing'.*3 coordinates"):
        check(_machine(BROWN, ball))


@pytest.mark.parametrize("law", [BROWN, LUGRE])
def test_the_books_name_what_the_bearing_takes(law: Friction) -> None:
    energy = Simulation(_machine(law), dt=1e-3).run(PUSHED).energy
    links, wheel = energy["elements"]["links"], energy["elements"]["bodies"]["wheel"]
    assert links["motor"]["given_J"] == pytest.approx(
        wheel["stored_J"] + links["bearing"]["lost_J"], rel=1e-5
    )
    assert links["bearing"]["lost_J"] > 0
