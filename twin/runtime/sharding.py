"""Spreads machines over runners: the shard of each machine, the live runners, and a runner's fair share."""

import math
from uuid import UUID

from redis import Redis

from twin import keys

HEARTBEAT_MS = 2_000  # as long as a lease: a runner that lost its shards is not counted either


def shard_of(machine: UUID, shards: int) -> int:
    """Return the shard of a machine; it is the same on every host while the number of shards is the same.

    The bits of a random UUID are uniformly distributed. Python's `hash` differs between processes, so it
    cannot be used.
    """
    return machine.int % shards


def send_heartbeat(client: Redis, runner_id: str) -> None:
    """Count this runner as live for the next HEARTBEAT_MS."""
    client.set(keys.runner(runner_id), "1", px=HEARTBEAT_MS)


def remove_heartbeat(client: Redis, runner_id: str) -> None:
    """Stop counting this runner at once."""
    client.delete(keys.runner(runner_id))


def live_runners(client: Redis) -> list[str]:
    """Return the ids of the live runners, sorted."""
    prefix = keys.runner("")
    found = client.scan_iter(match=keys.RUNNERS, count=1000)
    names = {key.decode() if isinstance(key, bytes) else str(key) for key in found}
    return sorted(name.removeprefix(prefix) for name in names)


def fair_share(client: Redis, shards: int) -> int:
    """Return how many shards each live runner should hold."""
    return math.ceil(shards / max(1, len(live_runners(client))))
