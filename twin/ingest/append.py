"""Samples into a machine's stream, each once, in one script.

When the script has answered, twins see them; they are durable when the server's file is synced as well
(server_file), which the appending of others does not wait for.

A sample's identity is (device, boot, seq). The script keeps the sequence numbers of each start of a device as
intervals: a device may resend its last ten minutes at no cost, and one that restarts at zero is no duplicate.
It also sees when two devices use one token at once: two starts then send samples of the same time.
"""

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import msgpack
import redis
from django.conf import settings

from twin import keys
from twin.ingest.entries import Sample, encode_head, encode_sample
from twin.valkey.aof_sync import ASK_WRITTEN, REWRITE, SYNC_S, ServerFile, check_written
from twin.valkey.async_client import ANSWER_S, Line, SteadyLine
from twin.valkey.pipeline_client import Wire
from twin.valkey.scripts import Script

SEEN_MS = 7 * 24 * 3600 * 1000  # how long after its last use a start of a device is remembered
SCRIPT = Script(Path(__file__).with_name("append.lua").read_text())
TOGETHER = 200  # batches in one round trip
# For others to come along. With 100 machines 5 ms instead of 2 take an eighth off what ingest, the server and
# whoever waits for it cost together.
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
    """How many samples were new and how many had been taken before."""

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
    """For processes that block while they wait. What is answered is in the server's file, not synced yet."""

    def __init__(self, wire: Wire, file: ServerFile) -> None:
        self._wire = wire
        self._file = file

    def append(self, source: Source, samples: Sequence[Sample], received_us: int) -> Outcome:
        return read_answer(self.append_all([call(source, samples, received_us)])[0])

    def append_all(self, calls: Sequence[bytes]) -> list[Any]:
        """Many batches in one round trip: an answer or an exception for each."""
        answers = self._wire.call(calls, SCRIPT)
        check_written(self._wire, self._file)
        return answers


class _Answered(NamedTuple):
    """Who waits for what the script has answered, and over which connection it did."""

    line: Line
    futures: list[asyncio.Future[Any]]
    answers: list[Any]


class AsyncAppender:
    """For the event loop of ingest. Requests that come while one round trip is under way share the next; so
    do those that wait for a sync. Appending goes on during a sync: a slow disk delays who sends, and no twin.
    """

    def __init__(self, line: SteadyLine, file: ServerFile) -> None:
        self._line = line
        self._file = file
        self._waiting: list[tuple[bytes, asyncio.Future[Any]]] = []
        self._sending: asyncio.Task[None] | None = None
        self._answered: list[_Answered] = []
        self._syncing: asyncio.Task[None] | None = None
        self._sync_at = 0.0  # not before
        self._disk = ThreadPoolExecutor(1, "sync")

    async def append(self, source: Source, samples: Sequence[Sample], received_us: int) -> Outcome:
        """Durable when it returns."""
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
                futures = [future for _, future in sent]
                try:
                    answers = await self._line.call([each for each, _ in sent], SCRIPT)
                    self._answered.append(_Answered(self._line.current, futures, answers))
                except Exception as error:
                    _tell(futures, [error] * len(futures))
                    continue
                if self._syncing is None:
                    self._syncing = asyncio.create_task(self._sync_all())
        finally:
            self._sending = None

    async def _sync_all(self) -> None:
        try:
            while self._answered:
                await asyncio.sleep(self._sync_at - time.monotonic())
                self._sync_at = time.monotonic() + SYNC_S
                answered, self._answered = self._answered, []
                failed = {line: await self._check_written(line) for line in {each.line for each in answered}}
                unsynced = await self._sync()
                for line, futures, answers in answered:
                    error = failed[line] or unsynced
                    _tell(futures, [error] * len(futures) if error else answers)
        finally:
            self._syncing = None

    async def _check_written(self, line: Line) -> Exception | None:
        """Why what was answered over this connection may not be in the file; None if it is."""
        try:
            async with asyncio.timeout(ANSWER_S):
                (answer,) = await line.ask(ASK_WRITTEN, 1)
                if isinstance(answer, redis.ResponseError):
                    self._file.distrust()
                    return answer
                if self._file.asks_for_rewrite():
                    await line.ask(REWRITE, 1)  # an error means that it is being rewritten already
        except TimeoutError:
            line.close()  # an answer that comes later would be taken for that to the next question
            return redis.TimeoutError("the telemetry server does not answer")
        except Exception as error:
            return error
        return None

    async def _sync(self) -> Exception | None:
        """Why what is in the file may not be on disk; None if it is."""
        try:
            await asyncio.get_running_loop().run_in_executor(self._disk, self._file.sync)
        except Exception as error:  # whatever it is, those who wait have to hear of it
            return error
        return None


def _tell(futures: Sequence[asyncio.Future[Any]], answers: Sequence[Any]) -> None:
    for future, answer in zip(futures, answers, strict=True):
        if not future.done():  # whoever asked may have gone
            future.set_result(answer)


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
