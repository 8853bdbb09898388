"""Defines the faults of a load test, with the names that `--fault` accepts."""

import asyncio
import os
import resource
import signal
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from twin.runtime.sharding import live_runners
from workers.loadtest.machine import Machine
from workers.loadtest.platform import Platform

PAUSE_S = 5.0  # of a runner: well past its lease of 2 s
BACK_US, AHEAD_US = -30_000_000, 1_500_000  # changes of clocks; ingest refuses more than 2 s ahead
LEFT_ON_DISK, FULL_S = 4096, 10.0  # bytes left, and how long the disk stays full


@dataclass(frozen=True)
class FaultContext:
    platform: Platform
    machines: Sequence[Machine]
    longest_s: float  # maximum duration of the fault, so that there is time left to recover


@dataclass(frozen=True)
class Fault:
    does: str
    inject: Callable[[FaultContext], Awaitable[None]]
    mqtt: bool = False  # concerns services that run only with MQTT


def _kill(*names: str, number: int = signal.SIGKILL) -> Callable[[FaultContext], Awaitable[None]]:
    """Kill the service with its children; the supervisor restarts it."""

    async def inject(scene: FaultContext) -> None:
        for name in names:
            os.killpg(scene.platform.pids[name], number)

    return inject


def _stop(name: str, seconds: float) -> Callable[[FaultContext], Awaitable[None]]:
    """Stop the process, as on a host that swaps: connections stay open, but nothing responds."""

    async def inject(scene: FaultContext) -> None:
        group = scene.platform.pids[name]
        os.killpg(group, signal.SIGSTOP)
        try:
            await asyncio.sleep(min(seconds, scene.longest_s))
        finally:
            os.killpg(group, signal.SIGCONT)

    return inject


async def _stop_database(scene: FaultContext) -> None:
    """Lock the SQLite database; to its users it looks like a stopped server."""
    path = Path(scene.platform.layout.data) / "hydratwin.sqlite3"
    lock = sqlite3.connect(path, isolation_level=None, timeout=30.0)
    try:
        lock.execute("BEGIN EXCLUSIVE")
        await asyncio.sleep(min(30.0, scene.longest_s))
        lock.execute("ROLLBACK")
    finally:
        lock.close()


async def _pause_runner(scene: FaultContext) -> None:
    runner = await asyncio.to_thread(lambda: live_runners(scene.platform.client)[0])
    pid = int(runner.split(".")[-2])  # host.pid.random
    os.kill(pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(PAUSE_S)
    finally:
        os.kill(pid, signal.SIGCONT)


async def _jump(scene: FaultContext) -> None:
    """Set half of the machines' clocks back and the others ahead."""
    for number, machine in enumerate(scene.machines):
        machine.jump(AHEAD_US if number % 2 else BACK_US)


async def _fill_disk(scene: FaultContext) -> None:
    """Limit the size of the server's file for a while.

    A write then fails half-way and must not be acknowledged.
    """
    pid, endless = scene.platform.pids["telemetry"], resource.RLIM_INFINITY
    files = Path(scene.platform.layout.data / "telemetry").rglob("*.aof")
    size = max(file.stat().st_size for file in files) + LEFT_ON_DISK
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, endless))
    try:
        await asyncio.sleep(min(FULL_S, scene.longest_s))
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (endless, endless))


FAULTS = {
    "worker-kill": Fault("the twins worker with all its runners is killed", _kill("twins")),
    "valkey-kill": Fault("the telemetry server is killed", _kill("telemetry")),
    "valkey-stop": Fault("the telemetry server is paused for 30 s", _stop("telemetry", 30.0)),
    "database-stop": Fault("the database is locked for 30 s", _stop_database),
    "web-kill": Fault("the web process is killed", _kill("web")),
    "bridge-kill": Fault("the MQTT bridge is killed", _kill("bridge"), mqtt=True),
    "broker-restart": Fault(
        "the MQTT broker is restarted", _kill("mosquitto", number=signal.SIGTERM), mqtt=True
    ),
    "broker-kill": Fault("the MQTT broker is killed", _kill("mosquitto"), mqtt=True),
    "history-stop": Fault("the history writer is paused for 5 minutes", _stop("history", 300.0)),
    "clock-jump": Fault("machines set their clocks back by 30 s or ahead by 1.5 s", _jump),
    "runner-pause": Fault(f"a runner is paused for {PAUSE_S:.0f} s, longer than its lease", _pause_runner),
    "disk-full": Fault(f"the disk of the telemetry server is full for {FULL_S:.0f} s", _fill_disk),
}
