"""From the machine to the frame, with every part killed once."""

import os
import signal
import time
from uuid import UUID

import msgspec
import pytest
from django.conf import settings

from simcore import cases
from simcore.model import channel_table
from tests.system.stack import Stack, wait_for
from twin import keys
from twin.runtime.checkpoint import Checkpoint
from twin.runtime.session import TwinSession
from twin.runtime.shards import shard_of
from twin.runtime.specs import DT_US, MachineSpec, build_twin
from twin.telemetry import entries
from twin.telemetry.append import Appender, Source

pytestmark = pytest.mark.system


def stream_of(stack: Stack, after: str = "-", until: str = "+") -> list[entries.Entry]:
    raw = stack.client.xrange(keys.stream(stack.machine), min=after, max=until)
    return [entries.decode(fields[entries.FIELD]) for _, fields in raw]


def checkpoint_of(stack: Stack) -> Checkpoint:
    return msgspec.msgpack.decode(stack.client.get(keys.checkpoint(stack.machine)), type=Checkpoint)


def undisturbed(stack: Stack, saved: Checkpoint) -> TwinSession:
    """The same stream once more, in one go, by a twin that nobody disturbs."""
    twin, channels = build_twin(MachineSpec(UUID(stack.machine), "four-bar-b"))
    session = TwinSession(twin, channels, dt_us=DT_US, delay_us=settings.TELEMETRY_DELAY_US)
    for entry in stream_of(stack, until=saved.last_id):
        session.feed(entry)
    if saved.book.taken:  # saved in the middle of the next entry
        following = stream_of(stack, after=f"({saved.last_id}")[0]
        session.feed(following, lambda: session.book.taken == saved.book.taken)
    return session


def assert_bit_identical(stack: Stack) -> None:
    saved = checkpoint_of(stack)
    session = undisturbed(stack, saved)
    assert msgspec.msgpack.encode(session.book) == msgspec.msgpack.encode(saved.book)
    assert session.twin.dump() == saved.twin


def assert_nothing_lost_or_doubled(stack: Stack) -> None:
    seqs: dict[str, list[int]] = {}
    for entry in stream_of(stack):
        if isinstance(entry, entries.Samples):
            seqs.setdefault(entry.boot, []).extend(seq for seq, _, _ in entry.samples)
    for found in seqs.values():
        assert found == list(range(len(found)))


def owner_pid(stack: Stack) -> int:
    """The process that holds the lease of the machine's shard."""
    lease = keys.lease(shard_of(UUID(stack.machine), settings.SHARDS))
    stamp = wait_for(lambda: stack.client.get(lease), 5, "an owner of the machine's shard")
    owner, _token = stamp.decode().rsplit(":", 1)
    return int(owner.split(".")[-2])


def test_the_twin_follows_the_machine_at_twenty_frames_a_second(stack):
    first = stack.wait_next_frame()
    time.sleep(3.0)
    last = stack.frame()
    assert last.status == "synced"
    assert (last.seq - first.seq) / 3.0 > 12
    assert (last.t - first.t) / 3e6 == pytest.approx(1.0, abs=0.15)
    assert last.load < 0.5
    channels = channel_table(cases.get("four-bar-b").build())
    flags = dict(zip((channel.name for channel in channels), last.flags, strict=True))
    assert flags["hose.p"] == 0b111  # value, sigma and a reading
    assert flags["cylinder.p_A"] == 0b011  # estimated: no sensor measures it
    assert flags["valve.command"] & 0b110 == 0b100  # commands are known, they have no sigma


def test_a_killed_runner_is_replaced_within_five_seconds_and_nothing_differs(stack):
    pid = owner_pid(stack)
    before = stack.wait_next_frame()
    os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    time.sleep(0.3)  # what it had already sent is no sign of life
    after = stack.wait_next_frame(5.0)
    assert time.monotonic() - began < 5.0
    assert after.epoch == before.epoch
    assert owner_pid(stack) != pid
    wait_for(lambda: len(stack.runner_pids()) == os.cpu_count(), 20, "a new runner in its place")
    stack.wait_status("synced")
    assert_bit_identical(stack)


