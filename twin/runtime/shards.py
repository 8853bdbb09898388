"""Which shard a machine belongs to."""

from uuid import UUID


def shard_of(machine: UUID, shards: int) -> int:
    """The shard of a machine: the same on every host and for ever, as long as the number of shards stays.

    The bits of a random UUID are uniform already; Python's own `hash` is not stable between processes.
    """
    return machine.int % shards
