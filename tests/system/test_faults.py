"""Faults in small form that need the whole platform: nothing acknowledged is lost, and no state differs.

Killed runners, workers, web and telemetry server are in test_live_path, bridge and MQTT broker in
test_ingest_mqtt; all of them under load are in `manage.py loadtest`.
"""

import json
import os
import resource
import signal
import sqlite3
import time
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from redis.exceptions import ResponseError

from tests.system.replayed import (
    assert_bit_identical,
    assert_nothing_lost_or_doubled,
    checkpoint_of,
    stream_of,
    wait_new_pid,
)
from tests.system.stack import Stack, now_us
from tests.waiting import PATIENCE_S, wait_for
from twin import keys
from twin.ingest import entries

pytestmark = pytest.mark.system

STORED = """
import json
from twin.history.columns import unpack
from twin.history.models import Segment
rows = Segment.objects.for_runtime().filter(machine={machine!r}).order_by("id")
print(json.dumps([[int(s), *c.sources[i]] for c in map(lambda r: unpack(r.data), rows)
                  for s, i in zip(c.seq, c.source)]))
"""
POSITION = "SELECT last_id FROM history_position WHERE machine_id = ?"


def newest(stack: Stack, machine: str | None = None) -> bytes:
    return stack.client.xrevrange(keys.stream(machine or stack.machine), count=1)[0][0]


def wait_stored(stack: Stack) -> None:
    """History has everything that is in the stream now."""
    wanted = newest(stack)

    def stored() -> bool:
        place = stack.client.get(keys.history_position(stack.machine))
        return place is not None and number(place) >= number(wanted)

    wait_for(stored, "history has caught up", 2 * PATIENCE_S)


def number(entry_id: bytes) -> tuple[int, ...]:
    return tuple(map(int, entry_id.split(b"-")))


def assert_history_is_the_stream(stack: Stack) -> None:
    """Every sample of the stream once, in its order; the writer may have got further meanwhile."""
    stream = [
        [seq, entry.device, entry.boot]
        for entry in stream_of(stack)
        if isinstance(entry, entries.Samples)
        for seq, _, _ in entry.samples
    ]
    wait_stored(stack)
    found = json.loads(stack.django(STORED.format(machine=stack.machine)).splitlines()[-1])
    assert found[: len(stream)] == stream


def test_a_history_writer_that_is_killed_or_stands_still_loses_and_doubles_nothing(stack):
    wait_stored(stack)
    for _ in range(2):
        old = stack.pid("history")
        os.killpg(old, signal.SIGKILL)
        wait_new_pid(stack, "history", old)
    wait_stored(stack)
    group = stack.pid("history")
    os.killpg(group, signal.SIGSTOP)
    try:
        stack.wait_synced()  # nobody waits for history
        assert number(stack.client.get(keys.history_position(stack.machine))) < number(newest(stack))
    finally:
        os.killpg(group, signal.SIGCONT)
    assert_history_is_the_stream(stack)


def test_twins_go_on_while_the_database_takes_nothing(stack):
    lock = sqlite3.connect(stack.data / "hydratwin.sqlite3", isolation_level=None, timeout=PATIENCE_S)
    try:
        lock.execute("BEGIN EXCLUSIVE")
        # what is stored by now; that it is, the writer may be about to tell
        (before,) = lock.execute(POSITION, (UUID(stack.machine).hex,)).fetchone()
        for _ in range(3):
            stack.wait_synced()
        assert number(stack.client.get(keys.history_position(stack.machine))) <= number(before.encode())
        lock.execute("ROLLBACK")
    finally:
        lock.close()
    assert_history_is_the_stream(stack)


def test_a_telemetry_server_that_stands_still_past_every_lease_changes_no_state(stack):
    group, before = stack.pid("telemetry"), stack.frame()
    os.killpg(group, signal.SIGSTOP)
    try:
        time.sleep(3.0)  # longer than a lease and the patience of those who ask
    finally:
        os.killpg(group, signal.SIGCONT)
    after = stack.wait_synced()
    assert after.epoch == before.epoch
    assert_nothing_lost_or_doubled(stack)
    assert_bit_identical(stack)


def test_while_the_disk_is_full_nothing_is_acknowledged_and_afterwards_nothing_is_lost(stack):
    pid = stack.pid("telemetry")
    files = Path(stack.data / "telemetry").rglob("*.aof")
    size = max(file.stat().st_size for file in files) + 1000
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))  # a write ends in its middle
    try:
        wait_for(lambda: refuses_writes(stack), "the server refuses to write")
        headers = {"Authorization": f"Bearer {stack.demo.facts()['own']['token']}"}
        samples = [{"seq": 0, "t": now_us(), "channels": {"hose.p": 2.5e6}}]
        body = {"boot": "full", "samples": samples}
        answer = httpx.post(f"{stack.url}/api/v1/telemetry", json=body, headers=headers, timeout=PATIENCE_S)
        assert answer.status_code == 503
        time.sleep(3.0)  # past every lease
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    wait_for(lambda: not refuses_writes(stack), "the server writes again")
    stack.wait_synced()
    assert stack.pid("telemetry") == pid
    assert_nothing_lost_or_doubled(stack)
    assert_bit_identical(stack)
    assert_history_is_the_stream(stack)


def refuses_writes(stack: Stack) -> bool:
    try:
        stack.client.ping()
    except ResponseError as error:
        return str(error).startswith("MISCONF")
    return False


def test_a_machine_that_sets_its_clock_loses_nothing_and_its_twin_can_be_replayed(stack):
    own = stack.demo.facts()["own"]
    sent = 0
    headers = {"Authorization": f"Bearer {own['token']}"}
    with httpx.Client(base_url=stack.url, headers=headers, timeout=PATIENCE_S) as device:
        for shift_us in (0, 1_500_000, -30_000_000, 0):
            now = now_us() + shift_us
            readings = {"crank.angle": 0.9, "crank.rate": 0.0, "hose.p": 2.5e6, "valve.command": 0.0}
            samples = [
                {"seq": sent + k, "t": now + 20_000 * (k - 50), "channels": readings} for k in range(50)
            ]
            answer = device.post("/api/v1/telemetry", json={"boot": "clock", "samples": samples})
            assert answer.json() == {"accepted": 50, "duplicate": 0, "rejected": []}
            sent += 50
    wait_for(lambda: stack.frame(own["machine"]), "a frame of the machine")
    found = [
        seq
        for entry in stream_of(stack, machine=own["machine"])
        if isinstance(entry, entries.Samples)
        for seq, _, _ in entry.samples
    ]
    assert found == list(range(sent))
    last = newest(stack, own["machine"]).decode()
    wait_for(lambda: number(checkpoint_id(stack, own["machine"])) >= number(last.encode()), "a checkpoint")
    assert_bit_identical(stack, own["machine"])


def checkpoint_id(stack: Stack, machine: str) -> bytes:
    known = stack.client.exists(keys.checkpoint(machine))
    return checkpoint_of(stack, machine).last_id.encode() if known else b"0-0"
