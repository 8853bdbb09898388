"""Leases on a real Valkey: one owner at a time, and no late writes."""

from uuid import uuid4

import pytest
from redis import Redis

from tests.waiting import PATIENCE_S, wait_for
from twin import keys
from twin.runtime.fenced_writes import Commit, FencedWriter
from twin.runtime.lease import Lease, Leases


@pytest.fixture
def client(valkey):
    with valkey.client() as client:
        yield client


@pytest.fixture
def commit(valkey):
    writer = FencedWriter(valkey.pipeline)

    def commit(lease: Lease, frame: bytes | None, checkpoint: bytes | None, machine=None) -> bool:
        writer.commit(lease, Commit(machine or uuid4(), frame, checkpoint, "1-0"))
        return writer.send()[0].made

    return commit


def lapse(client: Redis, lease: Lease) -> None:
    """What time does to a lease that is not renewed."""
    client.delete(keys.lease(lease.shard))


def test_a_shard_has_one_owner_at_a_time(client):
    anna, bert = Leases(client, "anna", 10_000), Leases(client, "bert", 10_000)
    assert [lease.shard for lease in anna.acquire([1, 2])] == [1, 2]
    assert [lease.shard for lease in bert.acquire([1, 2, 3])] == [3]


def test_no_two_leases_of_a_shard_have_the_same_token(client):
    owners = [Leases(client, name, 10_000) for name in ("anna", "bert", "anna")]
    tokens = []
    for turn in range(12):
        (lease,) = owners[turn % 3].acquire([7])
        tokens.append(lease.token)
        if turn % 2:
            lapse(client, lease)
        else:
            owners[turn % 3].release(lease)
    assert tokens == sorted(set(tokens))


def test_a_lease_lapses_by_itself(client):
    (lease,) = Leases(client, "anna", 300).acquire([0])
    assert int(client.pttl(keys.lease(0))) <= 300
    (after,) = wait_for(lambda: Leases(client, "bert", 300).acquire([0]), "the lease lapses")
    assert after.token > lease.token


def test_renewing_prolongs_only_what_is_still_held(client):
    anna, bert = Leases(client, "anna", 10_000), Leases(client, "bert", 10_000)
    kept, lost, lapsed = anna.acquire([1, 2, 3])
    lapse(client, lost)
    lapse(client, lapsed)
    bert.acquire([2])
    client.pexpire(keys.lease(1), 4_000)
    assert anna.renew([kept, lost, lapsed]) == [lost, lapsed]
    assert int(client.pttl(keys.lease(1))) > 5_000
    assert not client.exists(keys.lease(3))  # a lapsed lease is not revived


def test_releasing_a_lost_lease_leaves_the_new_owner_alone(client):
    anna, bert = Leases(client, "anna", 10_000), Leases(client, "bert", 10_000)
    (lost,) = anna.acquire([5])
    lapse(client, lost)
    bert.acquire([5])
    assert not anna.release(lost)
    assert anna.free([4, 5, 6]) == [4, 6]


def test_a_commit_stores_and_publishes_together(client, commit):
    machine = uuid4()
    (lease,) = Leases(client, "anna", 10_000).acquire([0])
    listener = client.pubsub(ignore_subscribe_messages=True)
    listener.subscribe(keys.live(machine))
    listener.get_message(timeout=PATIENCE_S)
    assert commit(lease, b"frame", b"checkpoint", machine)
    assert client.mget(keys.frame(machine), keys.checkpoint(machine)) == [b"frame", b"checkpoint"]
    assert listener.get_message(timeout=PATIENCE_S)["data"] == b"frame"
    assert commit(lease, b"frame 2", None, machine)
    assert client.mget(keys.frame(machine), keys.checkpoint(machine)) == [b"frame 2", b"checkpoint"]
    listener.close()


def test_a_commit_says_how_many_heard_its_frame(client, valkey):
    machine, writer = uuid4(), FencedWriter(valkey.pipeline)
    (lease,) = Leases(client, "anna", 10_000).acquire([0])
    heard = []
    with client.pubsub(ignore_subscribe_messages=True) as listener:
        for frame in (b"frame", None):
            writer.commit(lease, Commit(machine, frame, b"checkpoint", "1-1"))
            heard.append(writer.send()[0])
            listener.subscribe(keys.live(machine))
            listener.get_message(timeout=PATIENCE_S)
        writer.commit(lease, Commit(machine, b"frame", None, "1-1"))
        heard.append(writer.send()[0])
    assert heard == [(True, 0), (True, 0), (True, 1)]


def test_a_paused_owner_cannot_write_after_its_lease(client, commit):
    machine = uuid4()
    (paused,) = Leases(client, "anna", 10_000).acquire([0])
    assert commit(paused, b"before", b"before", machine)
    lapse(client, paused)
    assert not commit(paused, b"late", b"late", machine)  # nobody has taken over yet
    (present,) = Leases(client, "bert", 10_000).acquire([0])
    assert commit(present, b"after", b"after", machine)
    assert not commit(paused, b"late", b"late", machine)
    assert client.mget(keys.frame(machine), keys.checkpoint(machine)) == [b"after", b"after"]


def test_the_same_owner_with_an_older_token_is_refused_too(client, commit):
    anna = Leases(client, "anna", 10_000)
    (old,) = anna.acquire([0])
    lapse(client, old)
    (new,) = anna.acquire([0])
    assert not commit(old, b"late", None)
    assert commit(new, b"now", None)


def test_a_tick_goes_only_to_the_end_the_owner_has_seen(client, valkey):
    machine = uuid4()
    (lease,) = Leases(client, "anna", 10_000).acquire([0])
    seen = client.xadd(keys.stream(machine), {"e": b"sample"}).decode()
    client.xadd(keys.stream(machine), {"e": b"a newer sample"})

    def tick(last_id: str, lease: Lease) -> bool:
        writer = FencedWriter(valkey.pipeline)
        writer.tick(lease, machine, last_id, b"tick")
        return writer.send()[0].made

    assert tick(seen, lease)
    assert client.xlen(keys.stream(machine)) == 2
    newest = client.xrevrange(keys.stream(machine), count=1)[0][0].decode()
    assert tick(newest, lease)
    assert client.xrevrange(keys.stream(machine), count=1)[0][1] == {b"e": b"tick"}
    lapse(client, lease)
    assert not tick("0-0", lease)
    assert client.xlen(keys.stream(machine)) == 3
