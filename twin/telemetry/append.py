"""Samples into a machine's stream, each once, in one script: when it has answered, they are durable.

A sample's identity is (device, boot, seq). The script keeps the sequence numbers of each start of a device as
intervals: a device may resend its last ten minutes at no cost, and one that restarts at zero is no duplicate.
It also sees when two devices use one token at once: two starts then send samples of the same time.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import msgpack
from django.conf import settings

from twin import keys
from twin.telemetry.entries import Sample, encode_head, encode_sample
from twin.telemetry.line import SteadyLine
from twin.telemetry.scripts import Script
from twin.telemetry.wire import Wire

SEEN_MS = 7 * 24 * 3600 * 1000  # how long after its last use a start of a device is remembered
SCRIPT = Script(Path(__file__).with_name("append.lua").read_text())
TOGETHER = 200  # batches in one round trip
# For others to come along: each round trip is a write to disk. With 100 machines 5 ms instead of 2 take an
# eighth off what ingest, the server and whoever waits for it cost together.
GATHER_S = 0.005
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


class Appender:
    """For processes that block while they wait."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def append(self, source: Source, samples: Sequence[Sample], received_us: int) -> Outcome:
        return read_answer(self.append_all([call(source, samples, received_us)])[0])

    def append_all(self, calls: Sequence[bytes]) -> list[Any]:
        """Many batches in one round trip and one write to disk: an answer or an exception for each."""
        return self._wire.call(calls, SCRIPT)


class AsyncAppender:
    """For the event loop of ingest: requests that come while one round trip is under way share the next."""

    def __init__(self, line: SteadyLine) -> None:
        self._line = line
        self._waiting: list[tuple[bytes, asyncio.Future[Any]]] = []
        self._sending: asyncio.Task[None] | None = None

    async def append(self, source: Source, samples: Sequence[Sample], received_us: int) -> Outcome:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((call(source, samples, received_us), future))
        if self._sending is None:
            self._sending = asyncio.create_task(self._send_all())
        return read_answer(await future)

    async def _send_all(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(GATHER_S)
                sent, self._waiting = self._waiting[:TOGETHER], self._waiting[TOGETHER:]
                try:
                    answers = await self._line.call([each for each, _ in sent], SCRIPT)
                except Exception as error:
                    answers = [error] * len(sent)
                for (_, future), answer in zip(sent, answers, strict=True):
                    if not future.done():  # whoever asked may have gone
                        future.set_result(answer)
        finally:
            self._sending = None


def call(source: Source, samples: Sequence[Sample], received_us: int) -> bytes:
    """The call of the script for a batch that is not empty."""
    times = [sample[1] for sample in samples]
    device = str(source.device)
    head = encode_head(device, source.boot, received_us)
    packed: list[int | bytes] = []
    for sample in samples:
        packed += (sample[0], encode_sample(sample))
    limits = (settings.STREAM_CAP, SEEN_MS, settings.MAX_STARTS)
    batch = (device, source.boot, received_us, min(times), max(times), head, packed)
    touched = [keys.stream(source.machine), keys.seen(device, source.boot)]
    touched += (keys.starts(device), keys.rivals(source.machine))
    return SCRIPT.call(touched, msgpack.packb((*limits, *batch), use_bin_type=False))  # as Lua reads it


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
