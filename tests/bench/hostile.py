"""100,000 hostile messages over HTTP and MQTT: they change nothing, crash nothing, and the counts add up.

python -m tests.bench.hostile [--messages 100000] [--seed 1]

Every fifth message goes over MQTT. Ends with exit code 1 if anything was taken, lost count of, or crashed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from redis import Redis

from tests.bench.platform import Platform, running
from tests.hostile import Hostile, Message
from tests.hostile_http import attack, counted_since, summed
from tests.waiting import wait_for
from twin import keys
from twin.ingest import counters
from workers.loadtest.mqtt_client import MqttClient

MQTT_SHARE = 0.2
MQTT_LARGEST = 262_144  # bytes; the broker takes no larger ones
AT_ONCE = 500  # messages that may wait in broker and bridge


def good_body() -> bytes:
    now = time.time_ns() // 1000
    return json.dumps(
        {
            "boot": "before",
            "samples": [{"seq": k, "t": now + k, "channels": {"hose.p": 1e7}} for k in range(5)],
        }
    ).encode()


def over_http(platform: Platform, count: int, seed: int) -> Counter[str]:
    sender, body = platform.senders[0], good_body()
    headers = {"Authorization": f"Bearer {sender.token}", "Content-Type": "application/json"}
    with platform.client() as client:
        with contextlib.suppress(AssertionError):  # the one that is good, and taken
            attack(platform.web_port, [Message(body, headers)])
        stream = _settled(client, sender.machine, "http")
        before = counters.total(client)
        tally = attack(platform.web_port, Hostile(seed, sender.token, [body]).requests(count))
        wait_for(
            lambda: summed(counters.total(client), before) == tally, f"{dict(tally)} counted by ingest too"
        )
        _unchanged(client, sender.machine, stream)
    return tally


def over_mqtt(platform: Platform, count: int, seed: int) -> Counter[str]:
    sender, body = platform.senders[0], good_body()
    bodies = list(Hostile(seed, sender.token, [body]).bodies(count, MQTT_LARGEST))
    with platform.client() as client:
        asyncio.run(_publish(platform, client, [body]))
        stream = _settled(client, sender.machine, "mqtt")
        before = counters.total(client)
        asyncio.run(_publish(platform, client, bodies))

        def tally() -> Counter[str]:
            return summed(counters.total(client), before)

        wait_for(lambda: _bodies(tally()) == len(bodies), f"{len(bodies)} messages counted")
        _unchanged(client, sender.machine, stream)
        assert tally()["samples.accepted"] == 0
        return tally()


async def _publish(platform: Platform, client: Redis, bodies: list[bytes]) -> None:
    assert platform.broker is not None
    sender, answered = platform.senders[0], 0

    def heard(data: bytes) -> None:
        nonlocal answered
        answered += 1

    link = MqttClient(heard)
    await link.connect(platform.broker.port, sender.machine, sender.token, f"hydratwin/{sender.machine}/ack")
    listening = asyncio.create_task(link.listen())
    for number, body in enumerate(bodies):
        link.publish(f"hydratwin/{sender.machine}/telemetry", body)
        if number % AT_ONCE == AT_ONCE - 1:
            await asyncio.sleep(1.0)
    seen = -1
    while seen < answered:  # answers may be about several messages, so only their end is known
        seen = answered
        await asyncio.sleep(1.5)
    listening.cancel()
    link.close()


def _bodies(tally: Counter[str]) -> int:
    return sum(count for name, count in tally.items() if name.startswith("bodies."))


def _settled(client: Redis, machine: str, transport: str) -> Any:
    now_us = time.time_ns() // 1000
    wait_for(lambda: counted_since(client, transport, now_us), "the counts so far")
    stream = client.xrange(keys.stream(machine))
    assert len(stream) == 1
    return stream


def _unchanged(client: Redis, machine: str, stream: Any) -> None:
    assert client.xrange(keys.stream(machine)) == stream, "a hostile message changed the stream"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    share = round(options.messages * MQTT_SHARE)
    for attacked, count in ((over_http, options.messages - share), (over_mqtt, share)):
        with (
            tempfile.TemporaryDirectory(prefix="ht-hostile-") as folder,
            running(Path(folder), 1, mqtt=attacked is over_mqtt) as platform,
        ):
            pids = {name: process.pid for name, process in platform.processes.items()}
            began = time.monotonic()
            tally = attacked(platform, count, options.seed)
            crashed = [name for name in pids if not platform.processes[name].is_running()]
            took = time.monotonic() - began
        print(f"{attacked.__name__}: {count} messages in {took:.0f} s, {dict(tally)}", flush=True)
        if crashed:
            print(f"FAILED: crashed: {crashed}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
