"""What the platform made of a stream, beside the same stream replayed by a twin that nobody disturbs."""

from uuid import UUID

import msgspec
from django.conf import settings

from tests.system.stack import Stack
from tests.waiting import wait_for
from twin import keys
from twin.ingest import entries
from twin.runtime.checkpoint import Checkpoint
from twin.runtime.session import TwinSession
from twin.runtime.specs import DT_US, MachineSpec, build_twin


def stream_of(
    stack: Stack, after: str = "-", until: str = "+", machine: str | None = None
) -> list[entries.Entry]:
    raw = stack.client.xrange(keys.stream(machine or stack.machine), min=after, max=until)
    return [entries.decode(fields[entries.FIELD]) for _, fields in raw]


def checkpoint_of(stack: Stack, machine: str | None = None) -> Checkpoint:
    data = stack.client.get(keys.checkpoint(machine or stack.machine))
    return msgspec.msgpack.decode(data, type=Checkpoint)


def undisturbed(stack: Stack, saved: Checkpoint, machine: str | None = None) -> TwinSession:
    """The same stream once more, in one go, by a twin that nobody disturbs."""
    twin, channels = build_twin(MachineSpec(UUID(machine or stack.machine), "four-bar-b"))
    session = TwinSession(twin, channels, dt_us=DT_US, delay_us=settings.TELEMETRY_DELAY_US)
    for entry in stream_of(stack, until=saved.last_id, machine=machine):
        session.feed(entry)
    if saved.record.taken:  # saved in the middle of the next entry
        following = stream_of(stack, after=f"({saved.last_id}", machine=machine)[0]
        session.feed(following, lambda: session.record.taken == saved.record.taken)
    return session


def assert_bit_identical(stack: Stack, machine: str | None = None) -> None:
    saved = checkpoint_of(stack, machine)
    session = undisturbed(stack, saved, machine)
    assert msgspec.msgpack.encode(session.record) == msgspec.msgpack.encode(saved.record)
    assert session.twin.dump() == saved.twin


def assert_nothing_lost_or_doubled(stack: Stack) -> None:
    seqs: dict[str, list[int]] = {}
    for entry in stream_of(stack):
        if isinstance(entry, entries.Samples):
            seqs.setdefault(entry.boot, []).extend(seq for seq, _, _ in entry.samples)
    for found in seqs.values():
        assert found == list(range(len(found)))


def wait_new_pid(stack: Stack, service: str, old: int) -> None:
    wait_for(lambda: stack.pid(service) != old, f"{service} restarted")


def wait_last_checkpoint(stack: Stack) -> None:
    """Of a machine whose stream has ended."""
    (newest,) = stack.client.xrevrange(keys.stream(stack.machine), count=1)
    wait_for(lambda: checkpoint_of(stack).last_id == newest[0].decode(), "a checkpoint of the last entry")
