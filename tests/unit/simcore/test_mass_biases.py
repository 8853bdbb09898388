"""Masses and friction as biases: what the filter puts and derives is what a machine described so would do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simcore import registry
from simcore.estimate.biases import PAYLOAD, TORQUE, WEIGHT, bias_values, biases_of, put_biases
from simcore.estimate.linearise.jacobian import jacobian_at, place_of
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.formulation.partition import settle
from simcore.model.quantity import Tensor, Vector, assumed
from simcore.run.simulation import Simulation

_STILL = {"lift.command": 0.0, "fold.command": 0.0, "extend.command": 0.0, "slew.command": 0.0}


def _scaled(inertia: Vector | Tensor, factor: float) -> Vector | Tensor:
    if isinstance(inertia, Tensor):
        return replace(inertia, six=tuple(factor * entry for entry in inertia.six))
    return replace(inertia, xyz=tuple(factor * entry for entry in inertia.xyz))


def _rates(sim: Simulation, state: np.ndarray) -> np.ndarray:
    """Accelerations of the independent joints that a settled state has."""
    head = sim.plan.head[0]
    assert settle(sim.plan, state, sim.workspace)
    places = [place_of(sim.plan, int(head["free"]) + f) for f in range(int(head["free"]))]
    return state[[int(head["at_a"]) + place - int(head["at_v"]) for place in places]]


@pytest.mark.parametrize("name", ["boom", "jib", "extension", "load"])
def test_a_mass_is_weighed_by_its_weight(name: str) -> None:
    """Torques of weight and load of a crane at rest are those of a machine described with a heavier body."""
    machine = registry.get("loader-crane").build(payload=300.0)
    sim = Simulation(machine)
    plan, biases, state = sim.plan, biases_of(machine, sim.plan), sim.state.copy()
    condition = sim.condition
    (index,) = (
        np.flatnonzero(biases["kind"] == PAYLOAD)
        if name == "load"
        else [
            i for i in np.flatnonzero(biases["kind"] == WEIGHT) if sim.owners[biases["index"][i] - 1] == name
        ]
    )
    n, free = int(plan.head[0]["states"]), int(plan.head[0]["free"])
    slope = np.zeros((n, n + len(biases) + 1))
    jacobian_at(plan, biases, state.copy(), sim.workspace, slope)

    def with_more(mass: float) -> np.ndarray:
        values = bias_values(condition, biases)
        put_biases(condition, biases, np.where(np.arange(len(biases)) == index, values + mass, values))
        rates = _rates(sim, state.copy())
        put_biases(condition, biases, values)
        return rates

    theirs = (with_more(0.1) - with_more(-0.1)) / 0.2
    np.testing.assert_allclose(
        slope[free : 2 * free, n + index] / biases["unit"][index], theirs, rtol=1e-5, atol=1e-8
    )


def test_a_heavier_body_is_heavier_everywhere() -> None:
    """A weight that the filter puts is the same machine as one that is described with that mass."""
    machine = registry.get("loader-crane").build()
    sim = Simulation(machine)
    sim.advance(900, {"lift.command": 8.0, "slew.command": 5.0})
    biases = biases_of(machine, sim.plan)
    values = bias_values(sim.condition, biases)
    np.testing.assert_array_equal(values[biases["kind"] == WEIGHT], 0.0)
    boom = next(b for b in machine.bodies if b.name == "boom")
    heavier = replace(
        boom,
        mass=assumed(1.1 * float(boom.mass), "kg"),
        inertia=_scaled(boom.inertia, 1.1),
    )
    other = Simulation(replace(machine, bodies=tuple(heavier if b is boom else b for b in machine.bodies)))
    first = np.flatnonzero(biases["kind"] == WEIGHT)[0]
    values[first] = 0.1 * float(boom.mass)
    put_biases(sim.condition, biases, values)
    np.testing.assert_allclose(
        _rates(sim, sim.state.copy()), _rates(other, sim.state.copy()), rtol=1e-9, atol=1e-9
    )


def test_an_unexplained_torque_of_friction_fades_and_is_as_uncertain_as_before() -> None:
    """b' = φ b, σ² → 1 - φ² of the start's: what was learned of a seal is gone after its memory."""
    twin = LiveTwin(registry.get("loader-crane").build())
    twin.start(_STILL)
    at = int(np.flatnonzero(twin.biases["kind"] == TORQUE)[0])
    n = len(twin.covariance) - len(twin.biases)
    twin._held[at] = 300.0
    put_biases(twin.engine.condition, twin.biases, twin._held)
    twin.covariance[n + at, :] = twin.covariance[:, n + at] = 0.0
    memory = float(twin.engine.machine.model_error.torque_memory)
    seconds = 2.0
    for _ in range(round(seconds / 0.02)):
        twin.command(_STILL)
        twin.advance(20)
    keep = np.exp(-seconds / memory)
    assert bias_values(twin.engine.condition, twin.biases)[at] == pytest.approx(300.0 * keep, rel=1e-6)
    assert twin.covariance[n + at, n + at] == pytest.approx(1 - keep**2, rel=1e-6)
