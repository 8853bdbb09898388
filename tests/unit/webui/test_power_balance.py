"""Efficiency by load class rests on books that balance: checked on machines at work, step by step."""

import numpy as np
import pytest

from simcore import Simulation, registry
from simcore.machines.model import MachineModel
from simcore.model.virtual import with_virtual_sensors
from simcore.operate.operator import perform
from webui.machine.channel_relations import powers


@pytest.mark.parametrize("model", [m for m in registry.MACHINES if m.cycles], ids=lambda model: model.name)
def test_what_goes_into_the_oil_is_at_least_what_actuators_get(model: MachineModel) -> None:
    """Pump, sinking loads and expanding oil give; throttles only take.

    Oil is taken as equally stiff at every pressure and stroke here, hence the hundredth.
    """
    machine = with_virtual_sensors(model.build())
    books = powers(machine)
    assert books is not None
    done = perform(Simulation(machine), model.cycle(next(iter(model.cycles))))
    read = Simulation(machine).run(done.seconds, done.inputs(), sample_dt=0.005).to_frame()
    dt = np.diff(read.index)
    given = sum(np.maximum(0.0, read[channel].to_numpy()[1:]) for channel in books["in"])
    works = [sign * read[channel].to_numpy()[1:] for channel, sign in books["out"]]
    taken = sum(np.maximum(0.0, power) for power in works)
    back = sum(np.maximum(0.0, -power) for power in works)
    stored = sum(compliance * read[channel].to_numpy() ** 2 / 2 for channel, compliance in books["stores"])
    released = np.maximum(0.0, -np.diff(stored))
    for part in np.array_split(np.arange(len(dt)), 10):  # of the work, whatever its load is
        came = np.sum((given[part] + back[part]) * dt[part] + released[part])
        assert np.sum(taken[part] * dt[part]) < 1.01 * came
    # the crane's pump feeds its relief valve most of the time
    assert np.sum(taken * dt) > 0.02 * np.sum(given * dt)
