"""Lets a scripted operator work with a simulated machine, and records all levers and loads.

The operator moves the levers 50 times a second and picks up or puts down loads. `repeat` replays the recorded
levers and loads without the operator and with any time step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from simcore.errors import BadMachine, SimcoreError
from simcore.model.elements import Machine
from simcore.operate.script import Script, commands, decide, start
from simcore.run.inputs import Input
from simcore.run.load import carry_payload, payload_of
from simcore.run.recording import Run
from simcore.run.simulation import Simulation

CYCLE_S = 0.02  # the operator's hand and the controller behind it: 50 Hz


class Loads:
    """Puts a load on a simulated machine's hook, or into its bucket."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._payload = payload_of(sim.machine, sim.plan)

    def put(self, mass: float) -> None:
        """Carry this mass from now on, kg; velocities do not change."""
        if not len(self._payload):
            raise BadMachine(f"{self._sim.machine.name!r} declares no payload, so it cannot carry a load")
        carry_payload(self._sim.condition, self._payload, float(mass))
        self._sim.settle(self._sim.state)


@dataclass
class Done:
    """Record of an operator's work: levers by controller cycle, and loads by time of change."""

    times: list[float] = field(default_factory=list)  # s
    levers: dict[str, list[float]] = field(default_factory=dict)  # by command channel
    loads: list[tuple[float, float]] = field(default_factory=list)  # s, kg
    phases: list[tuple[float, str]] = field(default_factory=list)  # s, phase that began
    seconds: float = 0.0

    def inputs(self) -> dict[str, Input]:
        """The levers as inputs of a run."""
        return {channel: (self.times, values) for channel, values in self.levers.items()}


def perform(sim: Simulation, script: Script, rounds: int = 1, at_most: float = 300.0) -> Done:
    """Let an operator do the work `rounds` times."""
    done, loads = Done(levers={lever.moves: [] for lever in script.levers}), Loads(sim)
    mind = start(script)
    every = round(CYCLE_S / sim.dt)
    if abs(every * sim.dt - CYCLE_S) > 1e-9:
        raise SimcoreError(f"dt = {sim.dt:g} s: must be {CYCLE_S:g} s divided by a whole number")
    done.phases.append((0.0, script.phases[0].name))
    for cycle in range(round(at_most / CYCLE_S)):
        t, before = cycle * CYCLE_S, mind
        mind, levers = decide(script, mind, t, sim.outputs())
        if mind.phase != before.phase or mind.rounds != before.rounds:
            done.phases.append((t, script.phases[mind.phase].name))
            if script.phases[before.phase].load is not None and mind.load is not None:
                loads.put(mind.load)
                done.loads.append((t, mind.load))
        if mind.rounds == rounds:
            done.phases.pop()
            done.seconds = t
            return done
        given = commands(script, levers)
        done.times.append(t)
        for channel, value in given.items():
            done.levers[channel].append(value)
        sim.advance(every, given)
    raise SimcoreError(
        f"script {script.name!r} has not finished after {at_most:g} s; it is in phase {done.phases[-1][1]!r}"
    )


def repeat(machine: Machine, done: Done, dt: float, integrator: str = "trapezoidal") -> Iterator[Run]:
    """Replay levers and loads with the energy ledger; returns a run for each period of constant load."""
    sim = Simulation(machine, dt, integrator)
    loads, inputs = Loads(sim), done.inputs()
    ends = [*(t for t, _ in done.loads if t < done.seconds), done.seconds]
    begin = 0.0
    for end, load in zip(ends, [*(mass for _, mass in done.loads), None], strict=False):
        if end > begin:
            yield sim.run(end - begin, inputs)
        if load is not None:
            loads.put(load)
        begin = end
