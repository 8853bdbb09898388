"""Durability of what the telemetry server has taken, on a real Valkey and its aof."""

import asyncio
import contextlib
import os
import threading
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.waiting import PATIENCE_S, wait_for
from twin import keys
from twin.ingest.append import Appender, AsyncAppender, Outcome, Source
from twin.ingest.entries import Sample
from twin.valkey import aof_sync
from twin.valkey.aof_sync import FOLDER, AppendOnlyFile
from twin.valkey.async_client import AsyncClient

pytestmark = pytest.mark.system

T = 1_800_000_000_000_000
SOURCE = Source("machine", "device", "boot")
LONG = "x" * 4096  # of a channel's name: larger than what is left of the disk


def sample(seq: int, channel: str = "hose.p") -> Sample:
    return seq, T + seq, {channel: 1.0}


def parts(valkey: Any) -> set[str]:
    return {path.name for path in Path(valkey.directory, FOLDER).glob("*.incr.aof")}


class Synced(AppendOnlyFile):
    """Notes how long each part was at each sync, and can be made to wait or to fail as a disk does."""

    def __init__(self, directory: str) -> None:
        super().__init__(directory)
        self.sizes: list[dict[str, int]] = []
        self.under_way = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    def sync(self) -> None:
        self.under_way.set()
        assert self.go_on.wait(PATIENCE_S)
        super().sync()
        self.sizes.append(
            {os.readlink(f"/proc/self/fd/{fd}"): os.fstat(fd).st_size for fd in self._parts.values()}
        )


@pytest.fixture
def aof(valkey: Any) -> Any:
    made = Synced(str(valkey.directory))
    yield made
    made.close()


@pytest.fixture
async def client(valkey: Any) -> Any:
    made = AsyncClient(valkey.url)
    yield made
    made.close()


async def test_what_is_acknowledged_was_in_the_file_that_was_synced(
    valkey: Any, client: AsyncClient, aof: Synced
) -> None:
    outcome = await AsyncAppender(client, aof).append(SOURCE, [sample(0, LONG[:1000])], T)
    assert outcome == Outcome(1, 0)
    (part,) = aof.sizes[-1]
    assert LONG[:1000].encode() in Path(part).read_bytes()[: aof.sizes[-1][part]]


async def two_while_the_disk_stalls(
    valkey: Any, appender: AsyncAppender, aof: Synced
) -> tuple[asyncio.Task[Outcome], asyncio.Task[Outcome]]:
    """The sync for the first is under way until `aof.go_on`; the second is in the stream as well."""
    aof.go_on.clear()
    first = asyncio.create_task(appender.append(SOURCE, [sample(0)], T))
    assert await asyncio.to_thread(aof.under_way.wait, PATIENCE_S)
    second = asyncio.create_task(appender.append(SOURCE, [sample(1)], T))
    with valkey.client() as client:
        await asyncio.to_thread(
            wait_for, lambda: client.xlen(keys.stream("machine")) == 2, "both are in the stream"
        )
    return first, second


async def test_a_slow_disk_delays_who_sends_and_not_the_stream(
    valkey: Any, client: AsyncClient, aof: Synced
) -> None:
    appender = AsyncAppender(client, aof)
    first, second = await two_while_the_disk_stalls(valkey, appender, aof)
    assert not first.done()
    assert not second.done()
    aof.go_on.set()
    assert await asyncio.gather(first, second) == [Outcome(1, 0)] * 2
    assert len(aof.sizes) == 2  # the second was appended after the first sync had begun


async def test_a_rewritten_file_is_followed(valkey: Any, client: AsyncClient, aof: Synced) -> None:
    appender = AsyncAppender(client, aof)
    await appender.append(SOURCE, [sample(0)], T)
    rewrite(valkey)
    await appender.append(SOURCE, [sample(1)], T)
    assert {Path(name).name for name in aof.sizes[-1]} == parts(valkey)


