"""The runner on a real Valkey, with a twin that records its calls."""

import json
import time
from itertools import pairwise
from uuid import UUID, uuid4

import msgspec
import pytest
from recording_twin import CHANNELS, POISON, RecordingTwin

from simcore.errors import BadParameter
from simcore.messages import Message
from tests.waiting import PATIENCE_S
from twin import keys
from twin.ingest import entries
from twin.runtime import frames, recent_frames, sharding, twin_host
from twin.runtime.checkpoint import Checkpoint
from twin.runtime.held_leases import HeldLeases
from twin.runtime.runner import ENTRIES_PER_ROUND, Runner
from twin.runtime.sharding import live_runners
from twin.runtime.specs import DT_US, MachineSpec
from twin.valkey.clients import connect

SHARDS = 4
MS = 1_000
LEASE_MS = 60_000


def steps(milliseconds: int) -> int:
    """Model steps of a live twin."""
    return milliseconds * MS // DT_US


def now_us() -> int:
    return time.time_ns() // 1000


class Site:
    """A telemetry server with machines; time is the server's own.

    What the machines send is received a minute from now, and leases and turns last as long: however slowly a
    test is executed, no machine falls silent, no lease lapses and no turn ends unless the test wants it.
    """

    def __init__(self, client, pipeline) -> None:
        self.client = client
        self.pipeline = pipeline
        self.specs = [MachineSpec(uuid4(), "four-bar-b")]
        self.t0 = now_us() + 60_000 * MS
        self.runners: list[tuple[Runner, HeldLeases]] = []

    @property
    def machine(self) -> UUID:
        return self.specs[0].id

    def runner(self, name: str, build=None) -> Runner:
        leases = HeldLeases(self.client, name, shards=SHARDS, lease_ms=LEASE_MS)
        runner = Runner(
            self.client,
            self.pipeline,
            leases,
            lambda: self.specs,
            shards=SHARDS,
            delay_us=150_000,
            frame_us=0,  # tests have no time to wait for the next frame
            build=build or (lambda spec: (RecordingTwin(), CHANNELS)),
        )
        self.runners.append((runner, leases))
        return runner

    def send(self, ms: float, angle: float = 1.0, machine: UUID | None = None) -> None:
        sample = (round(ms), self.t0 + round(ms * MS), {"crank.angle": angle})
        received = max(now_us(), sample[1])
        entry = entries.encode(entries.Samples("device", "boot", received, [sample]))
        self.client.xadd(keys.stream(machine or self.machine), {entries.FIELD: entry})

    def frame(self, machine: UUID | None = None) -> frames.Frame | None:
        data = self.client.get(keys.frame(machine or self.machine))
        return frames.decode(data) if data else None

    def recent(self) -> list[frames.Frame]:
        return [frames.decode(data) for data in self.client.lrange(keys.recent_frames(self.machine), 0, -1)]

    def checkpoint(self, machine: UUID | None = None) -> Checkpoint:
        return msgspec.msgpack.decode(
            self.client.get(keys.checkpoint(machine or self.machine)), type=Checkpoint
        )

    def lapse(self, leases: HeldLeases) -> None:
        """The runner was killed some time ago."""
        for lease in leases.all():
            self.client.delete(keys.lease(lease.shard))
        self.client.delete(keys.runner(leases.runner_id))


@pytest.fixture
def site(valkey, monkeypatch):
    monkeypatch.setattr(sharding, "HEARTBEAT_MS", LEASE_MS)
    monkeypatch.setattr(twin_host, "SLICE_S", LEASE_MS / 1e3)
    with connect(valkey.url, retries=1) as client:
        yield Site(client, valkey.pipeline)


def test_a_runner_takes_its_shards_and_shows_the_twin(site):
    runner = site.runner("anna")
    runner.round()
    assert site.frame() is None
    for ms in range(0, 400, 20):
        site.send(ms)
    runner.round()
    frame = site.frame()
    assert (frame.epoch, frame.status, frame.t) == (1, "synced", site.t0 + 220 * MS)
    assert frame.t_sample == site.t0 + 220 * MS
    assert live_runners(site.client) == ["anna"]


def test_a_frame_is_sent_only_when_there_is_something_new(site):
    runner = site.runner("anna")
    site.send(0)
    site.send(400)
    runner.round()
    seq = site.frame().seq
    for _ in range(3):
        runner.round()
    assert site.frame().seq == seq
    site.send(560)
    runner.round()
    assert site.frame().seq == seq + 1


