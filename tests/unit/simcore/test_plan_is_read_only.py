"""A compiled plan is never written: loads, biases and stepping rules act on the condition and the state."""

from __future__ import annotations

import numpy as np
import pytest

from simcore import Simulation, registry
from simcore.estimate.biases import bias_values
from simcore.estimate.experiment.offline_twin import OfflineTwin
from simcore.estimate.sensors import own_sensors
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model.compiler import compile
from simcore.model.plan import Plan
from simcore.operate.operator import Loads
from simcore.run.batch import Batch
from simcore.run.engine import Engine

_MACHINES = ("four-bar-b", "loader-crane", "excavator")


def _bytes(plan: Plan) -> list[bytes]:
    return [records.tobytes() for records in plan]


def _sample(engine: Engine, factor: float) -> dict[str, float]:
    """Inputs as they are, and readings that are off by a factor."""
    found = zip(engine.channels, engine.read(), strict=True)
    factors = {"input": 1.0, "sensor": factor}
    return {c.name: float(x) * factors[c.role] for c, x in found if c.role in factors}


def test_numpy_refuses_to_write_into_a_plan() -> None:
    plan = compile(registry.get("four-bar-b").build())
    assert not any(records.flags.writeable for records in plan)
    with pytest.raises(ValueError, match="read-only"):
        plan.bodies["mass"] = 1.0


@pytest.mark.parametrize("integrator", ["trapezoidal", "damped", "rk4", "trapezoidal-reference"])
def test_a_simulation_leaves_its_plan_as_it_was(integrator: str) -> None:
    sim = Simulation(registry.get("four-bar-b").build(), 1e-4, integrator)
    before = _bytes(sim.plan)
    sim.run(0.01, {"valve.command": 5.0})
    assert _bytes(sim.plan) == before


@pytest.mark.parametrize("name", _MACHINES)
def test_a_live_twin_learns_in_its_condition_and_leaves_its_plan_as_it_was(name: str) -> None:
    twin = LiveTwin(registry.get(name).build())
    twin.start(_sample(twin.engine, 1.0))
    before, learned = _bytes(twin.engine.plan), bias_values(twin.engine.condition, twin.biases)
    for _ in range(5):
        twin.correct(_sample(twin.engine, 1.001), 20)
    twin.load(twin.dump())
    twin.uncorrected()
    assert _bytes(twin.engine.plan) == before
    assert not np.array_equal(bias_values(twin.engine.condition, twin.biases), learned)


def test_a_filter_over_a_recording_leaves_its_plan_as_it_was() -> None:
    machine = registry.get("four-bar-b").build()
    sensors = own_sensors(machine, 200.0)
    twin = OfflineTwin(machine, sensors, "bias")
    before, readings = _bytes(twin.engine.plan), np.full((10, len(machine.outputs)), np.nan)
    column = twin.engine.position(sensors[0].channel)
    readings[4, column] = twin.engine.read()[column] + 0.01
    twin.run(readings, np.zeros((0, 0)))
    assert _bytes(twin.engine.plan) == before


def test_a_batch_leaves_its_plan_as_it_was() -> None:
    batch = Batch(registry.get("four-bar-b").build(), 2)
    before = _bytes(batch.plan)
    batch.advance(5)
    assert _bytes(batch.plan) == before


@pytest.mark.parametrize("name", ["loader-crane", "excavator"])
def test_a_load_is_put_into_the_condition_alone(name: str) -> None:
    sim = Simulation(registry.get(name).build())
    before = _bytes(sim.plan)
    loads = Loads(sim)
    loads.put(300.0)
    sim.advance(5)
    assert _bytes(sim.plan) == before
    once = sim.condition.bodies["mass"].sum()
    loads.put(500.0)
    assert sim.condition.bodies["mass"].sum() == pytest.approx(once + 200.0)
