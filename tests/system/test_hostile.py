"""Hostile messages change nothing and crash nothing, and the counts add up; the long form is tests/bench."""

import json
import time
from typing import Any

import httpx
import pytest

from tests.hostile import Hostile
from tests.hostile_http import attack, counted_since, summed
from tests.waiting import PATIENCE_S, wait_for
from twin import keys
from twin.ingest import counters

pytestmark = pytest.mark.system

MESSAGES = 2_000


def good_body(boot: str, first: int) -> bytes:
    now = time.time_ns() // 1000
    samples = [{"seq": first + k, "t": now + k, "channels": {"hose.p": 1e7}} for k in range(5)]
    return json.dumps({"boot": boot, "samples": samples}).encode()


def test_hostile_requests_change_nothing_and_the_counts_add_up(valkey: Any, web_server: Any) -> None:
    headers = {"Authorization": f"Bearer {web_server.token}", "Content-Type": "application/json"}
    accepted = [good_body("before", 5 * k) for k in range(4)]
    for body in accepted:
        answer = httpx.post(
            f"{web_server.url}/api/v1/telemetry", content=body, headers=headers, timeout=PATIENCE_S
        )
        assert answer.json()["accepted"] == 5
    sent_us = time.time_ns() // 1000
    with valkey.client() as client:
        wait_for(lambda: counted_since(client, "http", sent_us), "the counts of the good ones")
        before, stream = counters.total(client), client.xrange(keys.stream(web_server.machine))
        others = set(client.keys()) - set(client.keys(keys.INGEST_COUNTERS))

        hostile = Hostile(1, web_server.token, accepted)
        tally = attack(int(web_server.url.rsplit(":", 1)[1]), hostile.requests(MESSAGES))

        assert sum(count for name, count in tally.items() if name.startswith("bodies.")) == MESSAGES
        wait_for(lambda: summed(counters.total(client), before) == tally, f"{tally} counted by ingest too")
        assert client.xrange(keys.stream(web_server.machine)) == stream
        assert set(client.keys()) - set(client.keys(keys.INGEST_COUNTERS)) == others
    statuses = {400, 401, 405, 413, 415, 422}
    assert all(tally[f"bodies.refused.{status}"] for status in statuses), tally
    assert tally["samples.duplicate"]
    assert tally["samples.rejected"]