def test_late_chunks_are_counted_and_the_count_outlives_the_runner(site):
    def send(ms: int, received_us: int) -> None:
        sample = (ms, began_us + ms * MS, {"crank.angle": 1.0})
        entry = entries.Samples("device", "boot", received_us, [sample])
        site.client.xadd(keys.stream(site.machine), {entries.FIELD: entries.encode(entry)})

    began_us = now_us() - 2_000 * MS
    for ms in (0, 200, 400, 600, 800):  # each moves the twin to the one before, a second after it arrived
        send(ms, began_us + 1_000 * MS)
    site.runner("anna").round()
    assert (site.frame().chunks, site.frame().overruns) == (3, 3)
    site.lapse(site.runners[0][1])
    # In time, and ahead of the tick that the first runner has left, which is up to 5.6 s, however slowly this
    # test is executed.
    send(5_700, now_us() + 60_000 * MS)
    send(5_900, now_us() + 60_000 * MS)
    site.runner("bert").round()
    assert (site.frame().chunks, site.frame().overruns) == (4, 3)


def test_recent_frames_have_a_frame_per_quarter_second_and_is_bounded(site, monkeypatch):
    monkeypatch.setattr(recent_frames, "MOST_FRAMES", 8)
    runner = site.runner("anna")
    for ms in range(0, 5_000, 50):
        site.send(ms)
        runner.round()
        assert len(site.recent()) <= 8
    kept = site.recent()
    steps = [after.t - before.t for before, after in pairwise(kept)]
    assert steps == [250 * MS] * 7
    assert site.frame().t - kept[-1].t < 250 * MS
    assert 0 < site.client.ttl(keys.recent_frames(site.machine)) <= recent_frames.SPAN_S


def test_only_the_owner_writes_recent_frames(site):
    anna, bert = site.runner("anna"), site.runner("bert")
    site.send(0)
    site.send(400)
    anna.round()
    site.lapse(site.runners[0][1])
    site.send(1_000)
    bert.round()
    kept = site.recent()
    assert len(kept) == 2
    anna._share_at = time.monotonic()  # it does not look at its shares before it writes
    anna.round()
    assert site.recent() == kept


def test_another_runner_continues_from_the_checkpoint(site):
    site.send(0)
    site.send(400, 2.0)
    anna = site.runner("anna")
    anna.round()
    before = site.frame()
    site.lapse(site.runners[0][1])
    site.send(600, 3.0)
    site.runner("bert").round()
    after = site.frame()
    assert after.seq > before.seq
    assert after.epoch == before.epoch
    saved = site.checkpoint()
    assert json.loads(saved.twin) == ["start", {"crank.angle": 1.0}, steps(400), {"crank.angle": 2.0}]
    assert saved.token > 0


def test_a_runner_paused_past_its_lease_writes_nothing_more(site):
    anna, bert = site.runner("anna"), site.runner("bert")
    site.send(0)
    site.send(400)
    anna.round()
    site.lapse(site.runners[0][1])
    bert.round()
    site.send(600)
    bert.round()
    shown = site.frame()
    anna._share_at = time.monotonic()  # it does not look at its shares before it writes
    anna.round()
    assert site.frame() == shown
    assert not anna._hosts


def test_runners_share_the_shards_fairly(site):
    anna, bert = site.runner("anna"), site.runner("bert")
    anna.round()
    assert len(site.runners[0][1].all()) == SHARDS
    bert.round()
    anna._share_at = bert._share_at = 0.0
    anna.round()
    bert.round()
    shards = [[lease.shard for lease in leases.all()] for _, leases in site.runners]
    assert [len(part) for part in shards] == [2, 2]
    assert sorted(shards[0] + shards[1]) == list(range(SHARDS))


def test_a_poisoned_twin_fails_with_its_reason_and_its_neighbour_goes_on(site):
    site.specs.append(MachineSpec(uuid4(), "four-bar-b"))
    poisoned, neighbour = (spec.id for spec in site.specs)
    runner = site.runner("anna")
    for machine, angle in ((poisoned, POISON), (neighbour, 1.0)):
        site.send(0, machine=machine)
        site.send(100, angle, machine=machine)
        site.send(120, machine=machine)
        site.send(400, machine=machine)
    runner.round()
    assert site.frame(poisoned).status == "failed"
    assert "joint of 'crank'" in site.frame(poisoned).reason
    assert site.frame(poisoned).cause == Message("model.joint", {"part": "crank", "time": 0.0})
    assert site.frame(neighbour).status == "synced"
    site.send(6_000, machine=poisoned)
    runner.round()
    assert (site.frame(poisoned).status, site.frame(poisoned).epoch) == ("synced", 1)


