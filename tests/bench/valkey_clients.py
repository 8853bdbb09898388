"""Our Valkey clients beside redis-py (with hiredis): processor time of this process for the same commands.

python -m tests.bench valkey

Every pair runs on the same real server, in turns; the replies are compared before anything is timed.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import redis
import redis.asyncio
import uvloop

from tests.bench.figures import table
from tests.conftest import ValkeyServer
from tests.waiting import PATIENCE_S
from twin.valkey.address import pack
from twin.valkey.async_client import AsyncClient, open_connection
from twin.valkey.pipeline_client import PipelineClient, read_streams, without_errors
from twin.valkey.scripts import Script

REPEATS = 7
TWINS = 50  # commands of a round: as many twins as one of two runners has with 100
BATCHES = 20  # appends that share a round trip of ingest
ROUNDS = 40  # timed together
MESSAGES = 2_000  # frames received over pub/sub
FRAME = bytes(range(256)) * 8  # 2 kB, the size of a frame of a rig
ENTRY = b"x" * 400  # an entry of five samples

# as the runner's commit: check a lease, store a frame, publish it
COMMIT_TEXT = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('PUBLISH', ARGV[3], ARGV[2])
return 1
"""
# as ingest's append: one key, one argument, a pair of counts
APPEND_TEXT = "redis.call('SET', KEYS[1], ARGV[1]) return {5, 0}"
COMMIT, APPEND = Script(COMMIT_TEXT), Script(APPEND_TEXT)


@dataclass(frozen=True)
class Row:
    """Processor time of one piece of work, best of REPEATS; us per command or message."""

    work: str
    ours_us: float
    theirs_us: float

    @property
    def times(self) -> float:
        return self.theirs_us / self.ours_us


def best_of(count: int, ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float]:
    """Processor time per command, us; the two take turns, so that both meet the same state of the host."""
    assert ours() == theirs()
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(REPEATS):
        for work, times in zip((ours, theirs), spent, strict=True):
            began = time.process_time()
            work()
            times.append(time.process_time() - began)
    return min(spent[0]) / count * 1e6, min(spent[1]) / count * 1e6


async def best_of_async(
    count: int, ours: Callable[[], Awaitable[Any]], theirs: Callable[[], Awaitable[Any]]
) -> tuple[float, float]:
    """The same on an event loop."""
    assert await ours() == await theirs()
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(REPEATS):
        for work, times in zip((ours, theirs), spent, strict=True):
            began = time.process_time()
            await work()
            times.append(time.process_time() - began)
    return min(spent[0]) / count * 1e6, min(spent[1]) / count * 1e6


# the runner: blocking, many commands per round trip


def runner_rows(url: str) -> Iterator[Row]:
    pipeline, client = PipelineClient(url, PATIENCE_S), redis.Redis.from_url(url)
    try:
        names = [f"bench:stream:{k}" for k in range(TWINS)]
        for name in names:
            client.xadd(name, {"e": ENTRY})
        client.set("bench:lease", "owner:1")
        yield Row("runner: read 50 streams with one entry each (XREAD)", *_read(pipeline, client, names))
        yield Row("runner: commit 50 frames of 2 kB (EVALSHA)", *_commit(pipeline, client))
        yield Row("one command, one round trip (ECHO)", *_ping(pipeline, client))
    finally:
        pipeline.close()
        client.close()


def _read(pipeline: PipelineClient, client: redis.Redis, names: list[str]) -> tuple[float, float]:
    def ours() -> list[Any]:
        for _ in range(ROUNDS):
            found = read_streams(pipeline, [(name, "0-0") for name in names], 20)
        return [
            (name, [(id, dict(zip(f[::2], f[1::2], strict=True))) for id, f in e])
            for name, e in found.items()
        ]

    def theirs() -> list[Any]:
        found: Any = None
        for _ in range(ROUNDS):
            found = client.xread(dict.fromkeys(names, "0-0"), count=20)
        return [(name, entries) for name, entries in found]

    return best_of(ROUNDS * TWINS, ours, theirs)


def _commit(pipeline: PipelineClient, client: redis.Redis) -> tuple[float, float]:
    digest = client.script_load(COMMIT_TEXT)
    names = [(f"bench:frame:{k}", f"bench:live:{k}") for k in range(TWINS)]

    def ours() -> list[Any]:
        for _ in range(ROUNDS):
            commands = [COMMIT.command(["bench:lease", k], "owner:1", FRAME, channel) for k, channel in names]
            found = without_errors(pipeline.run_scripts(commands, COMMIT))
        return list(found)

    def theirs() -> list[Any]:
        for _ in range(ROUNDS):
            pipe = client.pipeline(transaction=False)
            for key, channel in names:
                pipe.evalsha(digest, 2, "bench:lease", key, "owner:1", FRAME, channel)
            found = pipe.execute()
        return found

    return best_of(ROUNDS * TWINS, ours, theirs)


