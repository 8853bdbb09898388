"""Counts what an ingest process has accepted and refused since its start.

bodies.taken, bodies.refused.<status>          every body counts once
samples.accepted, .duplicate, .rejected.<why>  every sample of an accepted body counts once

Each process writes its totals, not differences, so that a repeated write does not count twice.
"""

import os
import secrets
import socket
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

import redis
import redis.asyncio

from twin import keys
from twin.ingest.append import Outcome
from twin.ingest.validation import Rejection

KEPT_S = 24 * 3600  # after a process last wrote its counters
AT = "at_us"  # time of the last write, microseconds since 1970


class Counters:
    """The counters of this process."""

    def __init__(self, transport: str) -> None:
        self.process = f"{transport}.{socket.gethostname()}.{os.getpid()}.{secrets.token_hex(3)}"
        self.values: Counter[str] = Counter()

    def taken(self, outcome: Outcome, rejected: Iterable[Rejection]) -> None:
        self.values["bodies.taken"] += 1
        self.values["samples.accepted"] += outcome.accepted
        self.values["samples.duplicate"] += outcome.duplicate
        for each in rejected:
            self.values[f"samples.rejected.{_why(each)}"] += 1

    def refused(self, status: int, count: int = 1) -> None:
        self.values[f"bodies.refused.{status}"] += count

    def write(self, client: redis.Redis) -> None:
        """Write the counters to the telemetry server."""
        self._into(client.pipeline()).execute()

    async def write_async(self, client: redis.asyncio.Redis) -> None:
        await self._into(client.pipeline()).execute()

    def _into(self, pipeline: Any) -> Any:
        name = keys.ingest_counters(self.process)
        pipeline.hset(name, mapping={**self.values, AT: time.time_ns() // 1000})
        pipeline.expire(name, KEPT_S)
        return pipeline


def by_process(client: redis.Redis) -> dict[str, dict[str, int]]:
    """Return the counters of every process that wrote within the last day, and the time of its last write."""
    names = [name.decode() for name in client.scan_iter(match=keys.INGEST_COUNTERS, count=1000)]
    return {name.removeprefix(keys.ingest_counters("")): _numbers(client.hgetall(name)) for name in names}


def total(client: redis.Redis) -> dict[str, int]:
    summed: Counter[str] = Counter()
    for numbers in by_process(client).values():
        summed.update(numbers)
    summed.pop(AT, None)
    return dict(summed)


def _numbers(raw: Any) -> dict[str, int]:
    return {name.decode(): int(value) for name, value in raw.items()}


def _why(rejection: Rejection) -> str:
    """Return the wrong part of the sample, or "future" for a clock that runs ahead."""
    return "future" if rejection.retry else rejection.field.partition(".")[0]