class HardWorkingTwin(RecordingTwin):
    """Takes 5 ms of computing for each sample."""

    def advance(self, n_steps):
        super().advance(n_steps)
        began = time.thread_time()
        while time.thread_time() - began < 0.005:
            pass


def test_a_large_backlog_of_one_machine_does_not_hold_up_its_neighbour(site, monkeypatch):
    monkeypatch.setattr(twin_host, "SLICE_S", 0.02)
    site.specs.append(MachineSpec(uuid4(), "four-bar-b"))
    busy, neighbour = (spec.id for spec in site.specs)
    runner = site.runner("anna", lambda spec: (HardWorkingTwin(), CHANNELS))
    t = now_us() - 60_000 * MS
    backlog = [(n, t + n * 20_000, {"crank.angle": 1.0}) for n in range(100)]
    packed = entries.encode(entries.Samples("device", "boot", backlog[-1][1], backlog))
    site.client.xadd(keys.stream(busy), {entries.FIELD: packed})
    reached, rounds = backlog[-9][1], 0  # the last one before the watermark, 150 ms behind the newest
    while (site.frame(busy) is None or site.frame(busy).t_sample < reached) and rounds < 200:
        site.send(20 * rounds, machine=neighbour)
        runner.round()
        rounds += 1
        assert site.frame(neighbour).epoch == 1
    assert rounds > 10  # half a second of computing in turns of 20 ms
    assert site.frame(busy).t_sample == reached
    assert site.frame(busy).status == "stale"
    assert site.frame(busy).code == "twin.catching_up"


def test_a_machine_that_cannot_be_built_says_why_until_it_is_repaired(site):
    def build(spec):
        if spec.parameters:
            raise BadParameter("l20 = 7: must be 0.15 to 0.85 m")
        return RecordingTwin(), CHANNELS

    good = site.specs[0]
    site.specs = [MachineSpec(good.id, good.model, {"l20": 7})]
    runner = site.runner("anna", build)
    site.send(0)
    runner.round()
    frame = site.frame()
    assert (frame.status, frame.reason) == ("failed", "l20 = 7: must be 0.15 to 0.85 m")
    assert frame.code == "twin.not_built"
    site.specs = [good]
    runner._machines_at = 0.0
    runner.round()
    assert site.frame().status == "synced"


def test_a_bug_in_one_twin_does_not_stop_the_others(site, caplog):
    class Buggy(RecordingTwin):
        def values(self):
            raise ZeroDivisionError("a bug")

    site.specs.append(MachineSpec(uuid4(), "four-bar-b"))
    buggy, neighbour = (spec.id for spec in site.specs)
    runner = site.runner("anna", lambda spec: (Buggy() if spec.id == buggy else RecordingTwin(), CHANNELS))
    for machine in (buggy, neighbour):
        site.send(0, machine=machine)
    runner.round()
    assert (site.frame(buggy).status, site.frame(buggy).reason) == ("failed", "a bug")
    assert site.frame(buggy).code == "twin.internal_error"
    assert site.frame(neighbour).status == "synced"
    assert "ZeroDivisionError" in caplog.text


def test_an_unusable_checkpoint_restarts_the_twin_from_the_stream(site, caplog):
    site.client.set(keys.checkpoint(site.machine), b"nonsense")
    site.send(0)
    site.send(400)
    site.runner("anna").round()
    assert site.frame().status == "synced"
    assert "because its checkpoint is unreadable" in caplog.text


def test_an_unreadable_entry_is_skipped(site, caplog):
    site.send(0)
    site.client.xadd(keys.stream(site.machine), {"e": b"nonsense"})
    site.client.xadd(keys.stream(site.machine), {"other": b"x"})
    site.send(200)
    site.send(400)
    site.runner("anna").round()
    assert site.frame().t == site.t0 + 200 * MS
    assert caplog.text.count("skipped unreadable entry") == 2


def test_a_long_stream_is_worked_off_in_rounds(site):
    for ms in range(0, 100 * ENTRIES_PER_ROUND, 20):
        site.send(ms)
    runner = site.runner("anna")
    rounds = 0
    while not rounds or runner._behind:
        runner.round()
        rounds += 1
    assert rounds == 6
    assert site.frame().t > site.t0 + 1_500 * MS


