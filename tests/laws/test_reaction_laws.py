"""Newton's and Euler's laws for every body of working machines: loads against motion."""

from typing import Any

import numpy as np
import pytest

from simcore import Simulation, registry
from simcore.model.elements import Machine, Mount
from simcore.model.geometry import point, poses
from simcore.model.tree import base
from simcore.run.joint_loads import JointLoads
from tests.unit.simcore.body_balance import misses, watch

LEVERS = {
    "excavator": {"boom.command": 4.0, "dipper.command": -4.0, "bucket.command": 5.0, "swing.command": 6.0},
    "loader-crane": {"slew.command": 5.0, "lift.command": 4.0, "fold.command": 3.0, "extend.command": 3.0},
}


def _soil(
    machine: Machine, sim: Simulation, zs: list[np.ndarray], fill: float, wrench: np.ndarray
) -> np.ndarray:
    """Wrench of ground and carried soil on the bucket about the description's origin."""
    (digging,) = machine.digging
    at = [point(poses(machine, z), Mount(digging.edge.body, digging.centre)) for z in zs]
    load = float(digging.soil.density) * fill
    needs = load * ((at[2] - 2 * at[1] + at[0]) / sim.dt**2 - np.array(machine.gravity.xyz))
    moved = np.concatenate([wrench[:3], wrench[3:] + np.cross(base(machine), wrench[:3])])
    return moved - np.concatenate([needs, np.cross(at[1], needs)])


def _worst(name: str, dt: float, start: float, levers: dict[str, float], **parameters: Any) -> float:
    """Largest force that is missing on any body, as share of the largest pin force."""
    machine = registry.get(name).build(**parameters)
    sim = Simulation(machine, dt=dt)
    sim.advance(round(start / dt), levers)
    asked, found = JointLoads(sim), 0.0
    head = sim.plan.head[0]
    for _ in range(5):
        sim.advance(round(0.02 / dt))
        zs, loads = watch(sim, asked)
        left = misses(machine, zs, loads, asked, dt)
        size = np.max(loads["radial"])
        if machine.digging:
            # `watch` leaves the machine a step later, so the soil is read there: it changes little in a step
            sim.read()
            fill = float(sim.state[head["at_p"] + head["scalars"] - 1])
            left["bucket"] += _soil(machine, sim, zs, fill, sim.workspace.soils["wrench"][0])
        found = max(found, *(float(np.max(np.abs(miss))) / size for miss in left.values()))
    return found


@pytest.mark.parametrize("name", LEVERS)
def test_every_body_in_motion_is_moved_by_what_its_pins_carry(name: str) -> None:
    standing = {"soil": "none"} if name == "excavator" else {}
    coarse, fine = (_worst(name, dt, 0.6, LEVERS[name], **standing) for dt in (1e-3, 2.5e-4))
    assert coarse < 5e-3
    assert fine < 1e-3


def test_a_digging_bucket_is_moved_by_soil_and_pins() -> None:
    levers = {"boom.command": -4.0, "dipper.command": 5.0, "bucket.command": 3.0}
    assert _worst("excavator", 2.5e-4, 1.5, levers) < 5e-3


@pytest.mark.parametrize("name", LEVERS)
def test_pins_do_no_work_along_their_freedom(name: str) -> None:
    """Only friction and drives act about an axis: a boom's pin has neither."""
    sim = Simulation(registry.get(name).build())
    sim.advance(700, LEVERS[name])
    asked = JointLoads(sim)
    loads = asked.read()
    free = {"excavator": ("boom", "dipper", "bucket", "rocker", "link"), "loader-crane": ("boom", "jib")}[
        name
    ]
    for body in free:
        load = loads[asked.pin("joint", body)]
        assert abs(load["about"]) < 1e-4 * load["radial"], body
