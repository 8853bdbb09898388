"""Manages leases on shards, each with a fencing token.

A runner may work on a shard only while it holds the lease, and the lease lapses soon after its owner dies. A
paused owner does not know that its lease has lapsed. Every lease therefore has a token from a counter
that only increases, and every script that writes for a shard also checks the lease (`fenced_writes.py`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from redis import Redis

from twin import keys

# Free shard: draw the next token and take the lease. Held shard: change nothing.
ACQUIRE = """
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local token = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. token, 'PX', ARGV[2])
return token
"""

# A lapsed lease is not revived, even if the shard is still free: its owner has to acquire a new token.
RENEW = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""

RELEASE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""


@dataclass(frozen=True)
class Lease:
    """The right to run one shard."""

    shard: int
    owner: str
    token: int

    @property
    def stamp(self) -> str:
        """The value of the lease key while this lease is valid."""
        return f"{self.owner}:{self.token}"


class Leases:
    """Acquires, renews and releases the leases of one owner."""

    def __init__(self, client: Redis, owner: str, ttl_ms: int) -> None:
        self.client = client
        self.owner = owner
        self.ttl_ms = ttl_ms
        self._acquire = client.register_script(ACQUIRE)
        self._renew = client.register_script(RENEW)
        self._release = client.register_script(RELEASE)

    def acquire(self, shards: Sequence[int]) -> list[Lease]:
        """Acquire those of these shards that are free, in one round trip."""
        if not shards:
            return []
        pipe = self.client.pipeline(transaction=False)
        for shard in shards:
            self._acquire([keys.lease(shard), keys.fence(shard)], [self.owner, self.ttl_ms], client=pipe)
        tokens = zip(shards, pipe.execute(), strict=True)
        return [Lease(shard, self.owner, int(token)) for shard, token in tokens if token]

    def renew(self, leases: Sequence[Lease]) -> list[Lease]:
        """Extend leases in one round trip; return the leases that were lost."""
        if not leases:
            return []
        pipe = self.client.pipeline(transaction=False)
        for lease in leases:
            self._renew([keys.lease(lease.shard)], [lease.stamp, self.ttl_ms], client=pipe)
        return [lease for lease, kept in zip(leases, pipe.execute(), strict=True) if not kept]

    def release(self, lease: Lease) -> bool:
        """Release a shard; return False if the lease was already lost."""
        return bool(self._release([keys.lease(lease.shard)], [lease.stamp]))

    def free(self, shards: Iterable[int]) -> list[int]:
        """Return those of these shards that are free at the moment."""
        wanted = list(shards)
        held = self.client.mget([keys.lease(shard) for shard in wanted])
        return [shard for shard, stamp in zip(wanted, held, strict=True) if stamp is None]
