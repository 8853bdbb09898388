"""The connections that pass redis-py by, on a real Valkey."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from tests.waiting import PATIENCE_S
from twin.valkey import async_client as module
from twin.valkey.address import pack
from twin.valkey.async_client import SteadyLine, connect
from twin.valkey.pipeline_client import Wire, good
from twin.valkey.scripts import Script

pytestmark = pytest.mark.system


async def test_answers_come_in_the_order_of_the_questions(valkey: Any) -> None:
    line = await connect(valkey.url)
    numbers = [line.ask(pack("ECHO", number) + pack("INCR", "count"), 2) for number in range(200)]
    for number, answers in enumerate(await asyncio.gather(*numbers)):
        assert answers == [b"%d" % number, number + 1]
    line.close()


async def test_a_command_that_fails_is_an_answer_beside_the_others(valkey: Any) -> None:
    line = await connect(valkey.url)
    wrong, right = await line.ask(pack("INCR") + pack("ECHO", "x"), 2)
    assert isinstance(wrong, redis.ResponseError)
    assert right == b"x"
    line.close()


async def test_what_is_asked_of_a_lost_connection_is_told(valkey: Any) -> None:
    line = await connect(valkey.url)
    waiting = line.ask(pack("BLPOP", "nothing", 0), 1)
    valkey.stop()
    with pytest.raises(redis.ConnectionError):
        await waiting
    assert not line.open
    with pytest.raises(redis.ConnectionError):
        await line.ask(pack("PING"), 1)
    with pytest.raises(ConnectionRefusedError):
        await connect(valkey.url)


async def test_a_steady_line_outlives_a_restart_of_the_server(valkey: Any) -> None:
    steady = SteadyLine(valkey.url)
    assert await steady.ask([pack("SET", "key", "value")]) == [b"OK"]
    valkey.stop()
    valkey.start()
    assert await steady.ask([pack("GET", "key"), pack("GET", "none")]) == [b"value", None]
    steady.close()


async def test_an_answer_that_comes_too_late_is_not_taken_for_the_next(
    valkey: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    steady = SteadyLine(valkey.url)
    assert await steady.ask([pack("ECHO", "first")]) == [b"first"]
    with monkeypatch.context() as changed:
        changed.setattr(module, "ANSWER_S", 0.05)
        with pytest.raises(redis.TimeoutError):
            await steady.ask([pack("BLPOP", "nothing", "5")])
    assert await steady.ask([pack("ECHO", "second")]) == [b"second"]
    steady.close()


@pytest.fixture
def locked(valkey: Any) -> Iterator[str]:
    """The address of a server that asks for a password."""
    with valkey.client() as client:
        client.config_set("requirepass", "sesame:@/")
        yield valkey.url.replace("//", "//:sesame%3A%40%2F@")
        client.config_set("requirepass", "")


async def test_password_and_database_of_the_address_are_used(locked: str) -> None:
    line = await connect(locked.removesuffix("0") + "5")
    assert b"db=5" in (await line.ask(pack("CLIENT", "INFO"), 1))[0]
    line.close()
    with pytest.raises(redis.ResponseError, match="WRONGPASS"):
        await connect(locked.replace("sesame", "simsim"))


# the same for those who wait


@pytest.fixture
def wire(valkey: Any) -> Iterator[Wire]:
    wire = Wire(valkey.url, PATIENCE_S)
    yield wire
    wire.close()


def test_a_wire_answers_in_order_and_tells_errors_apart(wire: Wire) -> None:
    answers = wire.ask([pack("ECHO", "x"), pack("INCR"), pack("MGET", "a", "b")])
    assert (answers[0], answers[2]) == (b"x", [None, None])
    with pytest.raises(redis.ResponseError, match="wrong number of arguments"):
        good(answers)
    large = b"y" * 2_000_000
    assert good(wire.ask([pack("SET", "large", large), pack("GET", "large")]))[1] == large


def test_a_wire_outlives_a_restart_and_tells_its_scripts_again(wire: Wire, valkey: Any) -> None:
    first, second = Script("return 1"), Script("return {KEYS[1], ARGV[1]}")
    calls = [first.call([]), second.call(["key"], b"\xff"), first.call([])]
    assert wire.call(calls, first, second) == [1, [b"key", b"\xff"], 1]
    valkey.stop()
    valkey.start()
    assert wire.call(calls, first, second) == [1, [b"key", b"\xff"], 1]


def test_a_wire_to_nowhere_says_so_and_takes_no_late_answer(wire: Wire, valkey: Any) -> None:
    hasty = Wire(valkey.url, 0.1)
    with pytest.raises(redis.TimeoutError):
        hasty.ask([pack("BLPOP", "nothing", "5")])
    hasty._seconds = PATIENCE_S
    assert hasty.ask([pack("ECHO", "x")]) == [b"x"]
    hasty.close()
    assert wire.ask([pack("ECHO", "x")]) == [b"x"]
    valkey.stop()
    with pytest.raises(redis.ConnectionError):
        wire.ask([pack("PING")])


def test_a_wire_signs_in(locked: str) -> None:
    wire = Wire(locked.removesuffix("0") + "5", PATIENCE_S)
    assert b"db=5" in wire.ask([pack("CLIENT", "INFO")])[0]
    wire.close()
    with pytest.raises(redis.ResponseError, match="WRONGPASS"):
        Wire(locked.replace("sesame", "simsim"), PATIENCE_S).ask([pack("PING")])
