"""Writes that only the present owner of a shard can make.

Each script compares the caller's lease with the one in force and writes in the same step, so nothing can come
between: a runner that was paused past its lease is refused, however late it wakes.
"""

from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from twin import keys
from twin.runtime import recent_frames
from twin.runtime.lease import Lease
from twin.valkey.pipeline_client import Wire, good
from twin.valkey.scripts import Script

# An empty argument means: leave this one as it is.
COMMIT = Script("""
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
""")

# Only while the stream still ends where the owner has read to: a sample that has just arrived makes a tick
# needless.
TICK = Script("""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
if #last == 1 and last[1][1] ~= ARGV[2] then return 1 end
redis.call('XADD', KEYS[2], '*', 'e', ARGV[3])
return 1
""")


@dataclass(frozen=True)
class Commit:
    """What one twin has to show after one round; None leaves the stored one as it is."""

    machine: UUID
    frame: bytes | None
    checkpoint: bytes | None
    last_id: str  # of the stream, at the checkpoint
    on_trail: bool = False  # the frame is kept for those who come later, too


class FencedWriter:
    """Collects fenced writes and sends them in one round trip."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._calls: list[bytes] = []

    def commit(self, lease: Lease, commit: Commit) -> None:
        """Checkpoint, last frame, its publication, its place on the trail: all or, without lease, none."""
        names, channel = _names(commit.machine)
        call = COMMIT.call(
            [keys.lease(lease.shard), *names],
            lease.stamp,
            commit.checkpoint or b"",
            commit.frame or b"",
            channel,
            recent_frames.MOST_FRAMES if commit.on_trail else b"",
            recent_frames.SPAN_S,
        )
        self._calls.append(call)

    def tick(self, lease: Lease, machine: UUID, last_id: str, entry: bytes) -> None:
        """Append a tick entry to a stream that has been read to its end."""
        names = [keys.lease(lease.shard), keys.stream(machine)]
        self._calls.append(TICK.call(names, lease.stamp, last_id, entry))

    def send(self) -> list[bool]:
        """For each write whether it was made; if not, the lease is no longer in force. Raises RedisError."""
        calls, self._calls = self._calls, []
        return [answer == 1 for answer in good(self._wire.call(calls, COMMIT, TICK))] if calls else []


@lru_cache(maxsize=10_000)
def _names(machine: UUID) -> tuple[tuple[str, str, str], str]:
    """What a commit writes, and where it publishes: names that are made ten times a second."""
    return (keys.checkpoint(machine), keys.frame(machine), keys.trail(machine)), keys.live(machine)
