"""What a machine carries and where its tool is: against the description and plain geometry."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from simcore import Simulation, registry
from simcore.estimate.biases import PAYLOAD, bias_values, put_biases
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model.elements import Machine, Mount
from simcore.model.geometry import point, poses
from simcore.model.virtual import with_virtual_sensors


def _machine(name: str, **parameters: Any) -> Machine:
    return with_virtual_sensors(registry.get(name).build(**parameters))


def _values(twin: LiveTwin) -> dict[str, float]:
    return dict(zip((c.name for c in twin.engine.channels), twin.values(), strict=True))


def _sigmas(twin: LiveTwin) -> dict[str, float]:
    return dict(zip((c.name for c in twin.engine.channels), twin.sigmas(), strict=True))


def _where(twin: LiveTwin) -> dict[str, Any]:
    """Pose of every body, by the geometry of the description."""
    head = twin.engine.plan.head[0]
    return poses(twin.engine.machine, twin.engine.state[head["at_z"] : head["at_z"] + head["coords"]])


@pytest.fixture(scope="module")
def crane() -> LiveTwin:
    twin = LiveTwin(_machine("loader-crane", payload=750.0))
    twin.advance(40)
    return twin


def test_the_payload_is_what_the_machine_was_described_with(crane: LiveTwin) -> None:
    assert _values(crane)["payload.mass"] == pytest.approx(750.0, rel=1e-9)


def test_the_payload_follows_what_the_twin_learns_with_its_uncertainty(crane: LiveTwin) -> None:
    held = bias_values(crane.engine.condition, crane.biases)
    at = int(np.flatnonzero(crane.biases["kind"] == PAYLOAD)[0])
    learnt = held.copy()
    learnt[at] = 812.5
    put_biases(crane.engine.condition, crane.biases, learnt)
    assert _values(crane)["payload.mass"] == pytest.approx(812.5, rel=1e-9)
    put_biases(crane.engine.condition, crane.biases, held)
    i = len(crane.covariance) - len(crane.biases) + at
    expected = math.sqrt(crane.covariance[i, i]) * float(crane.biases[at]["unit"])
    assert _sigmas(crane)["payload.mass"] == pytest.approx(expected, rel=1e-9)


def test_the_height_of_the_load_is_that_of_its_centre(crane: LiveTwin) -> None:
    machine, values = crane.engine.machine, _values(crane)
    where = _where(crane)
    load = next(b for b in machine.bodies if b.name == "load")
    assert values["load.height"] == pytest.approx(point(where, Mount("load", load.centre))[1], abs=1e-6)


def test_a_height_is_as_uncertain_as_the_angles_it_follows_from(crane: LiveTwin) -> None:
    """A lever of metres: the sigma is between the smallest and the largest that the joints can give."""
    sigmas = _sigmas(crane)
    joints = [sigmas[name] for name in ("boom.angle", "jib.angle")]
    assert 0.5 * min(joints) < sigmas["load.height"] < 20 * sum(joints) + sigmas["extension.length"]


def test_bucket_height_and_tilt_are_those_of_its_edge() -> None:
    twin = LiveTwin(_machine("excavator"))
    twin.advance(20)
    machine, values = twin.engine.machine, _values(twin)
    where = _where(twin)
    (digging,) = machine.digging
    edge, hinge = point(where, digging.edge), where["bucket"][1]
    assert values["bucket.height"] == pytest.approx(edge[1], abs=1e-6)
    along = edge - hinge
    assert values["bucket.tilt"] == pytest.approx(math.asin(along[1] / np.linalg.norm(along)), abs=1e-6)
    soil = float(digging.soil.density) * values["bucket.fill"]
    described = float(next(b for b in machine.bodies if b.name == "load").mass)
    assert values["payload.mass"] == pytest.approx(described + soil, rel=1e-9)


@pytest.mark.parametrize(("name", "tool"), [("loader-crane", "load"), ("excavator", "bucket")])
def test_the_speed_of_a_tool_is_how_fast_its_place_changes(name: str, tool: str) -> None:
    """Against places by the geometry of the description, a step before and a step after.

    Not in the first jerk of the levers: there a step is too long for a difference quotient, as one of 1 ms
    is for a bucket that starts to swing.
    """
    sim = Simulation(_machine(name), dt=5e-4)
    levers = {c.name: 3.0 for c in sim.channels if c.role == "input"}
    edge = next((d.edge for d in sim.machine.digging), None)
    mount = edge or Mount(tool, next(b for b in sim.machine.bodies if b.name == tool).centre)
    head = sim.plan.head[0]
    places, speeds = [], []
    sim.advance(40, levers)
    for _ in range(800):
        sim.advance(1)
        where = poses(sim.machine, sim.state[head["at_z"] : head["at_z"] + head["coords"]])
        places.append(point(where, mount))
        speeds.append(sim.outputs()[f"{tool}.speed"])
    moved = np.linalg.norm(np.asarray(places[2:]) - np.asarray(places[:-2]), axis=1) / (2 * sim.dt)
    assert max(speeds) > 0.05
    assert np.asarray(speeds[1:-1]) == pytest.approx(moved, rel=1e-3, abs=1e-4)
