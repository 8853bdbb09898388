"""Many machines from one call move as each would alone."""

import numpy as np
import pytest

from simcore import registry
from simcore.errors import BadChannel, Diverged, SimcoreError
from simcore.run.batch import Batch
from simcore.run.simulation import Simulation

MACHINE = registry.get("four-bar-b").build()
COMMANDS = np.linspace(-3.0, 3.0, 7)


@pytest.mark.parametrize("integrator", ["trapezoidal", "damped"])
def test_every_machine_moves_as_it_would_alone(integrator: str) -> None:
    batch = Batch(MACHINE, len(COMMANDS), integrator=integrator)
    batch.command_all("valve.command", COMMANDS)
    batch.advance(200)
    batch.advance(1)
    for k, command in enumerate(COMMANDS):
        alone = Simulation(MACHINE, integrator=integrator)
        alone.advance(201, {"valve.command": command})
        assert np.array_equal(batch.states[k], alone.state)
        batch.take(k)
        assert np.array_equal(batch.read(), alone.read())
        assert batch.newton() == alone.newton()


def test_the_machine_that_cannot_go_on_is_left_at_its_last_good_state() -> None:
    batch = Batch(MACHINE, 3)
    at_v = int(batch.plan.head[0]["at_v"])
    batch.states[1, at_v] = 1e6  # rad/s: flies apart at once
    before = batch.states.copy()
    with pytest.raises(Diverged):
        batch.advance(5)
    assert np.array_equal(batch.states[1:], before[1:])
    assert not np.array_equal(batch.states[0], before[0])


def test_wrong_commands_and_counts_are_refused_with_what_is_allowed() -> None:
    batch = Batch(MACHINE, 2)
    before = batch.states.copy()
    with pytest.raises(SimcoreError, match=r"shape \(3,\): must be one value for each of 2 machines"):
        batch.command_all("valve.command", np.zeros(3))
    with pytest.raises(SimcoreError, match="machine 1 must be finite"):
        batch.command_all("valve.command", np.array([0.0, np.nan]))
    with pytest.raises(BadChannel, match="is not an input"):
        batch.command_all("crank.angle", np.zeros(2))
    assert np.array_equal(batch.states, before)
    with pytest.raises(SimcoreError, match="at least 1"):
        Batch(MACHINE, 0)
    with pytest.raises(SimcoreError, match="known: trapezoidal, damped"):
        Batch(MACHINE, 1, integrator="rk4")
