"""The session with the real twin: chunks, entries and restarts never change a bit of its state."""

import random

import numpy as np
import pytest

from simcore import registry
from simcore.run.simulation import Simulation
from twin.ingest.entries import Entry, Samples, Tick
from twin.runtime import checkpoint
from twin.runtime.session import TwinSession
from twin.runtime.specs import DT_US, MachineSpec, build_twin

T0 = 1_763_251_200_000_000
DELAY_US = 150_000
SPEC = MachineSpec(None, "four-bar-b")
TELEMETRY = ("crank.angle", "crank.rate", "hose.p", "cylinder.p_B", "valve.command")


@pytest.fixture(scope="module")
def recording() -> list[tuple]:
    """Six seconds of a rig at work, 50 Hz, as samples."""
    simulation = Simulation(registry.get("four-bar-b").build(start="equilibrium"), dt=1e-3)
    rng = np.random.default_rng(3)
    noise = {"crank.angle": 0.004, "crank.rate": 0.01, "hose.p": 5e4, "cylinder.p_B": 5e4}
    samples = []
    for cycle in range(300):
        command = -8.0 if 50 < cycle < 150 else 6.0 if cycle > 200 else 0.0
        truth = simulation.outputs() | {"valve.command": command}
        readings = {name: truth[name] + noise.get(name, 0.0) * rng.standard_normal() for name in TELEMETRY}
        samples.append((cycle, T0 + cycle * 20_000 + int(rng.integers(-400, 400)), readings))
        simulation.advance(20, inputs={"valve.command": command})
    return samples


def session() -> TwinSession:
    twin, channels = build_twin(SPEC)
    return TwinSession(twin, channels, dt_us=DT_US, delay_us=DELAY_US)


def as_entries(samples: list[tuple], seed: int) -> list[Entry]:
    """In disorder, with a silent second in which ticks go on."""
    rng = random.Random(seed)
    order = sorted(samples, key=lambda sample: sample[1] + rng.choice([0, 0, 0, 90_000, 400_000]))
    stream: list[Entry] = []
    while order:
        count = rng.randint(1, 5)
        stream.append(Samples("device", "boot", max(t for _, t, _ in order[:count]), order[:count]))
        del order[:count]
    stream += [Tick(T0 + 6_000_000 + tick * 100_000, T0) for tick in range(8)]
    return stream


def replay(stream: list[Entry]) -> TwinSession:
    made = session()
    for entry in stream:
        made.feed(entry)
    return made


@pytest.mark.parametrize("seed", [1, 2])
def test_entry_by_entry_or_sample_by_sample_the_state_is_the_same_to_the_bit(recording, seed):
    stream = as_entries(recording, seed)
    single: list[Entry] = [
        part
        for entry in stream
        for part in (
            [entry]
            if isinstance(entry, Tick)
            else [Samples("d", "b", entry.received, [one]) for one in entry.samples]
        )
    ]
    one, other = replay(stream), replay(single)
    assert one.record.late == other.record.late > 0
    assert one.twin.dump() == other.twin.dump()


@pytest.mark.parametrize("seed", [1, 2])
def test_kills_and_restarts_from_checkpoints_leave_no_trace(recording, seed):
    stream = as_entries(recording, seed)
    rng = random.Random(seed)
    made, saved, at, position, kills = session(), b"", 0, 0, 0
    while position < len(stream):
        made.feed(stream[position])
        position += 1
        if rng.random() < 0.2:
            saved, at = checkpoint.dump(made, model="m", token=1, last_id="1-0"), position
        if saved and rng.random() < 0.05 and kills < 10:
            made, position, kills = session(), at, kills + 1
            checkpoint.restore(made, saved, model="m")
    assert kills > 2
    assert made.twin.dump() == replay(stream).twin.dump()


def test_the_corrected_twin_is_closer_than_the_noise(recording):
    made = replay([Samples("d", "b", sample[1], [sample]) for sample in recording])
    assert made.status == "synced"
    values = dict(zip((c.name for c in build_twin(SPEC)[1]), made.values(), strict=True))
    reading = recording[-8][2]["crank.angle"]
    assert values["crank.angle"] == pytest.approx(reading, abs=0.02)


@pytest.fixture(scope="module")
def lifting() -> list[tuple]:
    """The rig is lifted with the valve wide open, until near the end of its cylinder; 50 Hz, no noise."""
    simulation = Simulation(registry.get("four-bar-b").build(start="equilibrium"), dt=1e-3)
    samples = []
    while (truth := simulation.outputs() | {"valve.command": -10.0})["crank.angle"] < 1.13:
        samples.append((0, T0 + len(samples) * 20_000, {name: truth[name] for name in TELEMETRY}))
        simulation.advance(20, inputs={"valve.command": -10.0})
    return samples


def left_alone(made: TwinSession, heard_us: int, restarts: bool) -> TwinSession:
    """Six seconds without a sample; with restarts, each tick is taken by another process."""
    for now_us in range(heard_us, heard_us + 6_000_000, 25_000):
        if (due := made.tick_due(now_us)) is not None:
            made.feed(Tick(due, now_us))
            assert made.status != "failed", made.record.failure
            if restarts:
                saved, made = checkpoint.dump(made, model="m", token=1, last_id="1-0"), session()
                checkpoint.restore(made, saved, model="m")
    return made


def test_a_machine_that_falls_silent_while_it_lifts_gets_a_stale_twin_not_a_failed_one(lifting):
    stream = [Samples("d", "b", sample[1], [sample]) for sample in lifting]
    one, other = (left_alone(replay(stream), lifting[-1][1], restarts) for restarts in (False, True))
    assert one.status == "stale"
    assert one.record.failure is None
    assert np.isfinite(one.values()).all()
    assert one.record == other.record
    assert one.twin.dump() == other.twin.dump()


def test_the_dump_of_another_model_is_refused_with_a_reason(recording):
    made = replay([Samples("d", "b", T0, recording[:20])])
    data = checkpoint.dump(made, model="m", token=1, last_id="1-0")
    twin, channels = build_twin(MachineSpec(None, "four-bar-b", {"crank_mass": 17.0}))
    other = TwinSession(twin, channels, dt_us=DT_US, delay_us=DELAY_US)
    with pytest.raises(checkpoint.BadCheckpoint, match="state that the twin rejects"):
        checkpoint.restore(other, data, model="m")
