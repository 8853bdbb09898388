"""Ingest alone under load: many machines, at most five samples per body, every acknowledgement timed.

python -m tests.bench.ingest [--transport http|mqtt] [--seconds 20] [--rate 5000] [--machines 50]

An acknowledgement is timed from when its body was due, so a sender that falls behind counts against ingest.
Every machine sends one body beforehand that is not timed: ingest then knows its token.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import uvloop

from tests.bench.disk import DiskProbe
from tests.bench.figures import Figure, told_section
from tests.bench.platform import HOST, Platform, Sender, running
from workers.loadtest.mqtt_client import MqttClient

PER_BODY = 5
CHANNELS = {
    "hose.p": 2.5e6,
    "cylinder.p_B": 1.5e6,
    "crank.angle": 0.9,
    "crank.rate": 0.01,
    "valve.command": 1.0,
}
LAST_S = 10.0  # for the acknowledgements that are still under way at the end


class Machine:
    """Sends bodies when they are due, and notes how long each waits for its acknowledgement."""

    def __init__(self, sender: Sender, boot: str) -> None:
        self.sender = sender
        self.boot = boot
        self.sent = 0
        self.acked = 0
        self.waits_s: list[float] = []
        self.due: dict[int, float] = {}  # last seq of a body -> when it was due

    def body(self, due: float) -> bytes:
        now_us = time.time_ns() // 1000
        samples = [
            {"seq": self.sent + k, "t": now_us - 4000 * (PER_BODY - k), "channels": CHANNELS}
            for k in range(PER_BODY)
        ]
        self.sent += PER_BODY
        self.due[self.sent - 1] = due
        return json.dumps({"boot": self.boot, "samples": samples}).encode()

    def acknowledged(self, last: int) -> None:
        """Everything up to this sequence number is durable."""
        now = time.monotonic()
        for seq in [seq for seq in self.due if seq <= last]:
            self.waits_s.append(now - self.due.pop(seq))
            self.acked += PER_BODY


async def over_http(machine: Machine, platform: Platform, dues: Iterator[float]) -> None:
    reader, writer = await asyncio.open_connection(HOST, platform.web_port)
    head = (
        f"POST /api/v1/telemetry HTTP/1.1\r\nHost: load\r\nAuthorization: Bearer {machine.sender.token}\r\n"
    )
    for due in dues:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        body = machine.body(due)
        lines = f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(lines.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        await reader.readexactly(length)
        if answer.startswith(b"HTTP/1.1 202"):
            machine.acknowledged(machine.sent - 1)
    writer.close()


async def over_mqtt(machine: Machine, platform: Platform, dues: Iterator[float]) -> None:
    def heard(data: bytes) -> None:
        answer = json.loads(data)
        for _, last in answer.get("accepted", []):
            machine.acknowledged(last)

    assert platform.broker is not None
    client = MqttClient(heard)
    name, root = machine.sender.machine, f"hydratwin/{machine.sender.machine}"
    await client.connect(platform.broker.port, name, machine.sender.token, f"{root}/ack")
    listening = asyncio.create_task(client.listen())
    for due in dues:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        client.publish(f"{root}/telemetry", machine.body(due))
    deadline = time.monotonic() + LAST_S
    while machine.due and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    listening.cancel()
    client.close()


async def load(platform: Platform, transport: str, rate: float, seconds: float) -> list[Machine]:
    speak = over_http if transport == "http" else over_mqtt
    await asyncio.gather(
        *(speak(Machine(sender, "warm"), platform, iter([0.0])) for sender in platform.senders)
    )
    machines = [Machine(sender, "load") for sender in platform.senders]
    period = PER_BODY * len(machines) / rate
    begin = time.monotonic() + 0.5
    firsts = [begin + period * number / len(machines) for number in range(len(machines))]
    dues = [every(first, period, int(seconds / period)) for first in firsts]
    await asyncio.gather(*(speak(each, platform, due) for each, due in zip(machines, dues, strict=True)))
    return machines


def every(first: float, period: float, count: int) -> Iterator[float]:
    """When the bodies of one machine are due; machines do not send at the same moment."""
    return (first + k * period for k in range(count))


def measure(transport: str, rate: float, seconds: float, count: int) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory(prefix="ht-ingest-") as folder,
        running(Path(folder), count, mqtt=transport == "mqtt") as platform,
    ):
        before, began = platform.cpu_s(), time.monotonic()
        with DiskProbe(Path(folder)) as disk:
            machines = uvloop.run(load(platform, transport, rate, seconds))
        took = time.monotonic() - began
        cpu = {name: round(100 * (now - before[name]) / took) for name, now in platform.cpu_s().items()}
        stored = platform.stored()
    waits_ms = 1000 * np.array([wait for machine in machines for wait in machine.waits_s])
    sent, acked = sum(m.sent for m in machines), sum(m.acked for m in machines)
    kept = {m.sender.machine: set(stored[m.sender.machine]) for m in machines}
    lost = sum(("load", seq) not in kept[m.sender.machine] for m in machines for seq in range(m.sent))
    return {
        "transport": transport,
        "samples_per_s": round(sent / seconds),
        "sent": sent,
        "acknowledged": acked,
        "stored": sum(boot == "load" for seqs in stored.values() for boot, _ in seqs),
        "lost": lost,
        "ack_ms": {f"p{q}": round(float(np.percentile(waits_ms, q)), 1) for q in (50, 99, 100)},
        "disk_ms": {f"p{q}": disk.wait_ms(q) for q in (50, 99, 100)},
        "cpu_percent": cpu,
        "load_average": os.getloadavg()[0],
    }


def figures(seconds: float = 30.0) -> Iterator[Figure]:
    return (figure for figure, _ in measured_figures(seconds))


def measured_figures(seconds: float) -> Iterator[tuple[Figure, dict[str, Any]]]:
    for transport in ("http", "mqtt"):
        found = measure(transport, 5000, seconds, 50)
        waits = found["ack_ms"]
        cpu = ", ".join(f"{name} {percent} %" for name, percent in found["cpu_percent"].items())
        figure = Figure(
            f"ingest over {transport.upper()}, {PER_BODY} samples per body",
            f"{found['samples_per_s']} samples/s, acknowledged after {waits['p50']} ms, p99 {waits['p99']}",
            f"{found['sent']} sent, {found['acknowledged']} acknowledged, {found['lost']} lost; CPU {cpu}; "
            f"a probe that only syncs waited {found['disk_ms']['p50']} ms for the disk, "
            f"p99 {found['disk_ms']['p99']}",
            f"50 machines, {seconds:.0f} s, the load generator on the same cores",
        )
        yield figure, found


def section() -> list[str]:
    return told_section(figures())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transport", choices=("http", "mqtt"), action="append")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument(
        "--rate", type=float, default=5000.0, help="samples per second, all machines together"
    )
    parser.add_argument("--machines", type=int, default=50)
    options = parser.parse_args()
    for transport in options.transport or ("http", "mqtt"):
        print(json.dumps(measure(transport, options.rate, options.seconds, options.machines)), flush=True)


if __name__ == "__main__":
    main()
