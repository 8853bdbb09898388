"""The work of a machine as built, integrated with another step than the twin's, recorded every 5 ms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simcore.errors import Diverged
from simcore.model.workspace import Array
from simcore.operate.operator import Loads
from simcore.run.simulation import Simulation
from tests.field import built, work
from tests.field.draws import Draw

CYCLE_S = 0.02  # of the operator
RECORD_S = 0.005


@dataclass(frozen=True)
class Truth:
    """All channels at equal intervals, and the levers of the operator."""

    channels: tuple[str, ...]
    values: Array  # by record and channel
    given: Array  # by cycle and command: what the operator gives, in the order of `commands`
    commands: tuple[str, ...]
    seconds: float
    ended: str  # why the machine stopped early; empty: it did not

    def at(self, t: Array) -> Array:
        """Channels at times, by linear interpolation."""
        place = np.clip(np.asarray(t) / RECORD_S, 0.0, len(self.values) - 1.000001)
        low = place.astype(np.int64)
        share = (place - low)[:, None]
        return np.asarray((1.0 - share) * self.values[low] + share * self.values[low + 1])

    def commands_at(self, t: Array) -> Array:
        """The operator's commands at times; a value holds from its decision on."""
        cycle = np.clip(np.floor(np.asarray(t) / CYCLE_S + 1e-6).astype(np.int64), 0, len(self.given) - 1)
        return np.asarray(self.given[cycle])


def work_through(draw: Draw) -> Truth:
    """The whole work of a draw."""
    machine = built.build(draw)
    sim = Simulation(machine, draw.step, draw.integrator)
    loads = Loads(sim) if machine.model_error.payload is not None else None
    operator = work.operator(draw)
    late = round(draw.cause.sizes["s"] / RECORD_S) if draw.cause.name == "commands-late" else 0
    per_record, per_cycle = round(RECORD_S / draw.step), round(CYCLE_S / RECORD_S)
    cycles = round(draw.seconds / CYCLE_S)
    values = np.empty((cycles * per_cycle + 1, len(sim.channels)))
    values[0] = sim.read()
    inputs = tuple(channel.name for channel in sim.channels if channel.role == "input")
    given = np.zeros((cycles, len(inputs)))
    ended, done = "", 0
    for cycle in range(cycles):
        truth = dict(zip(sim.index, values[done].tolist(), strict=True))
        decided = operator.decide(cycle * CYCLE_S, truth)
        given[cycle] = [decided[name] for name in inputs]
        if operator.load is not None and loads is not None:
            loads.put(operator.load)
        try:
            for _ in range(per_cycle):
                acting = max(0, (done - late) // per_cycle)
                sim.advance(per_record, dict(zip(inputs, given[acting].tolist(), strict=True)))
                done += 1
                values[done] = sim.read()
        except Diverged as error:
            ended = str(error)
            break
    values = values[: done + 1]
    for k, name in enumerate(inputs):  # the command channel shows what the operator gave
        values[:, sim.index[name]] = given[np.minimum(np.arange(done + 1) // per_cycle, cycles - 1), k]
    return Truth(tuple(sim.index), values, given[: done // per_cycle + 1], inputs, done * RECORD_S, ended)
