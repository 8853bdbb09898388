"""Forgetting stream entries: only what the twin's checkpoint and the history writer both have behind them."""

import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from redis import Redis

from twin import keys


def trim(client: Redis, checkpoints: Mapping[UUID, str | None], keep_s: float) -> None:
    """`checkpoints` says up to where each twin has no more use for its stream; None if it has none at all.

    What nobody needs is kept for a while to be looked at. Where no history has been stored yet, nothing goes.
    """
    if not checkpoints:
        return
    stored: Any = client.mget([keys.history(machine) for machine in checkpoints])
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
    """Entries of this millisecond may still be needed, those before it are not."""
    return int(entry_id.split("-")[0])