def test_a_silent_machine_makes_its_twin_coast_through_the_stream(site, monkeypatch):
    runner = site.runner("anna")
    clock_us = now_us()
    site.t0 = clock_us - 400 * MS
    monkeypatch.setattr(time, "time_ns", lambda: 1000 * clock_us)  # in steps: a pause of 5 s makes it stale
    site.send(0)
    site.send(400)
    runner.round()
    assert site.frame().status == "synced"
    assert site.client.xlen(keys.stream(site.machine)) == 2
    for _ in range(20):
        clock_us += 100 * MS
        runner.round()
    assert site.frame().status == "coasting"
    assert site.client.xlen(keys.stream(site.machine)) > 2


def test_new_and_deleted_machines_are_noticed(site):
    runner = site.runner("anna")
    runner.round()
    new = MachineSpec(uuid4(), "four-bar-b")
    site.specs = [new]
    site.send(0, machine=new.id)
    runner._machines_at = 0.0
    runner.round()
    assert list(runner._hosts) == [new.id]
    assert site.frame(new.id) is not None


def test_leaving_saves_every_twin_and_gives_the_shards_back(site):
    runner = site.runner("anna")
    site.send(0)
    turns = iter([False] * 3 + [True])

    def leave() -> bool:
        site.send(400 + 20 * time.monotonic_ns() % 7)
        return next(turns)

    runner.run(leave)
    assert live_runners(site.client) == []
    assert not site.client.keys("ht:lease:*")
    newest = site.client.xrevrange(keys.stream(site.machine))
    assert site.checkpoint().last_id in {entry_id.decode() for entry_id, _ in newest[:2]}


@pytest.fixture
def old_entries(site):
    """Names of entries two hours old, one per millisecond."""
    old_ms = time.time_ns() // 1_000_000 - 2 * 3_600_000
    entry = entries.encode(entries.Tick(1, 1))
    for number in range(300):
        site.client.xadd(keys.stream(site.machine), {entries.FIELD: entry}, id=f"{old_ms + number}-0")
    return [f"{old_ms + number}-0" for number in range(300)]


def entries_left(site) -> list[str]:
    return [entry_id.decode() for entry_id, _ in site.client.xrange(keys.stream(site.machine))]


def test_old_entries_are_trimmed_but_never_above_the_checkpoint(site, old_entries):
    site.client.set(keys.history_position(site.machine), old_entries[-1])  # history has all of it
    site.send(0)
    runner = site.runner("anna")
    runner.round()
    runner._trim()
    first_saved = site.checkpoint().last_id
    assert site.client.xrange(keys.stream(site.machine), max=first_saved)  # not yet read past a whole node
    while runner._behind:
        runner.round()
    runner._commit(list(runner._hosts.values()), save=True)
    runner._trim()
    left = entries_left(site)
    assert 1 <= len(left) < 300
    assert left[-1] == site.checkpoint().last_id


@pytest.mark.parametrize("stored", [None, 0, 150, 299])
def test_what_history_has_not_stored_is_never_trimmed(site, old_entries, stored):
    if stored is not None:
        site.client.set(keys.history_position(site.machine), old_entries[stored])
    site.send(0)
    runner = site.runner("anna")
    runner.round()
    while runner._behind:
        runner.round()
    runner._commit(list(runner._hosts.values()), save=True)
    runner._trim()
    left = entries_left(site)
    assert left[-301 + (stored or 0) :] == [*old_entries[stored or 0 :], left[-1]]
    assert (len(left) < 301) == (stored is not None and stored >= 100)  # a node has a hundred


def test_a_machine_without_a_twin_does_not_fill_its_stream(site, old_entries):
    def fails(spec):
        raise BadParameter("no such machine")

    site.client.set(keys.history_position(site.machine), old_entries[-1])
    runner = site.runner("anna", fails)
    runner.round()
    runner._trim()
    assert len(entries_left(site)) < 300


def test_an_outage_of_the_server_is_survived(site, valkey):
    runner = site.runner("anna")
    site.send(0)
    site.send(400)
    steps = iter(["", "", "stop", "", "", "start", "", "send"])
    deadline = time.monotonic() + PATIENCE_S

    def leave() -> bool:
        match next(steps, "look"):
            case "stop":
                valkey.stop()
            case "start":
                valkey.start()
            case "send":
                site.send(3_000)
                site.send(3_200)  # moves the watermark past the one before
            case "look":
                return site.frame().t_sample == site.t0 + 3_000 * MS or time.monotonic() > deadline
        return False

    runner.run(leave)
    assert site.frame().t_sample == site.t0 + 3_000 * MS
    assert site.frame().epoch == 1
