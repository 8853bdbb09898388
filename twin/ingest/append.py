"""Appends samples to a machine's stream with one Lua script, which accepts each sample only once.

The twins see the samples as soon as the script has replied. The samples are durable once the server's file is
synced as well (`twin.valkey.aof_sync`); appends of other devices do not wait for the sync.

A sample is identified by (device, boot, seq). For each boot of a device, the script keeps the accepted
sequence numbers as intervals. A device may therefore resend its last ten minutes without duplicates, and a
device that restarts at zero is not mistaken for one that repeats samples. The script also notices when two
devices use one token, because then two boots send samples with the same machine time.
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
from twin.valkey.aof_sync import PING, REWRITE, SYNC_S, AppendOnlyFile, check_written
from twin.valkey.async_client import NO_REPLY, REPLY_S, AsyncClient, AsyncConnection
from twin.valkey.pipeline_client import PipelineClient
from twin.valkey.scripts import Script

SEEN_MS = 7 * 24 * 3600 * 1000  # how long a boot is remembered after its last use
SCRIPT = Script(Path(__file__).with_name("append.lua").read_text())
BATCHES_PER_ROUND_TRIP = 200
# Waits for more requests to share the round trip. With 100 machines, 5 ms instead of 2 ms save an eighth of
# the processor time of ingest, the server and its clients together.
GATHER_S = 0.005
FULL, TOO_MANY_BOOTS = -1, -2  # replies of the script instead of a count


class NotAccepted(Exception):
    """No sample of the batch was accepted."""


class StreamFull(NotAccepted):
    """The stream has reached its maximum length; the device has to try again later."""


class TooManyBoots(NotAccepted):
    """The device has used more boots than the platform remembers."""


@dataclass(frozen=True)
class Outcome:
    """How many samples were new, and how many were duplicates."""

    accepted: int
    duplicate: int
    other_boot: str | None = None  # a later boot of the same device that sends at the same time


@dataclass(frozen=True)
class Source:
    """The machine, device and boot from which samples come."""

    machine: UUID | str
    device: UUID | str
    boot: str


class Appender:
    """Appends samples, for processes that block.

    On return the samples are in the server's file, but not yet synced.
    """

    def __init__(self, pipeline: PipelineClient, aof: AppendOnlyFile) -> None:
        self._pipeline = pipeline
        self._aof = aof

    def append(self, source: Source, samples: Sequence[Sample], received_us: int) -> Outcome:
        return read_reply(self.append_all([append_command(source, samples, received_us)])[0])

    def append_all(self, commands: Sequence[bytes]) -> list[Any]:
        """Append many batches in one round trip; return a reply or an exception for each."""
        replies = self._pipeline.run_scripts(commands, SCRIPT)
        check_written(self._pipeline, self._aof)
        return replies


class _Appended(NamedTuple):
    """Batches that the script has appended and that wait for the sync, and the connection of its reply."""

    connection: AsyncConnection
    futures: list[asyncio.Future[Any]]
    replies: list[Any]


class AsyncAppender:
    """Appends samples in the event loop of ingest.

    Requests that arrive during a round trip share the next one, and requests that arrive during a sync share
    the next sync. Appends continue during a sync: a slow disk delays the senders, but not the twins.
    """

    def __init__(self, client: AsyncClient, aof: AppendOnlyFile) -> None:
        self._client = client
        self._aof = aof
        self._waiting: list[tuple[bytes, asyncio.Future[Any]]] = []
        self._sending: asyncio.Task[None] | None = None
        self._appended: list[_Appended] = []
        self._syncing: asyncio.Task[None] | None = None
        self._sync_at = 0.0  # earliest time of the next sync
        self._disk = ThreadPoolExecutor(1, "sync")

    async def append(self, source: Source, samples: Sequence[Sample], received_us: int) -> Outcome:
        """Append a batch; its samples are durable on return."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((append_command(source, samples, received_us), future))
        if self._sending is None:
            self._sending = asyncio.create_task(self._send_all())
        return read_reply(await future)

    async def _send_all(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(GATHER_S)
                most = BATCHES_PER_ROUND_TRIP
                sent, self._waiting = self._waiting[:most], self._waiting[most:]
                futures = [future for _, future in sent]
                try:
                    replies = await self._client.run_scripts([command for command, _ in sent], SCRIPT)
                    self._appended.append(_Appended(self._client.connection, futures, replies))
                except Exception as error:
                    _resolve(futures, [error] * len(futures))
                    continue
                if self._syncing is None:
                    self._syncing = asyncio.create_task(self._sync_all())
        finally:
            self._sending = None

    async def _sync_all(self) -> None:
        try:
            while self._appended:
                await asyncio.sleep(self._sync_at - time.monotonic())
                self._sync_at = time.monotonic() + SYNC_S
                appended, self._appended = self._appended, []
                connections = {each.connection for each in appended}
                failed = {connection: await self._check_written(connection) for connection in connections}
                unsynced = await self._sync()
                for connection, futures, replies in appended:
                    error = failed[connection] or unsynced
                    _resolve(futures, [error] * len(futures) if error else replies)
        finally:
            self._syncing = None

    async def _check_written(self, connection: AsyncConnection) -> Exception | None:
        """Return why changes confirmed on this connection may not be in the file; None if they are."""
        try:
            async with asyncio.timeout(REPLY_S):
                (reply,) = await connection.execute(PING, 1)
                if isinstance(reply, redis.ResponseError):
                    self._aof.distrust()
                    return reply
                if self._aof.should_rewrite():
                    await connection.execute(REWRITE, 1)  # an error means that a rewrite is already running
        except TimeoutError:
            connection.close()  # a late reply would be mistaken for the reply to the next command
            return redis.TimeoutError(NO_REPLY)
        except Exception as error:
            return error
        return None

    async def _sync(self) -> Exception | None:
        """Sync the file; return why its content may not be on disk, or None if it is."""
        try:
            await asyncio.get_running_loop().run_in_executor(self._disk, self._aof.sync)
        except Exception as error:  # of any kind: the waiting requests need a result
            return error
        return None


def _resolve(futures: Sequence[asyncio.Future[Any]], results: Sequence[Any]) -> None:
    for future, result in zip(futures, results, strict=True):
        if not future.done():  # the request may have been cancelled
            future.set_result(result)


def append_command(source: Source, samples: Sequence[Sample], received_us: int) -> bytes:
    """Return the script command for a batch with at least one sample."""
    times = [sample[1] for sample in samples]
    device = str(source.device)
    head = encode_head(device, source.boot, received_us)
    packed: list[int | bytes] = []
    for sample in samples:
        packed += (sample[0], encode_sample(sample))
    limits = (settings.STREAM_CAP, SEEN_MS, settings.MAX_STARTS)
    batch = (device, source.boot, received_us, min(times), max(times), head, packed)
    touched = [keys.stream(source.machine), keys.seen_numbers(device, source.boot)]
    touched += (keys.boots(device), keys.shared_token(source.machine))
    return SCRIPT.command(touched, msgpack.packb((*limits, *batch), use_bin_type=False))  # strings for Lua


def read_reply(reply: Any) -> Outcome:
    """Return the outcome that the script replied; raises NotAccepted, or the error in the reply."""
    if isinstance(reply, Exception):
        raise reply
    accepted, duplicate, *other_boot = reply
    if accepted == FULL:
        raise StreamFull
    if accepted == TOO_MANY_BOOTS:
        raise TooManyBoots
    return Outcome(accepted, duplicate, other_boot[0].decode(errors="replace") if other_boot else None)
