"""Inclination and spin of a body, against plain trigonometry and the description's own geometry."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simcore import registry
from simcore.errors import BadMachine
from simcore.model import check
from simcore.model.elements import Fixed, Machine, Output
from simcore.model.geometry import poses, turned
from simcore.model.quantity import Vector, assumed, place
from simcore.run.simulation import Simulation


def _watched(machine: Machine) -> Machine:
    """The machine with the inclination of every body, and the spin of every hinged one."""
    level = [Output(f"{b.name}.level", "", "inclination", b.name, "model") for b in machine.bodies]
    hinged = [b for b in machine.bodies if hasattr(b.joint, "axis")]
    spin = [Output(f"{b.name}.spin", "", "spin", b.name, "model") for b in hinged]
    return replace(machine, outputs=(*machine.outputs, *level, *spin))


def _elevation(machine: Machine, z: np.ndarray, body: str) -> float:
    """Height gained along a metre of the body's x axis."""
    turn, _ = poses(machine, z)[body]
    up = -np.asarray(machine.gravity.xyz) / np.linalg.norm(machine.gravity.xyz)
    return math.asin(up @ turn[:, 0])


def test_links_of_a_plane_chain_stand_at_the_sum_of_their_angles() -> None:
    sim = Simulation(_watched(registry.get("chain").build(n=4)), dt=1e-3)
    sim.advance(900)
    seen = sim.outputs()
    absolute = np.cumsum([seen[f"link{i}.angle"] for i in range(1, 5)])
    turned_over = 0
    for i, angle in enumerate(absolute, start=1):
        # past the vertical the reading comes back: the sensor only knows where the ground is
        assert seen[f"link{i}.level"] == pytest.approx(math.asin(math.sin(angle)), abs=1e-7)
        turned_over += abs(angle) > math.pi / 2
    assert turned_over >= 1


def test_spin_against_the_ground_sums_the_rates_of_a_plane_chain() -> None:
    sim = Simulation(_watched(registry.get("chain").build(n=4)), dt=1e-3)
    sim.advance(500)
    rates = np.cumsum(sim.state[sim.plan.head[0]["at_v"] :][:4])
    assert abs(rates[3]) > 0.5
    assert [sim.outputs()[f"link{i}.spin"] for i in range(1, 5)] == pytest.approx(rates, rel=1e-12)


def test_links_of_a_spatial_chain_follow_the_description() -> None:
    machine = _watched(registry.get("chain").build(n=3, spatial=1.0))
    tilted = replace(machine, gravity=Vector((2.0, -9.0, 3.0), "m/s²", "assumed"))
    sim = Simulation(tilted, dt=1e-3)
    sim.advance(150)
    for body in tilted.bodies:
        expected = _elevation(tilted, sim.coordinates(), body.name)
        assert sim.outputs()[f"{body.name}.level"] == pytest.approx(expected, abs=1e-12)


def test_the_coupler_of_the_four_bar_stands_at_the_sum_of_two_angles() -> None:
    sim = Simulation(_watched(registry.get("four-bar-b").build()), dt=1e-3)
    sim.advance(1500, {"valve.command": 8.0})
    seen = sim.outputs()
    assert abs(seen["crank.rate"]) > 1e-3
    assert seen["crank.level"] == pytest.approx(seen["crank.angle"], abs=1e-12)
    assert seen["coupler.level"] == pytest.approx(seen["crank.angle"] + seen["coupler.angle"], abs=1e-12)
    assert seen["crank.spin"] == pytest.approx(seen["crank.rate"], rel=1e-12)
    # the rocker's x axis points from the coupler's end down to its bearing at (10, 0)
    tip = 2 * np.exp(1j * seen["crank.angle"]) + 8 * np.exp(1j * seen["coupler.level"])
    assert seen["rocker.level"] == pytest.approx(-math.asin(tip.imag / 5), abs=1e-6)


def test_a_body_welded_at_an_angle_shows_that_angle() -> None:
    machine = registry.get("chain").build(n=1)
    tilt = Vector((0.1, 0.2, 0.5), "rad", "assumed")
    plate = replace(machine.bodies[0], name="plate", joint=Fixed("link1", place(0.2, 0, 0), tilt))
    sim = Simulation(_watched(replace(machine, bodies=(*machine.bodies, plate))), dt=1e-3)
    assert sim.outputs()["plate.level"] == pytest.approx(math.asin(turned(np.array(tilt.xyz))[1, 0]))


def test_near_the_vertical_the_angle_keeps_its_digits() -> None:
    machine = registry.get("chain").build(n=1)
    almost = assumed(math.pi / 2 - 1e-9, "rad")
    body = replace(machine.bodies[0], joint=replace(machine.bodies[0].joint, start=almost))
    sim = Simulation(_watched(replace(machine, bodies=(body,))), dt=1e-3)
    assert math.pi / 2 - sim.outputs()["link1.level"] == pytest.approx(1e-9, rel=1e-5)


def test_an_inclination_without_gravity_or_body_is_refused() -> None:
    machine = _watched(registry.get("chain").build(n=2))
    weightless = replace(machine, gravity=Vector((0.0, 0.0, 0.0), "m/s²", "assumed"))
    with pytest.raises(BadMachine, match=r"'link1\.level': an inclination or height needs gravity"):
        check(weightless)
    for name in ("ground", "link9"):
        lost = Output("x", "", "inclination", name, "model")
        with pytest.raises(BadMachine, match=f"'x' refers to '{name}', which does not exist"):
            check(replace(machine, outputs=(lost,)))
