"""Which runners are alive: each keeps a key with a short life."""

from redis import Redis

from twin import keys

HEARTBEAT_MS = 2_000  # as long as a lease: a runner that has lost its shards is not counted either


def beat(client: Redis, runner_id: str) -> None:
    """Say that this runner is alive."""
    client.set(keys.runner(runner_id), "1", px=HEARTBEAT_MS)


def leave(client: Redis, runner_id: str) -> None:
    """Say that this runner is gone, so that the others need not wait for it."""
    client.delete(keys.runner(runner_id))


def live_runners(client: Redis) -> list[str]:
    """Ids of the live runners, sorted."""
    prefix = keys.runner("")
    found = client.scan_iter(match=keys.RUNNERS, count=1000)
    names = {key.decode() if isinstance(key, bytes) else str(key) for key in found}
    return sorted(name.removeprefix(prefix) for name in names)
