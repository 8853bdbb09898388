"""Newton's and Euler's laws for every body of working machines: loads against motion."""

from typing import Any

import numpy as np
import pytest

from simcore import Simulation, registry
from simcore.model.elements import Machine, Mount
from simcore.model.geometry import point, poses
from simcore.model.tree import base
from simcore.run.joint_loads import JointLoads
from tests.unit.simcore.body_balance import Moment, misses, watch

LEVERS = {
    "excavator": {"boom.command": 4.0, "dipper.command": -4.0, "bucket.command": 5.0, "swing.command": 6.0},
    "loader-crane": {"slew.command": 5.0, "lift.command": 4.0, "fold.command": 3.0, "extend.command": 3.0},
}


def _soil(machine: Machine, moment: Moment, dt: float) -> np.ndarray:
    """Wrench of ground and carried soil on the bucket about the description's origin."""
    (digging,) = machine.digging
    at = [point(poses(machine, z), Mount(digging.edge.body, digging.centre)) for z in moment.zs]
    load = float(digging.soil.density) * float(moment.fills[0])
    needs = load * ((at[2] - 2 * at[1] + at[0]) / dt**2 - np.array(machine.gravity.xyz))
    force, turn = moment.soil[0, :3], moment.soil[0, 3:]
    moved = np.concatenate([force, turn + np.cross(base(machine), force)])
    return moved - np.concatenate([needs, np.cross(at[1], needs)])


def _worst(name: str, dt: float, start: float, levers: dict[str, float], **parameters: Any) -> float:
    """Largest force that is missing on any body, as share of the largest pin force."""
    machine = registry.get(name).build(**parameters)
    sim = Simulation(machine, dt=dt)
    sim.advance(round(start / dt), levers)
    asked, found = JointLoads(sim), 0.0
    for _ in range(5):
        sim.advance(round(0.02 / dt))
        moment = watch(sim, asked)
        left = misses(machine, moment, asked, dt)
        if machine.digging:
            assert np.linalg.norm(moment.soil[0, :3]) > 5e3  # it does dig, with some kN
            left["bucket"] += _soil(machine, moment, dt)
        size = np.max(moment.loads["radial"])
        found = max(found, *(float(np.max(np.abs(miss))) / size for miss in left.values()))
    return found


@pytest.mark.parametrize("name", [*LEVERS, "digging"])
def test_every_body_in_motion_is_moved_by_what_its_pins_carry(name: str) -> None:
    """To second order in the step, which is the order of the differences and of the rule."""
    if name == "digging":
        levers = {"boom.command": -4.0, "dipper.command": 5.0, "bucket.command": 3.0}
        coarse, fine = (_worst("excavator", dt, 2.8, levers) for dt in (1e-3, 2.5e-4))
    else:
        standing = {"soil": "none"} if name == "excavator" else {}
        coarse, fine = (_worst(name, dt, 0.6, LEVERS[name], **standing) for dt in (1e-3, 2.5e-4))
    assert coarse < 1e-4
    assert fine < 0.12 * coarse + 1e-7


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