async def test_nothing_is_acknowledged_that_a_full_disk_kept_out_of_the_file(
    valkey: Any, client: AsyncClient, aof: Synced
) -> None:
    rewrite(valkey)  # only in a part that a rewrite has begun does a failed write leave a hole
    appender = AsyncAppender(client, aof)
    await appender.append(SOURCE, [sample(0)], T)
    with valkey.disk_full(left=1000):
        for _ in range(2):  # what is sent again is not taken for durable either
            with pytest.raises(redis.ResponseError, match="MISCONF"):
                await appender.append(SOURCE, [sample(1, LONG)], T)
    assert await asyncio.wait_for(again(appender, sample(1, LONG)), PATIENCE_S) == Outcome(0, 1)
    valkey.stop()
    valkey.start()  # from a file without a hole
    with valkey.client() as client:
        assert client.xlen(keys.stream("machine")) == 2


async def again(appender: AsyncAppender, one: Sample) -> Outcome:
    """Sent until it is taken, as devices do."""
    while True:
        try:
            return await appender.append(SOURCE, [one], T)
        except OSError:  # it has to be rewritten
            await asyncio.sleep(0.01)


async def test_an_answer_of_a_server_that_is_gone_is_not_taken_for_durable(
    valkey: Any, client: AsyncClient, aof: Synced
) -> None:
    """It may have answered and failed to write; the one in its place knows nothing of it."""
    appender = AsyncAppender(client, aof)
    first, second = await two_while_the_disk_stalls(valkey, appender, aof)
    await asyncio.sleep(0.1)  # the answer has come, too
    valkey.stop()
    valkey.start()
    aof.go_on.set()
    assert await first == Outcome(1, 0)
    with pytest.raises(redis.ConnectionError):
        await second
    assert await appender.append(SOURCE, [sample(1)], T) == Outcome(0, 1)


def test_who_waits_for_answers_hears_of_a_failed_write_too(valkey: Any, aof: AppendOnlyFile) -> None:
    rewrite(valkey)
    appender = Appender(valkey.pipeline, aof)
    with valkey.disk_full(left=1000), pytest.raises(redis.ResponseError, match="MISCONF"):
        appender.append(SOURCE, [sample(0, LONG)], T)
    with pytest.raises(OSError, match="must rewrite"):
        aof.sync()

    def synced() -> bool:
        assert appender.append(SOURCE, [sample(0, LONG)], T) == Outcome(0, 1)
        with contextlib.suppress(OSError):
            aof.sync()
        return aof.trusted

    wait_for(synced, "the file was rewritten")
    valkey.stop()
    valkey.start()


def test_after_a_failed_sync_only_a_rewritten_file_can_be_trusted(
    valkey: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    aof = AppendOnlyFile(str(valkey.directory))

    def fail(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fdatasync", fail)
        with pytest.raises(OSError, match="Input/output"):
            aof.sync()
    with pytest.raises(OSError, match="must rewrite"):
        aof.sync()
    rewrite(valkey)
    aof.sync()
    assert aof.trusted
    aof.close()


def test_the_server_is_asked_for_a_rewrite_once_in_a_while(
    valkey: Any, aof: AppendOnlyFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not aof.should_rewrite()
    aof.distrust()
    assert [aof.should_rewrite() for _ in range(3)] == [True, False, False]
    monkeypatch.setattr(aof_sync, "REWRITE_S", 0.0)
    assert aof.should_rewrite()


def rewrite(valkey: Any) -> None:
    before = parts(valkey)
    with valkey.client() as client:
        client.bgrewriteaof()
    wait_for(lambda: parts(valkey) and not parts(valkey) & before, "the file was rewritten")


def test_a_directory_without_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=str(tmp_path)):
        AppendOnlyFile(str(tmp_path)).sync()
    (tmp_path / FOLDER).mkdir()
    with pytest.raises(FileNotFoundError, match="no append-only file"):
        AppendOnlyFile(str(tmp_path)).sync()


def test_a_server_elsewhere_syncs_by_itself() -> None:
    AppendOnlyFile("").sync()
