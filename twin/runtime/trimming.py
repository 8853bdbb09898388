"""Trims streams: removes old entries that are part of the twin's checkpoint and stored in the history."""

import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from redis import Redis

from twin import keys


def trim(client: Redis, checkpoints: Mapping[UUID, str | None], keep_s: float) -> None:
    """Trim the stream of each machine.

    `checkpoints` contains the last entry that each twin has saved; None if there is no twin. Entries stay for
    at least `keep_s` seconds. A stream without stored history is not trimmed.
    """
    if not checkpoints:
        return
    stored: Any = client.mget([keys.history_position(machine) for machine in checkpoints])
    oldest_ms = time.time_ns() // 1_000_000 - round(1000 * keep_s)
    pipe = client.pipeline(transaction=False)
    for (machine, checkpoint), position in zip(checkpoints.items(), stored, strict=True):
        if position is None:
            continue
        floor = min(oldest_ms, _ms(position.decode()), oldest_ms if checkpoint is None else _ms(checkpoint))
        pipe.xtrim(keys.stream(machine), minid=floor, approximate=True)
    if len(pipe):
        pipe.execute()


def _ms(entry_id: str) -> int:
    """Return the millisecond of an entry id; entries of the same millisecond are kept."""
    return int(entry_id.split("-")[0])
