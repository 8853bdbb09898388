"""From the machine to the frame, with every part killed once."""

import os
import signal
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from uuid import UUID

import pytest
from django.conf import settings

from simcore import registry
from simcore.model import channel_table
from simcore.model.virtual import with_virtual_sensors
from tests.system.replayed import (
    assert_bit_identical,
    assert_nothing_lost_or_doubled,
    wait_last_checkpoint,
    wait_new_pid,
)
from tests.system.stack import RUNNERS, Stack, now_us, pid_of
from tests.waiting import PATIENCE_S, wait_for
from twin import keys
from twin.ingest.append import Appender, Source
from twin.runtime.frames import Frame
from twin.runtime.sharding import shard_of
from twin.valkey.aof_sync import AppendOnlyFile

pytestmark = pytest.mark.system


def owner_pid(stack: Stack) -> int | None:
    """The process that holds the lease of the machine's shard, if one does."""
    stamp = stack.client.get(lease_key(stack))
    return pid_of(stamp.decode().rsplit(":", 1)[0]) if stamp else None


def lease_key(stack: Stack) -> str:
    return keys.lease(shard_of(UUID(stack.machine), settings.SHARDS))


def wait_new_owner(stack: Stack, old: int) -> None:
    wait_for(lambda: owner_pid(stack) not in (None, old), "another runner has taken the machine's shard")


def steps_of(frames: list[Frame]) -> tuple[float, float]:
    """Server time from frame to frame, in the middle, and machine time per server time; over some frames."""
    steps = [(after.ts - before.ts) / 1e6 for before, after in pairwise(frames)]
    return statistics.median(steps), (frames[-1].t - frames[0].t) / (frames[-1].ts - frames[0].ts)


def test_the_twin_follows_the_machine_at_twenty_frames_a_second(stack):
    with stack.following_frames() as following:

        def in_step() -> Frame | None:
            """Three seconds without a hiccup: others may use the computer, too."""
            frames = [following() for _ in range(60)]
            step_s, pace = steps_of(frames)
            smooth = step_s == pytest.approx(0.05, abs=0.02) and pace == pytest.approx(1.0, abs=0.15)
            return frames[-1] if smooth and frames[-1].status == "synced" else None

        last = wait_for(in_step, "three seconds of frames in step with the machine", 2 * PATIENCE_S)
    assert last.load < 0.5
    channels = channel_table(with_virtual_sensors(registry.get("four-bar-b").build()))
    flags = dict(zip((channel.name for channel in channels), last.flags, strict=True))
    assert flags["hose.p"] == 0b1011111  # value, sigma, reading, uncorrected, innovation; an estimate
    for name in ("cylinder.p_A", "throttle.flow", "pump.power"):
        assert flags[name] == 0b1001011  # estimated: no sensor measures it
    assert flags["valve.command"] & 0b1100110 == 0b0100100  # commands are given, they have no sigma
    assert last.health is not None
    assert last.health.low < 1.0 < last.health.high
    assert list(last.findings) == []


def test_a_killed_runner_is_replaced_and_nothing_differs(stack):
    pid, before = owner_pid(stack), stack.frame()
    os.kill(pid, signal.SIGKILL)
    wait_new_owner(stack, pid)
    after = stack.wait_synced()
    assert (after.epoch, after.seq > before.seq) == (before.epoch, True)
    wait_for(lambda: replaced(stack, pid), "a new runner in its place")
    assert_bit_identical(stack)


def replaced(stack: Stack, pid: int) -> bool:
    runners = stack.runner_pids()
    return pid not in runners and len(runners) == RUNNERS


def test_a_paused_runner_loses_its_twins_and_writes_nothing_late(stack):
    pid = owner_pid(stack)
    with stack.following_frames() as following:
        os.kill(pid, signal.SIGSTOP)
        try:
            wait_new_owner(stack, pid)
            stack.wait_synced()
        finally:
            os.kill(pid, signal.SIGCONT)
        wait_for(lambda: pid in stack.runner_pids(), "the paused runner is back")
        until = stack.wait_synced().seq + 20
        seqs = [following().seq]
        while seqs[-1] < until:
            seqs.append(following().seq)
    assert seqs == sorted(set(seqs))
    assert_bit_identical(stack)


@pytest.mark.parametrize("services", [("twins",), ("twins", "jobs")])
def test_killed_workers_come_back_and_nothing_differs(stack, services):
    """The whole worker at once, parent and children: nobody is left to take over."""
    runners, before = set(stack.runner_pids()), stack.frame()
    old = {service: stack.pid(service) for service in services}
    for pid in old.values():
        os.killpg(pid, signal.SIGKILL)  # each service leads a group of its own
    for service, pid in old.items():
        wait_new_pid(stack, service, pid)
    after = stack.wait_synced()
    assert runners.isdisjoint({owner_pid(stack)})
    assert after.epoch == before.epoch
    assert_bit_identical(stack)


