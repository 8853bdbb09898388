"""Sends hostile messages over HTTP, one after the other, and adds up what was answered."""

import http.client
import json
from collections import Counter
from collections.abc import Iterable

from redis import Redis

from tests.hostile import Message
from tests.waiting import PATIENCE_S
from twin.ingest import counters

PATH = "/api/v1/telemetry"
HEADER = bytes(range(32, 127))  # what a client of the standard library can send in a header


def attack(port: int, messages: Iterable[Message]) -> Counter[str]:
    """The counts as ingest itself should have them."""
    tally: Counter[str] = Counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    for message in messages:
        headers = {name: _sendable(value) for name, value in message.headers.items()}
        connection.request(message.method, PATH, message.body, headers)
        answer = connection.getresponse()
        _note(tally, answer.status, answer.read(), message)
        if answer.status in (408, 413) or answer.getheader("Connection") == "close":
            connection.close()
    connection.close()
    return tally


def _note(tally: Counter[str], status: int, body: bytes, message: Message) -> None:
    if status != 202:
        assert status < 500, f"{status} for {message.body[:200]!r} {message.headers}"
        document = json.loads(body)
        assert (document["status"], bool(document["detail"])) == (status, True)
        tally[f"bodies.refused.{status}"] += 1
        return
    answer = json.loads(body)
    assert answer["accepted"] == 0, f"taken: {message.body[:200]!r} {message.headers}"
    tally["bodies.taken"] += 1
    tally["samples.duplicate"] += answer["duplicate"]
    tally["samples.rejected"] += len(answer["rejected"])


def _sendable(value: str) -> str:
    return "".join(c for c in value if ord(c) in HEADER)


def summed(counted: dict[str, int], before: dict[str, int]) -> Counter[str]:
    """Ingest's own counts since then, reasons of rejected samples put together."""
    found: Counter[str] = Counter()
    for name, count in counted.items():
        found["samples.rejected" if name.startswith("samples.rejected.") else name] += count - before.get(
            name, 0
        )
    return +found


def counted_since(client: Redis, transport: str, t_us: int) -> bool:
    """Has every ingest process of this transport told its counts since then?"""
    counted = counters.by_process(client).items()
    told = [numbers[counters.AT] for name, numbers in counted if name.startswith(f"{transport}.")]
    return bool(told) and min(told) > t_us
