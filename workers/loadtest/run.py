"""Runs one load test: starts the platform, sends telemetry, opens sockets, injects a fault, and reports."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import uvloop
from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

from twin import keys
from twin.runtime import frames
from twin.valkey.clients import connect
from workers.loadtest import check, over_http, over_mqtt
from workers.loadtest.faults import FAULTS, FaultContext
from workers.loadtest.machine import Machine
from workers.loadtest.meter import ProcessMeter
from workers.loadtest.platform import Platform, PlatformOptions
from workers.loadtest.recording import SPREAD_S, Recording
from workers.loadtest.sockets import SocketClient, SocketStats
from workers.loadtest.times import Times

WARM_S = 6.0  # before the measurement: twins start, tokens are looked up
LOOK_S = 5.0  # interval of process measurements and progress lines
BEAT_S = 0.1
RECOVER_S = 60.0
LAST_S = 120.0  # for acknowledgements that are missing at the end


@dataclass(frozen=True)
class Options:
    twins: int
    rate: float
    sockets: int
    seconds: float
    transport: str
    fault: str | None
    model: str
    cores: int | None  # reserved for the runners


class Run:
    def __init__(self, options: Options, root: Path, data: Path, progress: Callable[[str], None]) -> None:
        self._options = options
        self._progress = progress
        platform_options = PlatformOptions(
            root, data, options.twins, options.transport == "mqtt", options.fault is not None,
            options.model, options.cores,
        )  # fmt: skip
        self._platform = Platform(platform_options, progress)
        self._meter = ProcessMeter()
        self._ack_times = Times()
        self._socket_stats = SocketStats()
        self._began: float | None = None  # monotonic; None before the measurement
        self._measured_s = 0.0
        self._chunks: Any = None  # finished and late: first the counts at the beginning, then the difference
        self._recovered_s: float | None = None

    def execute(self, recording: Recording) -> dict[str, Any]:
        try:
            self._platform.start()
            uvloop.run(self._load(recording))
            return self._report()
        finally:
            self._platform.stop()

    # the load

    async def _load(self, recording: Recording) -> None:
        options = self._options
        self._machines = self._make_machines(recording)
        self._socket_clients = self._make_socket_clients()
        play, port = over_http.play, self._platform.layout.port
        if options.transport == "mqtt":
            play, port = over_mqtt.play, self._platform.mqtt_port
        background = [asyncio.create_task(client.run()) for client in self._socket_clients]
        background.append(asyncio.create_task(self._supervise()))
        sending = [asyncio.create_task(play(machine, port)) for machine in self._machines]
        await asyncio.sleep(WARM_S)
        began = self._begin_measuring()
        fault = asyncio.create_task(self._inject_fault())
        await asyncio.sleep(options.seconds)
        self._measured_s = time.monotonic() - began
        self._meter.look(self._measured_s, self._platform.pids)
        self._chunks = _chunks(self._platform.client, self._names) - self._chunks
        await fault
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*sending), LAST_S)
        for task in background:
            task.cancel()
        await asyncio.gather(*background, return_exceptions=True)

    def _make_machines(self, recording: Recording) -> list[Machine]:
        """Make machines that send at different times, from different positions in the recording."""
        options, machines = self._options, self._platform.machines
        count = int((WARM_S + options.seconds) * options.rate)
        begin, period = time.monotonic() + 0.5, 5 / options.rate
        share = [number / len(machines) for number in range(len(machines))]
        offsets = [int(part * SPREAD_S * options.rate) for part in share]
        return [
            Machine(each, recording, offset, begin + part * period, count, self._ack_times)
            for each, offset, part in zip(machines, offsets, share, strict=True)
        ]

    def _make_socket_clients(self) -> list[SocketClient]:
        platform, names = self._platform, self._names
        return [
            SocketClient(
                names[number % len(names)],
                platform.session,
                platform.layout.port,
                settings.TELEMETRY_DELAY_US,
                self._socket_stats,
            )
            for number in range(self._options.sockets)
        ]

    def _begin_measuring(self) -> float:
        self._meter.look(0.0, self._platform.pids)
        self._meter.forget()
        self._chunks = _chunks(self._platform.client, self._names)
        self._socket_stats.clear()
        self._ack_times.clear()
        self._began = time.monotonic()
        return self._began

    async def _supervise(self) -> None:
        """Restart crashed services, measure the processes, report progress."""
        look_at = time.monotonic() + LOOK_S
        while True:
            await asyncio.sleep(BEAT_S)
            self._platform.restart_crashed()
            if time.monotonic() < look_at:
                continue
            look_at += LOOK_S
            at_s = time.monotonic() - self._began if self._began else 0.0
            self._meter.look(at_s, self._platform.pids)
            acked = sum(machine.acked for machine in self._machines)
            behind = sum(machine.existing() - machine.acked for machine in self._machines)
            self._progress(
                f"{at_s:.0f} of {self._options.seconds:.0f} s: {acked} acknowledged, {behind} not yet"
            )

    async def _inject_fault(self) -> None:
        options = self._options
        if options.fault is None:
            return
        await asyncio.sleep(options.seconds / 4)
        fault = FAULTS[options.fault]
        self._progress(f"now {fault.does}")
        began = time.monotonic()
        await fault.inject(FaultContext(self._platform, self._machines, options.seconds / 2))
        lasted = time.monotonic() - began
        recovered = await asyncio.to_thread(self._wait_recovered)
        self._recovered_s = None if recovered is None else recovered - began - (lasted if lasted > 1 else 0)

    def _wait_recovered(self) -> float | None:
        """Return when every twin showed a reading that arrived after the fault.

        Blocks, so it runs in a thread.
        """
        since_us = time.time_ns() // 1000
        deadline = time.monotonic() + RECOVER_S
        with connect(self._platform.layout.telemetry_url, retries=1, timeout_s=1.0) as client:
            while time.monotonic() < deadline:
                with contextlib.suppress(RedisError):
                    shown = _frames(client, self._names)
                    if all(each.status == "synced" and each.received > since_us for each in shown):
                        return time.monotonic()
                time.sleep(BEAT_S)
        return None

    # the report

    def _report(self) -> dict[str, Any]:
        options, platform = self._options, self._platform
        unsettled = check.wait_settled(platform.client, self._names, platform.restart_crashed, self._progress)
        stored = self._stored()
        stats = self._socket_stats
        finished, overruns = self._chunks
        slopes = self._meter.slopes()
        return {
            "twins": options.twins,
            "model": options.model,
            "cores": options.cores,
            "rate": options.rate,
            "sockets": options.sockets,
            "seconds": round(self._measured_s, 1),
            "transport": options.transport,
            "chunks": {
                "finished": int(finished),
                "within_50_ms": float(1 - overruns / finished) if finished else None,
            },
            "frames": {
                "received": stats.ways.count,
                "missing": stats.missing,
                "delay_ms": settings.TELEMETRY_DELAY_US / 1000,
                "lag_ms": stats.lags.percentiles(),
                "way_ms": stats.ways.percentiles(),
                "sockets_lost": stats.lost,
            },
            "samples": {
                "sent": sum(machine.sent for machine in self._machines),
                "acknowledged": sum(machine.acked for machine in self._machines),
                "refused": sum(machine.refused for machine in self._machines),
                "stored": sum(last - first + 1 for runs in stored.values() for first, last in runs),
                "lost": sum(check.lost(m, stored.get(m.credentials.machine, [])) for m in self._machines),
                "strange": check.strange(self._machines, stored),
                "ack_ms": self._ack_times.percentiles(),
            },
            "cpu_percent": {
                name: round(100 * cpu_s / self._measured_s, 1) for name, cpu_s in self._meter.cpu_s.items()
            },
            "memory": {
                name: {"mb": round(series[-1][1], 1), "mb_per_min": slopes[name]}
                for name, series in self._meter.memory.items()
            },
            "load_average": os.getloadavg()[0],
            "unsettled": unsettled,
            "fault": self._fault_report(),
        }

    def _fault_report(self) -> dict[str, Any] | None:
        if self._options.fault is None:
            return None
        different = check.different(self._platform.client, self._names, self._options.model, self._progress)
        return {
            "name": self._options.fault,
            "recovered_s": None if self._recovered_s is None else round(self._recovered_s, 2),
            "identical": len(self._names) - len(different),
            "different": different,
        }

    def _stored(self) -> dict[str, list[list[int]]]:
        command = [sys.executable, "-m", "workers.loadtest.stored"]
        environment, root = self._platform.environment(), self._platform.layout.root
        answer = subprocess.run(command, env=environment, cwd=root, capture_output=True, check=True)
        found: dict[str, list[list[int]]] = json.loads(answer.stdout.splitlines()[-1])
        return found

    @property
    def _names(self) -> list[str]:
        return [each.machine for each in self._platform.machines]


def _chunks(client: Redis, machines: Sequence[str]) -> Any:
    """Return the finished and the late chunks, summed over all twins."""
    return np.sum([[each.chunks, each.overruns] for each in _frames(client, machines)] or [[0, 0]], axis=0)


def _frames(client: Redis, machines: Sequence[str]) -> list[frames.Frame]:
    found: Any = client.mget([keys.frame(machine) for machine in machines])
    return [frames.decode(data) for data in found if data]
