"""Samples into a machine's stream, each once, in one script: when it has answered, they are durable.

A sample's identity is (device, boot, seq). The script keeps the sequence numbers of each start of a device as
intervals: a device may resend its last ten minutes at no cost, and one that restarts at zero is no duplicate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import redis
import redis.asyncio
from django.conf import settings

from twin import keys
from twin.telemetry.entries import Sample, encode_head, encode_sample

SEEN_MS = 7 * 24 * 3600 * 1000  # how long after its last use a start of a device is remembered
SCRIPT = Path(__file__).with_name("append.lua").read_text()


class StreamFull(Exception):
    """The stream is at its cap: nothing was taken, the device has to try again later."""


@dataclass(frozen=True)
class Outcome:
    """How many samples were new and how many had been taken before; both are durable."""

    accepted: int
    duplicate: int


@dataclass(frozen=True)
class Source:
    """Where samples come from."""

    machine: UUID | str
    device: UUID | str
    boot: str


class Appender:
    """For processes that block while they wait."""

    def __init__(self, client: redis.Redis) -> None:
        self._script = client.register_script(SCRIPT)

    def append(self, source: Source, samples: Sequence[Sample], received_us: int) -> Outcome:
        touched, arguments = _call(source, samples, received_us)
        return _outcome(self._script(touched, arguments))


class AsyncAppender:
    """For the event loop of ingest."""

    def __init__(self, client: redis.asyncio.Redis) -> None:
        self._script = client.register_script(SCRIPT)

    async def append(self, source: Source, samples: Sequence[Sample], received_us: int) -> Outcome:
        touched, arguments = _call(source, samples, received_us)
        return _outcome(await self._script(touched, arguments))


def _call(source: Source, samples: Sequence[Sample], received_us: int) -> tuple[list[str], list[Any]]:
    head = encode_head(str(source.device), source.boot, received_us)
    arguments: list[Any] = [settings.STREAM_CAP, SEEN_MS, head]
    for sample in samples:
        arguments += (sample[0], encode_sample(sample))
    return [keys.stream(source.machine), keys.seen(source.device, source.boot)], arguments


def _outcome(answer: Any) -> Outcome:
    accepted, duplicate = answer
    if accepted < 0:
        raise StreamFull
    return Outcome(accepted, duplicate)
