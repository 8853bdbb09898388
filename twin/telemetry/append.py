"""Samples into a machine's stream, each once, in one script: when it has answered, they are durable.

A sample's identity is (device, boot, seq). The script keeps the sequence numbers of each start of a device as
intervals: a device may resend its last ten minutes at no cost, and one that restarts at zero is no duplicate.
It also sees when two devices use one token at once: two starts then send samples of the same time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import redis
import redis.asyncio
from django.conf import settings

from twin import keys
from twin.telemetry.entries import Sample, encode_head, encode_sample

SEEN_MS = 7 * 24 * 3600 * 1000  # how long after its last use a start of a device is remembered
SCRIPT = Path(__file__).with_name("append.lua").read_text()
FULL, TOO_MANY_STARTS = -1, -2  # what the script answers instead of a count


class NotTaken(Exception):
    """Nothing of the batch was taken."""


class StreamFull(NotTaken):
    """The stream is at its cap: the device has to try again later."""


class TooManyStarts(NotTaken):
    """The device has used more boots than are remembered."""


@dataclass(frozen=True)
class Outcome:
    """How many samples were new and how many had been taken before; both are durable."""

    accepted: int
    duplicate: int
    rival: str | None = None  # a later start of the same device that sends at the same time


@dataclass(frozen=True)
class Source:
    """Where samples come from."""

    machine: UUID | str
    device: UUID | str
    boot: str


class Call(NamedTuple):
    """One call of the script."""

    keys: list[str]
    arguments: list[Any]


class Appender:
    """For processes that block while they wait."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._script = client.register_script(SCRIPT)

    def append(self, source: Source, samples: Sequence[Sample], received_us: int) -> Outcome:
        return read_answer(self._script(*call(source, samples, received_us)))

    def append_all(self, calls: Sequence[Call]) -> list[Any]:
        """Many batches in one round trip and one write to disk: an answer or an exception for each."""
        pipeline = self._client.pipeline(transaction=False)
        for each in calls:
            self._script(each.keys, each.arguments, client=pipeline)
        answers: list[Any] = pipeline.execute(raise_on_error=False)
        return answers


class AsyncAppender:
    """For the event loop of ingest."""

    def __init__(self, client: redis.asyncio.Redis) -> None:
        self._script = client.register_script(SCRIPT)

    async def append(self, source: Source, samples: Sequence[Sample], received_us: int) -> Outcome:
        return read_answer(await self._script(*call(source, samples, received_us)))


def call(source: Source, samples: Sequence[Sample], received_us: int) -> Call:
    """How the script is called for a batch that is not empty."""
    times = [sample[1] for sample in samples]
    device = str(source.device)
    head = encode_head(device, source.boot, received_us)
    arguments: list[Any] = [settings.STREAM_CAP, SEEN_MS, settings.MAX_STARTS]
    arguments += (device, source.boot, received_us, min(times), max(times), head)
    for sample in samples:
        arguments += (sample[0], encode_sample(sample))
    touched = [keys.stream(source.machine), keys.seen(device, source.boot)]
    return Call([*touched, keys.starts(device), keys.rivals(source.machine)], arguments)


def read_answer(answer: Any) -> Outcome:
    """What the script said; raises NotTaken, or what went wrong on the way."""
    if isinstance(answer, Exception):
        raise answer
    accepted, duplicate, *rival = answer
    if accepted == FULL:
        raise StreamFull
    if accepted == TOO_MANY_STARTS:
        raise TooManyStarts
    return Outcome(accepted, duplicate, rival[0].decode(errors="replace") if rival else None)
