"""Ends of stroke: closed forms of one impact, energy books, and all lever combinations of whole machines."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from simcore import Simulation, registry
from simcore.model.elements import (
    GROUND,
    Body,
    Cylinder,
    EndDamper,
    Machine,
    Mount,
    PressureSource,
    Prismatic,
)
from simcore.model.quantity import Vector, assumed, place
from tests.unit.simcore.spatial_machines import machine_of

MASS, REACH, STIFFNESS = 400.0, 0.03, 2e6  # kg, m, N/m
LONGEST_S = 1.0


def sliding(speed: float, damping: float) -> Machine:
    """A mass on rails that runs with a rod into the closed end of its tube; nothing else acts on it."""
    slide = Prismatic(GROUND, place(0, 0, 0), (1.0, 0.0, 0.0), assumed(0.1, "m"), assumed(-speed, "m/s"))
    inertia = Vector((1.0, 1.0, 1.0), "kg m²", "assumed")
    body = Body("mass", slide, assumed(MASS, "kg"), place(0, 0, 0), inertia, ())
    cylinder = Cylinder(
        name="cylinder",
        base=Mount(GROUND, place(-1.0, 0, 0)),
        rod=Mount("mass", place(0, 0, 0)),
        chamber_a="air",
        chamber_b="air",
        bore=assumed(0.1, "m"),
        rod_diameter=assumed(0.05, "m"),
        tube_length=assumed(0.5, "m"),
        reference_length=assumed(1.0, "m"),
        chamber_a_at_reference=assumed(0.0, "m"),
        wall_bulk_modulus=assumed(3e10, "Pa"),
        friction=None,
        end_damper=EndDamper(assumed(REACH, "m"), assumed(STIFFNESS, "N/m"), assumed(damping, "N s/m")),
    )
    still = Vector((0.0, 0.0, 0.0), "m/s²", "assumed")
    air = PressureSource("air", assumed(1e-6, "Pa"))
    return replace(machine_of([body]), gravity=still, sources=(air,), cylinders=(cylinder,))


def impact(speed: float, damping: float, dt: float) -> tuple[float, float]:
    """Speed after the impact, m/s, and the least length of the chamber on the way, m."""
    sim = Simulation(sliding(speed, damping), dt=dt)
    least = math.inf
    for _ in range(round(LONGEST_S / dt)):
        sim.advance(1)
        here = sim.workspace.cylinders[0]
        least = min(least, float(here["chamber_a"]))
        if here["speed"] > 0.0 and here["chamber_a"] > REACH:
            return float(here["speed"]), least
    raise AssertionError("the mass did not come back")


@pytest.mark.parametrize("speed", [0.2, 1.0, 3.0])
def test_an_impact_gives_back_the_share_of_the_closed_form(speed: float) -> None:
    """m v dv = -f (1 + λ v) dd on the way in and m v dv = -f dd on the way out.

    Whatever the spring, the spring energy at the turn is m (v/λ - ln(1 + λ v)/λ²).
    """
    damping = 2e5
    a = damping / (STIFFNESS * REACH) * speed  # λ v
    expected = speed * math.sqrt(2.0 * (a - math.log1p(a))) / a
    back, _ = impact(speed, damping, 2e-5)
    assert back == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("speed", [0.5, 1.5, 3.0])
def test_a_piston_turns_where_the_spring_has_taken_its_energy(speed: float) -> None:
    """½ m v² = ½ k l² artanh x²: x is the depth over the length of the damper at the turn."""
    depth = REACH * math.sqrt(math.tanh(MASS * speed**2 / (STIFFNESS * REACH**2)))
    back, least = impact(speed, 0.0, 5e-6)
    assert least == pytest.approx(REACH - depth, rel=2e-2, abs=2e-6)
    assert back == pytest.approx(speed, rel=1e-3)


def levers(count: int, lowering: int) -> list[tuple[float, ...]]:
    """Full lever that lowers the boom, with every combination of the other functions."""
    found = []
    for others in itertools.product((-1.0, 0.0, 1.0), repeat=count - 1):
        found.append((*others[:lowering], -1.0, *others[lowering:]))
    return found


def without_ground(name: str) -> Machine:
    machine = registry.get(name).build()
    deep = tuple(
        replace(d, ground=replace(d.ground, at=replace(d.ground.at, xyz=(0.0, -50.0, 0.0))))
        for d in machine.digging
    )
    return replace(machine, digging=deep)


@pytest.mark.parametrize(("name", "boom"), [("excavator", "boom"), ("loader-crane", "lift")])
@pytest.mark.parametrize("dt", [1e-3, 2e-3, 4e-3])
def test_no_lever_combination_drives_a_piston_out_of_its_tube(name: str, boom: str, dt: float) -> None:
    """Lowering at full lever: from the start, from a raised boom, and after all levers the other way."""
    machine = without_ground(name)
    sim = Simulation(machine, dt=dt)
    begin = sim.state.copy()
    inputs = [c.name for c in sim.channels if c.role == "input"]
    limits = sim.plan.valves["limit"]
    main = inputs.index(f"{boom}.command")
    raised = {channel: limits[k] * (k == main) for k, channel in enumerate(inputs)}
    least = math.inf
    for combination in levers(len(inputs), main):
        down = dict(zip(inputs, limits * np.array(combination), strict=True))
        up = {channel: -value for channel, value in down.items()}
        for first in ({}, raised, up, down):
            sim.state[:] = begin
            sim.settle(sim.state)
            if first:
                sim.advance(round(2.0 / dt), first)
            sim.advance(round(6.0 / dt), down)
            chambers = sim.workspace.cylinders
            least = min(least, float(min(chambers["chamber_a"].min(), chambers["chamber_b"].min())))
    assert 0.0 < least < float(machine.cylinders[0].end_damper.length)  # some came to rest on a damper


@pytest.mark.parametrize("name", ["excavator", "loader-crane"])
def test_the_books_close_when_all_functions_run_into_their_ends(name: str) -> None:
    sim = Simulation(without_ground(name), dt=5e-4)
    inputs = [c.name for c in sim.channels if c.role == "input"]
    limits = dict(zip(inputs, sim.plan.valves["limit"], strict=True))
    schedule = {channel: ([0.0, 8.0], [-limit, limit]) for channel, limit in limits.items()}
    energy = sim.run(16.0, schedule).energy
    turned_over = abs(energy["given_J"]) + energy["lost_J"] + energy["work_max_abs_J"] + 1.0
    assert abs(energy["left_over_J"]) < 1e-3 * turned_over
    cylinders = energy["elements"]["cylinders"].values()
    assert sum(c["end_damper_J"] for c in cylinders) > 0.0
    for c in cylinders:
        assert c["oil_J"] == pytest.approx(c["rod_J"] + c["stored_J"] + c["lost_J"], abs=1e-3 * turned_over)
