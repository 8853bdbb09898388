"""Writes that only the present owner of a shard can make.

Each script compares the caller's lease with the one in force and writes in the same step, so nothing can come
between: a runner that was paused past its lease is refused, however late it wakes.
"""

from dataclasses import dataclass
from uuid import UUID

from redis import Redis
from redis.client import Pipeline

from twin import keys
from twin.runtime import trail
from twin.runtime.lease import Lease

# An empty argument means: leave this one as it is.
COMMIT = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], ARGV[2]) end
if ARGV[3] ~= '' then
  redis.call('SET', KEYS[3], ARGV[3])
  redis.call('PUBLISH', ARGV[4], ARGV[3])
  if ARGV[5] ~= '' then
    redis.call('RPUSH', KEYS[4], ARGV[3])
    redis.call('LTRIM', KEYS[4], -ARGV[5], -1)
    redis.call('EXPIRE', KEYS[4], ARGV[6])
  end
end
return 1
"""

# Only while the stream still ends where the owner has read to: a sample that has just arrived makes a tick
# needless.
TICK = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
if #last == 1 and last[1][1] ~= ARGV[2] then return 1 end
redis.call('XADD', KEYS[2], '*', 'e', ARGV[3])
return 1
"""


@dataclass(frozen=True)
class Commit:
    """What one twin has to show after one round; None leaves the stored one as it is."""

    machine: UUID
    frame: bytes | None
    checkpoint: bytes | None
    last_id: str  # of the stream, at the checkpoint
    on_trail: bool = False  # the frame is kept for those who come later, too


class FencedWriter:
    """Queues fenced writes into a pipeline; each answers 1, or 0 if the lease is no longer in force.

    redis-py's own scripts ask before every pipeline whether the server knows them, which costs a round trip.
    Here they are taken to be known until somebody says `forget`: a server that was restarted has forgotten.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._known: dict[str, str] = {}  # digests of scripts that the server knows

    def forget(self) -> None:
        """The server may not know the scripts any more."""
        self._known.clear()

    def commit(self, pipe: Pipeline, lease: Lease, commit: Commit) -> None:
        """Checkpoint, last frame, its publication, its place on the trail: all or, without lease, none."""
        machine = commit.machine
        self._queue(
            pipe,
            COMMIT,
            [keys.lease(lease.shard), keys.checkpoint(machine), keys.frame(machine), keys.trail(machine)],
            lease.stamp,
            commit.checkpoint or b"",
            commit.frame or b"",
            keys.live(machine),
            trail.MOST_FRAMES if commit.on_trail else b"",
            trail.SPAN_S,
        )

    def tick(self, pipe: Pipeline, lease: Lease, machine: UUID, last_id: str, entry: bytes) -> None:
        """Append a tick entry to a stream that has been read to its end."""
        self._queue(pipe, TICK, [keys.lease(lease.shard), keys.stream(machine)], lease.stamp, last_id, entry)

    def _queue(self, pipe: Pipeline, script: str, names: list[str], *arguments: str | bytes | int) -> None:
        if script not in self._known:
            self._known[script] = self._client.script_load(script)
        pipe.evalsha(self._known[script], len(names), *names, *arguments)
