"""Machines that are not as described lift known loads beside their twins: how well are the loads weighed?

A load counts from five seconds after it hangs on a hook, or from two seconds after the bucket has left the
ground, until it is put down.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from simcore.estimate.twin.live_twin import LiveTwin
from simcore.machines.excavator.choices import CLASSES
from simcore.model import channel_table
from simcore.model.case import Value
from simcore.model.workspace import Array
from simcore.operate.operator import Loads
from simcore.operate.script import Phase, Script, commands, decide, start
from simcore.run.simulation import Simulation
from twin.fleet import catalogue
from workers.emulator.as_built import AsBuiltMachine, AsBuiltSpec
from workers.emulator.sensors import Sensors

CYCLE_S, EVERY = 0.02, 20  # telemetry at 50 Hz, model steps of 1 ms
EMPTY = 1.0  # kg on an empty hook, or in a bucket beside what it digs
CRANE_LOADS = (600.0, 200.0, 1500.0, 300.0, 1000.0, 250.0)  # kg, one after the other
CRANE_S, DIGGER_S = 5.0, 2.0  # after which a load must be known
DIGS = 4
SOILS = ("loam", "sand", "clay")
TOLD = "gravel"
_REST_S = 4.0

Samples = Sequence[Mapping[str, float]]


@dataclass(frozen=True)
class Work:
    """What a machine reported, and what it truly carried meanwhile."""

    spec: AsBuiltSpec
    samples: Samples
    carried: Array  # kg by sample
    lifts: tuple[tuple[int, int], ...]  # samples from when a load is to be known until it is put down


def crane_spec(serial: int) -> AsBuiltSpec:
    return AsBuiltSpec(f"crane {serial}", "loader-crane", serial, {"payload": EMPTY})


def digger_spec(serial: int, soil: str = TOLD) -> AsBuiltSpec:
    return AsBuiltSpec(f"excavator {serial}, {soil}", "excavator", serial, {"soil": soil})


def lift(spec: AsBuiltSpec, loads: Sequence[float] = CRANE_LOADS) -> Work:
    """A crane picks up one load after the other."""
    built = AsBuiltMachine(spec)
    _, *work = built.script.phases
    phases = [
        phase if phase.load is None or phase.load < 2.0 else replace(phase, load=load)
        for load in loads
        for phase in (Phase("rest", pause=_REST_S), *work)
    ]
    samples, carried, _ = _follow(built, spec, replace(built.script, phases=tuple(phases)))
    changes = [0, *(1 + np.flatnonzero(np.diff(carried))), len(carried)]
    spans = [(int(a) + round(CRANE_S / CYCLE_S), int(b)) for a, b in pairwise(changes) if carried[a] > 2.0]
    return Work(spec, samples, carried, tuple(span for span in spans if span[1] > span[0]))


def dig(spec: AsBuiltSpec, rounds: int = DIGS) -> Work:
    """An excavator digs, lifts, swings and dumps."""
    built = AsBuiltMachine(spec)
    _, *work = built.script.phases
    phases = (Phase("rest", pause=_REST_S), *(phase for _ in range(rounds) for phase in work))
    samples, carried, states = _follow(built, spec, replace(built.script, phases=phases))
    lifts, since = [], 0
    for k, (phase, digs) in enumerate(states):
        since = k if digs else since
        if phase == "swing out" and states[k + 1][0] != phase:
            lifts.append((since + round(DIGGER_S / CYCLE_S), k))
    return Work(spec, samples, carried, tuple(span for span in lifts if span[1] > span[0]))


_Phases = list[tuple[str, bool]]  # phase of the work, and whether the edge is in the ground


def _follow(
    built: AsBuiltMachine, spec: AsBuiltSpec, script: Script
) -> tuple[list[dict[str, float]], Array, _Phases]:
    """The whole script once."""
    sensors = Sensors(built.channels, np.random.default_rng(spec.serial), spec.stuck)
    state, load, samples, carried, states = start(script), EMPTY, [], [], []
    while state.rounds == 0:
        truth, before = built.readings(), state.load
        state, levers = decide(script, state, len(samples) * CYCLE_S, truth)
        if state.load is not None and state.load != before:
            load = state.load
            built.carry(load)
        given = commands(script, levers)
        samples.append(sensors.read(truth | given))
        carried.append(load + _density(spec) * truth.get("bucket.fill", 0.0))
        states.append((script.phases[state.phase].name, truth.get("bucket.digging", 0.0) > 0.0))
        built.advance(CYCLE_S, given)
    return samples, np.array(carried), states


def _density(spec: AsBuiltSpec) -> float:
    """Of what a bucket holds, kg/m³."""
    return CLASSES[str(spec.parameters.get("soil", TOLD))].density if spec.model == "excavator" else 0.0


@dataclass(frozen=True)
class Weighed:
    """What a twin showed of one load while it was carried."""

    load: float  # kg
    errors: Array  # kg by sample
    sigmas: Array  # kg, as the twin says

    @property
    def worst(self) -> float:
        """Largest error, as a share of the load."""
        return float(np.max(np.abs(self.errors)) / self.load)

    @property
    def inside(self) -> float:
        """Share of errors within two standard deviations."""
        return float(np.mean(np.abs(self.errors) < 2 * self.sigmas))


def described(spec: AsBuiltSpec) -> dict[str, Value]:
    """Parameters as the platform knows them: any ground is gravel to it."""
    return {name: value for name, value in spec.parameters.items() if name != "soil"}


def weigh(work: Work) -> tuple[list[Weighed], LiveTwin]:
    """Every lift of a machine as its twin weighs it, and the twin at the end."""
    twin = LiveTwin(catalogue.build(work.spec.model, described(work.spec)))
    shown, sigmas = watch(twin, work.samples)
    found = [
        Weighed(float(np.mean(work.carried[a:b])), shown[a:b] - work.carried[a:b], sigmas[a:b])
        for a, b in work.lifts
    ]
    return found, twin


def watch(twin: LiveTwin, samples: Samples) -> tuple[Array, Array]:
    """Payload and its standard deviation by sample, kg."""
    at = twin.engine.position("payload.mass")
    rows = []
    for k, sample in enumerate(samples):
        twin.correct(sample, EVERY) if k else twin.start(sample)
        rows.append((twin.values()[at], twin.sigmas()[at]))
    shown, sigmas = np.array(rows).T
    return shown, sigmas


@dataclass(frozen=True)
class Put:
    """What a twin showed while a load was set into a bucket, or onto a hook, in mid-air."""

    times: Array  # s
    shown: Array  # kg
    sigmas: Array  # kg
    changes: tuple[float, ...]  # s, when the twin noticed a load change
    doubts: tuple[str, ...]  # codes by sample; empty: trusted
    twin: LiveTwin


Levers = Callable[[float], Mapping[str, float]]


def put_in_mid_air(model: str, load: float, at: float, until: float, levers: Levers) -> Put:
    """A machine exactly as described gets a load at once; noise as described, 50 Hz."""
    machine = catalogue.build(model, {"payload": EMPTY})
    sim, twin, channels = Simulation(machine, 1e-3), LiveTwin(machine), channel_table(machine)
    sensors, loads = Sensors(channels, np.random.default_rng(1)), Loads(sim)
    neutral = {channel.name: 0.0 for channel in channels if channel.role == "input"}
    here, rows, changes, doubts, known = twin.engine.position("payload.mass"), [], [], [], 0
    for k in range(round(until / CYCLE_S)):
        t = k * CYCLE_S
        if k == round(at / CYCLE_S):
            loads.put(load)
        given = neutral | dict(levers(t))
        sample = sensors.read(sim.outputs() | given)
        twin.correct(sample, EVERY) if k else twin.start(sample)
        if twin.load_changes > known:
            known = twin.load_changes
            changes.append(t)
        rows.append((t, twin.values()[here], twin.sigmas()[here]))
        doubts.append(next((doubt.code for doubt in twin.doubts()), ""))
        sim.advance(EVERY, given)
    times, shown, sigmas = np.array(rows).T
    return Put(times, shown, sigmas, tuple(changes), tuple(doubts), twin)
