"""Checks after a load test that acknowledged samples are stored and that the states of twins are correct."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from redis import Redis

from twin import keys
from twin.ingest import entries
from twin.runtime.checkpoint import Checkpoint
from twin.runtime.session import TwinSession
from twin.runtime.specs import DT_US, MachineSpec, build_twin
from workers.loadtest.machine import Machine
from workers.loadtest.recording import played_models

PATIENCE_S = 120.0
LOOK_S = 0.25
PROGRESS_S = 2.0
PAGE = 2_000  # entries

Progress = Callable[[str], None]


def wait_settled(
    client: Redis, machines: Sequence[str], restart_crashed: Callable[[], None], progress: Progress
) -> list[str]:
    """Wait until twins have saved and history has stored all entries; return machines not finished."""
    deadline, reported = time.monotonic() + PATIENCE_S, 0.0
    while True:
        open_ = [machine for machine in machines if not _settled(client, machine)]
        if not open_ or time.monotonic() > deadline:
            return open_
        if time.monotonic() - reported > PROGRESS_S:
            reported = time.monotonic()
            progress(f"waiting until all samples are saved and stored; {len(open_)} machines left")
        restart_crashed()
        time.sleep(LOOK_S)


def _settled(client: Redis, machine: str) -> bool:
    newest: Any = client.xrevrange(keys.stream(machine), count=1)
    saved, stored = checkpoint_of(client, machine), client.get(keys.history_position(machine))
    if not newest or saved is None:
        return not newest
    last_id = newest[0][0]
    fused_us, tick_ended_us = saved.record.fused_us, 5_000_000  # then a silent twin is stale, and ticks end
    at_rest = saved.record.watermark_us >= fused_us + tick_ended_us or bool(saved.record.failure)
    return at_rest and saved.last_id == last_id.decode() and stored == last_id


def checkpoint_of(client: Redis, machine: str) -> Checkpoint | None:
    data: Any = client.get(keys.checkpoint(machine))
    return msgspec.msgpack.decode(data, type=Checkpoint) if data else None


def lost(machine: Machine, runs: Sequence[Sequence[int]]) -> int:
    """Return the number of samples that were acknowledged but not stored."""
    stored = sum(max(0, min(last, machine.acked - 1) - first + 1) for first, last in runs)
    return machine.acked - machine.refused - stored


def strange(machines: Sequence[Machine], stored: Mapping[str, Sequence[Sequence[int]]]) -> list[str]:
    """Return machines with samples that were stored twice or never sent, with the runs of stored numbers."""
    sent = {machine.credentials.machine: machine.sent for machine in machines}
    found = []
    for name, runs in stored.items():
        numbers = sorted(map(tuple, runs))
        twice = any(first <= last for (_, last), (first, _) in pairwise(numbers))
        if twice or any(last >= sent.get(name, 0) for _, last in numbers):
            found.append(f"{name}: {sent.get(name, 0)} sent, stored {numbers[:3]} ... {numbers[-3:]}")
    return found


def different(client: Redis, machines: Sequence[str], model: str, progress: Progress) -> list[str]:
    """Return machines whose state is not bit-identical to an undisturbed twin fed from the same stream."""
    found, reported = [], time.monotonic()
    for number, machine in enumerate(machines):
        saved = checkpoint_of(client, machine)
        if saved is None or not _same(saved, _undisturbed(client, machine, model)):
            found.append(machine)
        if time.monotonic() - reported > PROGRESS_S:
            reported = time.monotonic()
            progress(f"replaying the streams, {number + 1} of {len(machines)}")
    return found


def _undisturbed(client: Redis, machine: str, model: str) -> TwinSession:
    twin, channels = build_twin(MachineSpec(UUID(machine), model, played_models()[model]))
    session = TwinSession(twin, channels, dt_us=DT_US, delay_us=settings.TELEMETRY_DELAY_US)
    for entry in _stream(client, machine):
        session.feed(entry)
    return session


def _stream(client: Redis, machine: str) -> Iterator[entries.Entry]:
    after = "-"
    while True:
        page: Any = client.xrange(keys.stream(machine), min=after, count=PAGE)
        for _, fields in page:
            yield entries.decode(fields[entries.FIELD])
        if len(page) < PAGE:
            return
        after = f"({page[-1][0].decode()}"


def _same(saved: Checkpoint, session: TwinSession) -> bool:
    same_record = msgspec.msgpack.encode(session.record) == msgspec.msgpack.encode(saved.record)
    return same_record and (not saved.twin or session.twin.dump() == saved.twin)