def _ping(pipeline: PipelineClient, client: redis.Redis) -> tuple[float, float]:
    def ours() -> list[Any]:
        return [pipeline.execute([pack("ECHO", k)])[0] for k in range(ROUNDS * TWINS)]

    def theirs() -> list[Any]:
        return [client.echo(str(k)) for k in range(ROUNDS * TWINS)]

    return best_of(ROUNDS * TWINS, ours, theirs)


# the web process: an event loop


async def web_rows(url: str) -> list[Row]:
    ours, theirs = AsyncClient(url), redis.asyncio.Redis.from_url(url)
    try:
        return [
            Row("ingest: 20 appends in one round trip (EVALSHA)", *await _append(ours, theirs)),
            Row("asyncio: one command, one round trip (ECHO)", *await _ping_async(ours, theirs)),
            Row("sockets: receive 2000 frames of 2 kB (pub/sub)", *await _receive(url, theirs)),
        ]
    finally:
        ours.close()
        await theirs.aclose()


async def _append(ours: AsyncClient, theirs: redis.asyncio.Redis) -> tuple[float, float]:
    digest = await theirs.script_load(APPEND_TEXT)
    names = [f"bench:append:{k}" for k in range(BATCHES)]

    async def ours_appends() -> list[Any]:
        for _ in range(ROUNDS):
            found = await ours.run_scripts([APPEND.command([name], ENTRY) for name in names], APPEND)
        return found

    async def theirs_appends() -> list[Any]:
        for _ in range(ROUNDS):
            pipe = theirs.pipeline(transaction=False)
            for name in names:
                pipe.evalsha(digest, 1, name, ENTRY)
            found = await pipe.execute()
        return found

    return await best_of_async(ROUNDS * BATCHES, ours_appends, theirs_appends)


async def _ping_async(ours: AsyncClient, theirs: redis.asyncio.Redis) -> tuple[float, float]:
    async def ours_pings() -> list[Any]:
        return [(await ours.execute([pack("ECHO", k)]))[0] for k in range(ROUNDS * TWINS)]

    async def theirs_pings() -> list[Any]:
        return [await theirs.echo(str(k)) for k in range(ROUNDS * TWINS)]

    return await best_of_async(ROUNDS * TWINS, ours_pings, theirs_pings)


async def _receive(url: str, publisher: redis.asyncio.Redis) -> tuple[float, float]:
    """Frames come from a separate connection; what it costs to publish them is subtracted from neither."""
    expected = [FRAME] * MESSAGES

    async def ours() -> list[bytes]:
        connection, found = await open_connection(url), []
        complete = asyncio.get_running_loop().create_future()
        subscribed = asyncio.get_running_loop().create_future()

        def take(message: Any) -> None:
            if message[0] == b"subscribe":
                subscribed.set_result(None)
            else:
                found.append(message[2])
                if len(found) == MESSAGES:
                    complete.set_result(None)

        connection.on_message = take
        connection.send(pack("SUBSCRIBE", "bench:channel"))
        await subscribed
        await publish()
        await complete
        connection.close()
        return found

    async def theirs() -> list[bytes]:
        channel, found = publisher.pubsub(), []
        await channel.subscribe("bench:channel")
        await channel.get_message(timeout=PATIENCE_S)
        await publish()
        while len(found) < MESSAGES:
            message = await channel.get_message(timeout=PATIENCE_S)
            if message is not None:
                found.append(message["data"])
        await channel.aclose()
        return found

    script = "for k = 1, tonumber(ARGV[2]) do redis.call('PUBLISH', KEYS[1], ARGV[1]) end"

    async def publish() -> None:
        """All by one command, so that the cost of publishing is next to nothing."""
        await publisher.eval(script, 1, "bench:channel", FRAME, MESSAGES)

    assert await ours() == expected
    return await best_of_async(MESSAGES, ours, theirs)


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="ht-valkey-") as folder:
        server = ValkeyServer(Path(folder))
        server.start()
        try:
            rows = list(runner_rows(server.url))
            rows += uvloop.run(web_rows(server.url))
        finally:
            server.stop()
    return rows


def section() -> list[str]:
    rows = measure()
    for row in rows:
        print(f"{row.work}: {row.ours_us:.1f} us, redis-py {row.theirs_us:.1f} us", flush=True)
    cells = ((r.work, f"{r.ours_us:.1f}", f"{r.theirs_us:.1f}", f"{r.times:.1f}") for r in rows)
    return [
        f"- redis-py {version('redis')} with hiredis {version('hiredis')}; the event loop is uvloop",
        "",
        f"Processor time of the client process, best of {REPEATS}, both clients in turns on the same server. "
        "Replies were compared and are equal. XREAD counts per stream.",
        "",
        *table(("work", "ours, us per command or message", "redis-py, us", "redis-py / ours"), cells),
    ]


if __name__ == "__main__":
    print("\n".join(section()))
