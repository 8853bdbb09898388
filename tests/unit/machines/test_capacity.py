"""The lift-capacity chart: it falls, says why, and its limits are those of statics."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from simcore.machines.analyses import CapacityPoint
from simcore.machines.loader_crane import LOADER_CRANE
from simcore.machines.loader_crane.capacity import FOLD, LIFT, STABILITY, chart
from simcore.machines.loader_crane.rating import bending_load, section_modulus, tipping_load
from simcore.machines.loader_crane.structure import support
from simcore.model.elements import Mount
from simcore.model.equilibrium import static_forces
from simcore.model.geometry import point, poses, start_angles

pytestmark = pytest.mark.long

_REACH = {"boom_start": 0.1, "jib_start": -0.15, "extension_start": 1.9}


@pytest.fixture(scope="module")
def points() -> list[CapacityPoint]:
    return chart({}, 7)


def test_capacity_falls_with_reach(points: list[CapacityPoint]) -> None:
    loads = [p.load for p in points]
    assert all(a > b for a, b in pairwise(loads))
    assert points[0].reach < 3.0
    assert points[-1].reach > 7.0


def test_a_cylinder_stops_it_inside_and_the_truck_or_a_beam_outside(points: list[CapacityPoint]) -> None:
    assert points[0].limit in (LIFT, FOLD)
    assert points[-1].limit not in (LIFT, FOLD)
    assert all(p.load == min(p.limits.values()) == p.limits[p.limit] for p in points)


def test_the_lift_cylinder_stops_where_its_area_and_the_relief_say(points: list[CapacityPoint]) -> None:
    """By virtual work: at the load found, the piston needs the relief pressure, less what valves take."""
    first = points[0]
    load = first.limits[LIFT]
    pose = {"boom_start": math.radians(30), "jib_start": math.radians(-104), "extension_start": 0.021}
    force = static_forces(LOADER_CRANE.build(payload=load, **pose))["lift"]
    area = math.pi * float(LOADER_CRANE.defaults()["lift_bore"]) ** 2 / 4
    relief = float(LOADER_CRANE.defaults()["relief_pressure"])
    assert 0.85 * relief < force / area < 1.0 * relief


def _centre_of_pressure(load: float, turn: float) -> tuple[float, float]:
    """Where the ground must push if all weights stand on it, in x and z."""
    machine = LOADER_CRANE.build(slew_start=turn, payload=load, **_REACH)
    where = poses(machine, start_angles(machine))
    masses = np.array([float(b.mass) for b in machine.bodies])
    places = np.array([point(where, Mount(b.name, b.centre)) for b in machine.bodies])
    centre = masses @ places / masses.sum()
    return float(centre[0]), float(centre[2])


def _inside(feet: tuple[tuple[float, float], ...], x: float, z: float) -> bool:
    """By the angles that the edges are seen under: a whole turn from inside, none from outside."""
    angles = [math.atan2(fz - z, fx - x) for fx, fz in feet]
    turns = [
        math.remainder(b - a, 2 * math.pi) for a, b in zip(angles, [*angles[1:], angles[0]], strict=True)
    ]
    return abs(sum(turns)) > math.pi


def test_the_truck_tips_just_beyond_the_load_that_stability_allows() -> None:
    chosen = LOADER_CRANE.chosen(_REACH)
    allowed = tipping_load(LOADER_CRANE.assemble(chosen), chosen) * chosen.number("overload")
    feet, turns = support(chosen), np.linspace(-math.pi, math.pi, 145)
    assert all(_inside(feet, *_centre_of_pressure(0.99 * allowed, float(t))) for t in turns)
    assert not all(_inside(feet, *_centre_of_pressure(1.01 * allowed, float(t))) for t in turns)


def test_a_wider_stance_and_a_heavier_truck_carry_more() -> None:
    def most(**more: float) -> float:
        chosen = LOADER_CRANE.chosen({**_REACH, **more})
        return tipping_load(LOADER_CRANE.assemble(chosen), chosen)

    assert most(stabiliser_spread=5.5) > most() > most(truck_mass=5000.0)


def test_bending_is_the_moment_over_the_section() -> None:
    chosen = LOADER_CRANE.chosen(_REACH)
    machine = LOADER_CRANE.assemble(chosen)
    load, beam = bending_load(machine, chosen)
    where = poses(machine, start_angles(machine))
    names = {"main boom": "boom", "folding boom": "jib", "extension": "extension"}
    name = names[beam]
    assert name != "extension"
    outer = {"boom": 2, "jib": 3}[name]  # bodies are listed from the truck outwards
    root = where[name][1][0]
    moment = 0.0
    for b in machine.bodies[outer:]:
        mass = load if b.name == "load" else float(b.mass)
        moment += mass * 9.81 * (point(where, Mount(b.name, b.centre))[0] - root)
    stress = moment / section_modulus(chosen, name)
    assert stress == pytest.approx(6.9e8 / 2.0, rel=1e-6)


def test_the_command_prints_the_chart_and_writes_its_page(tmp_path: Path) -> None:
    target = tmp_path / "chart.html"
    command = [sys.executable, "-m", "simcore", "capacity", "loader-crane", "--points", "2", "--json"]
    done = subprocess.run([*command, "--plot", str(target)], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert [set(p) for p in told["points"]] == [{"reach", "height", "load", "limit", "limits"}] * 2
    assert told["points"][0]["load"] > told["points"][1]["load"]
    assert STABILITY in target.read_text()


def test_a_case_without_a_chart_says_so() -> None:
    command = [sys.executable, "-m", "simcore", "capacity", "four-bar-b"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "has no lift-capacity chart; machines that have one: loader-crane" in done.stderr
