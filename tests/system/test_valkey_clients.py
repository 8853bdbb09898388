"""Our own Valkey clients, on a real Valkey."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from tests.waiting import PATIENCE_S
from twin.valkey import async_client as module
from twin.valkey.address import pack
from twin.valkey.async_client import AsyncClient, open_connection
from twin.valkey.pipeline_client import PipelineClient, without_errors
from twin.valkey.scripts import Script

pytestmark = pytest.mark.system


async def test_replies_come_in_the_order_of_the_commands(valkey: Any) -> None:
    connection = await open_connection(valkey.url)
    numbers = [connection.execute(pack("ECHO", number) + pack("INCR", "count"), 2) for number in range(200)]
    for number, replies in enumerate(await asyncio.gather(*numbers)):
        assert replies == [b"%d" % number, number + 1]
    connection.close()


async def test_a_failed_command_has_an_error_among_the_replies(valkey: Any) -> None:
    connection = await open_connection(valkey.url)
    wrong, right = await connection.execute(pack("INCR") + pack("ECHO", "x"), 2)
    assert isinstance(wrong, redis.ResponseError)
    assert right == b"x"
    connection.close()


async def test_commands_on_a_lost_connection_raise_an_error(valkey: Any) -> None:
    connection = await open_connection(valkey.url)
    waiting = connection.execute(pack("BLPOP", "nothing", 0), 1)
    valkey.stop()
    with pytest.raises(redis.ConnectionError):
        await waiting
    assert not connection.open
    with pytest.raises(redis.ConnectionError):
        await connection.execute(pack("PING"), 1)
    with pytest.raises(ConnectionRefusedError):
        await open_connection(valkey.url)


async def test_the_async_client_outlives_a_restart_of_the_server(valkey: Any) -> None:
    client = AsyncClient(valkey.url)
    assert await client.execute([pack("SET", "key", "value")]) == [b"OK"]
    valkey.stop()
    valkey.start()
    assert await client.execute([pack("GET", "key"), pack("GET", "none")]) == [b"value", None]
    client.close()


async def test_a_late_reply_is_not_taken_for_the_next_one(
    valkey: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = AsyncClient(valkey.url)
    assert await client.execute([pack("ECHO", "first")]) == [b"first"]
    with monkeypatch.context() as changed:
        changed.setattr(module, "REPLY_S", 0.05)
        with pytest.raises(redis.TimeoutError):
            await client.execute([pack("BLPOP", "nothing", "5")])
    assert await client.execute([pack("ECHO", "second")]) == [b"second"]
    client.close()


@pytest.fixture
def locked(valkey: Any) -> Iterator[str]:
    """The address of a server that asks for a password."""
    with valkey.client() as client:
        client.config_set("requirepass", "sesame:@/")
        yield valkey.url.replace("//", "//:sesame%3A%40%2F@")
        client.config_set("requirepass", "")


async def test_password_and_database_of_the_address_are_used(locked: str) -> None:
    connection = await open_connection(locked.removesuffix("0") + "5")
    assert b"db=5" in (await connection.execute(pack("CLIENT", "INFO"), 1))[0]
    connection.close()
    with pytest.raises(redis.ResponseError, match="WRONGPASS"):
        await open_connection(locked.replace("sesame", "simsim"))


# the blocking client


@pytest.fixture
def pipeline(valkey: Any) -> Iterator[PipelineClient]:
    pipeline = PipelineClient(valkey.url, PATIENCE_S)
    yield pipeline
    pipeline.close()


def test_the_pipeline_client_replies_in_order_and_raises_the_first_error(pipeline: PipelineClient) -> None:
    replies = pipeline.execute([pack("ECHO", "x"), pack("INCR"), pack("MGET", "a", "b")])
    assert (replies[0], replies[2]) == (b"x", [None, None])
    with pytest.raises(redis.ResponseError, match="wrong number of arguments"):
        without_errors(replies)
    large = b"y" * 2_000_000
    assert without_errors(pipeline.execute([pack("SET", "large", large), pack("GET", "large")]))[1] == large


def test_the_pipeline_client_outlives_a_restart_and_loads_its_scripts_again(
    pipeline: PipelineClient, valkey: Any
) -> None:
    first, second = Script("return 1"), Script("return {KEYS[1], ARGV[1]}")
    commands = [first.command([]), second.command(["key"], b"\xff"), first.command([])]
    assert pipeline.run_scripts(commands, first, second) == [1, [b"key", b"\xff"], 1]
    valkey.stop()
    valkey.start()
    assert pipeline.run_scripts(commands, first, second) == [1, [b"key", b"\xff"], 1]


def test_the_pipeline_client_times_out_and_ignores_a_late_reply(
    pipeline: PipelineClient, valkey: Any
) -> None:
    hasty = PipelineClient(valkey.url, 0.1)
    with pytest.raises(redis.TimeoutError):
        hasty.execute([pack("BLPOP", "nothing", "5")])
    hasty._timeout_s = PATIENCE_S
    assert hasty.execute([pack("ECHO", "x")]) == [b"x"]
    hasty.close()
    assert pipeline.execute([pack("ECHO", "x")]) == [b"x"]
    valkey.stop()
    with pytest.raises(redis.ConnectionError):
        pipeline.execute([pack("PING")])


def test_the_pipeline_client_signs_in(locked: str) -> None:
    pipeline = PipelineClient(locked.removesuffix("0") + "5", PATIENCE_S)
    assert b"db=5" in pipeline.execute([pack("CLIENT", "INFO")])[0]
    pipeline.close()
    with pytest.raises(redis.ResponseError, match="WRONGPASS"):
        PipelineClient(locked.replace("sesame", "simsim"), PATIENCE_S).execute([pack("PING")])
