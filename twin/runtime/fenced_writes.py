"""Writes a twin's data to the telemetry server, but only if the runner still has the lease on the shard.

Each Lua script checks the runner's lease and writes in one atomic step. If a runner was paused and its lease
has expired meanwhile, its writes are refused.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from twin import keys
from twin.runtime import recent_frames
from twin.runtime.lease import Lease
from twin.valkey.pipeline_client import PipelineClient, without_errors
from twin.valkey.scripts import Script

# An empty argument leaves the stored value as it is. Returns one more than the number of subscribers that got
# the frame.
COMMIT = Script("""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local heard = 0
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], ARGV[2]) end
if ARGV[3] ~= '' then
  redis.call('SET', KEYS[3], ARGV[3])
  heard = redis.call('PUBLISH', ARGV[4], ARGV[3])
  if ARGV[5] ~= '' then
    redis.call('RPUSH', KEYS[4], ARGV[3])
    redis.call('LTRIM', KEYS[4], -ARGV[5], -1)
    redis.call('EXPIRE', KEYS[4], ARGV[6])
  end
end
return 1 + heard
""")

# Appends only if the owner has read the whole stream: a sample that has just arrived makes the tick
# unnecessary.
TICK = Script("""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
if #last == 1 and last[1][1] ~= ARGV[2] then return 1 end
redis.call('XADD', KEYS[2], '*', 'e', ARGV[3])
return 1
""")


@dataclass(frozen=True)
class Commit:
    """What one twin writes after a round; None leaves the stored value unchanged."""

    machine: UUID
    frame: bytes | None
    checkpoint: bytes | None
    last_id: str  # of the stream, at the checkpoint
    keep_recent: bool = False  # append the frame to the recent frames


class Outcome(NamedTuple):
    """What became of one write."""

    made: bool  # False: the lease has lapsed
    heard: int  # processes that received its frame, because they serve a page of the machine


class FencedWriter:
    """Collects fenced writes and sends them in one round trip."""

    def __init__(self, pipeline: PipelineClient) -> None:
        self._pipeline = pipeline
        self._commands: list[bytes] = []

    def commit(self, lease: Lease, commit: Commit) -> None:
        """Write checkpoint, last and recent frames, and publish the frame: all, or none without the lease."""
        names, channel = _names(commit.machine)
        command = COMMIT.command(
            [keys.lease(lease.shard), *names],
            lease.stamp,
            commit.checkpoint or b"",
            commit.frame or b"",
            channel,
            recent_frames.MOST_FRAMES if commit.keep_recent else b"",
            recent_frames.SPAN_S,
        )
        self._commands.append(command)

    def tick(self, lease: Lease, machine: UUID, last_id: str, entry: bytes) -> None:
        """Append a tick entry to a stream that has been read to its end."""
        names = [keys.lease(lease.shard), keys.stream(machine)]
        self._commands.append(TICK.command(names, lease.stamp, last_id, entry))

    def send(self) -> list[Outcome]:
        """Send all writes; return the outcome of each. Raises RedisError."""
        commands, self._commands = self._commands, []
        if not commands:
            return []
        replies = self._pipeline.run_scripts(commands, COMMIT, TICK)
        return [Outcome(reply > 0, max(0, reply - 1)) for reply in without_errors(replies)]


@lru_cache(maxsize=10_000)
def _names(machine: UUID) -> tuple[tuple[str, str, str], str]:
    """Return the keys and the pub/sub channel of a commit; cached, because they are needed often."""
    stored = keys.checkpoint(machine), keys.frame(machine), keys.recent_frames(machine)
    return stored, keys.live(machine)