def test_a_paused_runner_loses_its_twins_and_writes_nothing_late(stack):
    pid = owner_pid(stack)
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(0.3)
        stack.wait_next_frame(6.0)
        assert owner_pid(stack) != pid
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_for(lambda: pid in stack.runner_pids(), 10, "the paused runner is back")
    seqs = []
    for _ in range(20):
        seqs.append(stack.wait_next_frame().seq)
    assert seqs == sorted(set(seqs))
    assert_bit_identical(stack)


def test_nothing_is_lost_when_the_web_and_the_telemetry_server_are_killed(stack):
    for service in ("web", "telemetry"):
        old = stack.pid(service)
        os.kill(old, signal.SIGKILL)
        wait_for(lambda old=old, service=service: stack.pid(service) != old, 10, f"{service} restarted")
        time.sleep(1.0)
        stack.wait_status("synced", 30)
        stack.wait_next_frame(30)
    time.sleep(1.0)
    stack.stop_emulator()
    assert_nothing_lost_or_doubled(stack)
    stack.wait_status("stale")
    time.sleep(1.2)  # the last checkpoint
    assert_bit_identical(stack)


def test_runners_come_back_after_the_broker_was_killed(stack):
    old = stack.pid("broker")
    os.kill(old, signal.SIGKILL)
    wait_for(lambda: stack.pid("broker") != old, 10, "broker restarted")
    assert stack.wait_next_frame(3.0).status == "synced"  # runners do not need it
    os.kill(stack.runner_pids()[0], signal.SIGKILL)
    wait_for(lambda: len(stack.runner_pids()) < os.cpu_count(), 5, "a runner is missing")
    wait_for(lambda: len(stack.runner_pids()) == os.cpu_count(), 30, "a new runner in its place")


def test_a_draining_worker_saves_its_twins_and_leaves_at_once(stack):
    left = stack.log("twins").count("and left")
    old = stack.pid("twins")
    os.kill(old, signal.SIGTERM)
    wait_for(lambda: stack.log("twins").count("and left") == left + os.cpu_count(), 5, "runners leave")
    wait_for(lambda: not stack.client.keys(f"{keys.PREFIX}lease:*"), 0.5, "leases given back, not lapsed")
    wait_for(lambda: stack.pid("twins") != old, 10, "a new worker")
    stack.wait_next_frame(30)
    assert_bit_identical(stack)


def test_a_silent_machine_makes_its_twin_coast_then_stale_and_it_comes_back(stack):
    stack.stop_emulator()
    stack.wait_status("coasting", 3)
    stale = stack.wait_status("stale", 10)
    assert stale.t - stale.t_sample >= 5_000_000
    length = stack.client.xlen(keys.stream(stack.machine))
    time.sleep(1.0)
    assert stack.client.xlen(keys.stream(stack.machine)) == length  # a stale twin needs no ticks
    stack.start_emulator(seed=2)
    back = stack.wait_status("synced", 20)
    assert back.epoch >= stale.epoch
    assert_nothing_lost_or_doubled(stack)


def test_a_poisoned_machine_is_shown_as_failed_and_its_neighbour_goes_on(stack):
    made = stack.django(
        "from twin.fleet.models import Machine\n"
        "from twin.fleet import services\n"
        f"rig = Machine.objects.for_runtime().get(id={stack.machine!r})\n"
        "machine = services.create_machine(rig.organisation, 'Poisoned')\n"
        "print(machine.id, services.create_device(machine, 'Controller').id)"
    )
    machine, device = made.splitlines()[-1].split()
    now = time.time_ns() // 1000
    poison = [(0, now, {"crank.angle": 3.1})]  # the piston would be outside its tube
    Appender(stack.client).append(Source(machine, device, "boot"), poison, now)
    failed = stack.wait_status("failed", 10, machine)
    assert "piston" in failed.reason
    assert stack.wait_next_frame().status == "synced"
    rows = f"Machine.objects.for_runtime().filter(id='{machine}')"
    stack.django(f"from twin.fleet.models import Machine\n{rows}.delete()")
