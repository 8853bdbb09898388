"""After the load: is every acknowledged sample stored, and are the states those of an undisturbed run?"""

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
TOLD_S = 2.0
PAGE = 2_000  # entries

Tell = Callable[[str], None]


def wait_settled(client: Redis, machines: Sequence[str], watch: Callable[[], None], tell: Tell) -> list[str]:
    """Until the twins have seen and saved, and history has stored, all there is; who has not in the end."""
    deadline, told = time.monotonic() + PATIENCE_S, 0.0
    while True:
        open_ = [machine for machine in machines if not _settled(client, machine)]
        if not open_ or time.monotonic() > deadline:
            return open_
        if time.monotonic() - told > TOLD_S:
            told = time.monotonic()
            tell(f"waiting until everything is saved and stored, {len(open_)} machines to go")
        watch()
        time.sleep(LOOK_S)


def _settled(client: Redis, machine: str) -> bool:
    newest: Any = client.xrevrange(keys.stream(machine), count=1)
    saved, stored = checkpoint_of(client, machine), client.get(keys.history(machine))
    if not newest or saved is None:
        return not newest
    last_id = newest[0][0]
    fused_us, tick_ended_us = saved.book.fused_us, 5_000_000  # then a silent twin is stale, and ticks end
    at_rest = saved.book.watermark_us >= fused_us + tick_ended_us or bool(saved.book.failure)
    return at_rest and saved.last_id == last_id.decode() and stored == last_id


def checkpoint_of(client: Redis, machine: str) -> Checkpoint | None:
    data: Any = client.get(keys.checkpoint(machine))
    return msgspec.msgpack.decode(data, type=Checkpoint) if data else None


def lost(machine: Machine, runs: Sequence[Sequence[int]]) -> int:
    """Samples that were acknowledged and are not stored."""
    stored = sum(max(0, min(last, machine.acked - 1) - first + 1) for first, last in runs)
    return machine.acked - machine.refused - stored


def strange(machines: Sequence[Machine], stored: Mapping[str, Sequence[Sequence[int]]]) -> list[str]:
    """What is stored that nobody has sent, or stored twice: by machine, with the runs of its numbers."""
    sent = {machine.who.machine: machine.sent for machine in machines}
    found = []
    for name, runs in stored.items():
        numbers = sorted(map(tuple, runs))
        twice = any(first <= last for (_, last), (first, _) in pairwise(numbers))
        if twice or any(last >= sent.get(name, 0) for _, last in numbers):
            found.append(f"{name} of {sent.get(name, 0)} sent: {numbers[:3]} ... {numbers[-3:]}")
    return found


def different(client: Redis, machines: Sequence[str], model: str, tell: Tell) -> list[str]:
    """Machines whose twin is not, bit by bit, what the same stream makes of a twin that nobody disturbs."""
    found, told = [], time.monotonic()
    for number, machine in enumerate(machines):
        saved = checkpoint_of(client, machine)
        if saved is None or not _same(saved, _undisturbed(client, machine, model)):
            found.append(machine)
        if time.monotonic() - told > TOLD_S:
            told = time.monotonic()
            tell(f"replaying the streams, {number + 1} of {len(machines)}")
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
    book = msgspec.msgpack.encode(session.book) == msgspec.msgpack.encode(saved.book)
    return book and (not saved.twin or session.twin.dump() == saved.twin)