def test_nothing_is_lost_when_the_web_and_the_telemetry_server_are_killed(stack):
    for service in ("web", "telemetry"):
        old = stack.pid(service)
        os.kill(old, signal.SIGKILL)
        wait_new_pid(stack, service, old)
        stack.wait_synced()
    stack.stop_emulator()
    assert_nothing_lost_or_doubled(stack)
    stack.wait_status("stale")
    wait_last_checkpoint(stack)
    assert_bit_identical(stack)


def test_runners_come_back_after_the_broker_was_killed(stack):
    old, runners = stack.pid("broker"), set(stack.runner_pids())
    os.kill(old, signal.SIGKILL)
    wait_new_pid(stack, "broker", old)
    stack.wait_synced()
    wait_for(lambda: set(stack.runner_pids()) == runners, "the same runners: they do not need the broker")
    victim = min(runners)
    os.kill(victim, signal.SIGKILL)
    wait_for(lambda: replaced(stack, victim), "a new runner in its place", 2 * PATIENCE_S)


@contextmanager
def endings(stack: Stack, key: str) -> Iterator[Callable[[], str]]:
    """How a key ends, each time it does: "del" if somebody deleted it, "expired" if its time was over."""
    stack.client.config_set("notify-keyspace-events", "Kgx")
    try:
        with stack.client.pubsub() as subscription:
            subscription.subscribe(f"__keyspace@0__:{key}")

            def ended() -> str | None:
                message = subscription.get_message(timeout=1.0)
                said = message["data"] if message and message["type"] == "message" else b""
                return said.decode() if said in (b"del", b"expired") else None

            wait_for(lambda: subscription.get_message(timeout=1.0), "the subscription")
            yield lambda: wait_for(ended, f"the end of {key}")
    finally:
        stack.client.config_set("notify-keyspace-events", "")


def test_a_draining_worker_saves_its_twins_and_gives_its_shards_back(stack):
    left = stack.log("twins").count("and left")
    old = stack.pid("twins")
    with endings(stack, lease_key(stack)) as next_ending:
        os.kill(old, signal.SIGTERM)
        assert next_ending() == "del"  # given back, not lapsed: nobody has to wait for it
    wait_for(lambda: stack.log("twins").count("and left") == left + RUNNERS, "runners leave")
    wait_new_pid(stack, "twins", old)
    stack.wait_synced()
    assert_bit_identical(stack)


def test_a_silent_machine_makes_its_twin_coast_then_stale_and_it_comes_back(stack):
    with stack.following_frames() as following:
        stack.stop_emulator()
        words = [following().status]
        while words[-1] != "stale":
            words.append(following().status)
    assert "coasting" in words
    stale = stack.wait_status("stale")
    assert stale.t - stale.t_sample >= 5_000_000
    length = stack.client.xlen(keys.stream(stack.machine))
    time.sleep(1.0)
    assert stack.client.xlen(keys.stream(stack.machine)) == length  # a stale twin needs no ticks
    stack.start_emulator(seed=2)
    back = stack.wait_synced()
    assert back.epoch >= stale.epoch
    assert_nothing_lost_or_doubled(stack)


@pytest.fixture
def poisoned(stack):
    """Another machine and its device; deleted afterwards."""
    made = stack.django(
        "from twin.fleet.models import Machine\n"
        "from twin.fleet import services\n"
        f"rig = Machine.objects.for_runtime().get(id={stack.machine!r})\n"
        "machine = services.create_machine(rig.organisation, 'Poisoned')\n"
        "print(machine.id, services.create_device(machine, 'Controller').id)"
    )
    machine, device = made.splitlines()[-1].split()
    yield machine, device
    rows = f"Machine.objects.for_runtime().filter(id='{machine}')"
    stack.django(f"from twin.fleet.models import Machine\n{rows}.delete()")


def test_a_poisoned_machine_is_shown_as_failed_and_its_neighbour_goes_on(stack, poisoned):
    machine, device = poisoned
    poison = [(0, now_us(), {"crank.angle": 3.1})]  # the piston would be outside its tube
    Appender(stack.pipeline, AppendOnlyFile("")).append(Source(machine, device, "boot"), poison, now_us())
    failed = stack.wait_status("failed", machine)
    assert "crank.angle" in failed.reason
    stack.wait_synced()
