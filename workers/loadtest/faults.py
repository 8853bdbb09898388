"""What goes wrong during a run, each under the name that `--fault` takes."""

import asyncio
import os
import resource
import signal
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from twin.runtime.runners import live_runners
from workers.loadtest.machine import Machine
from workers.loadtest.platform import Platform

PAUSE_S = 5.0  # of a runner: well past its lease of 2 s
BACK_US, AHEAD_US = -30_000_000, 1_500_000  # clocks are set; ingest refuses more than 2 s ahead
LEFT_ON_DISK, FULL_S = 4096, 10.0  # bytes; for so long there is no more room


@dataclass(frozen=True)
class Scene:
    platform: Platform
    machines: Sequence[Machine]
    longest_s: float  # that a fault may last, so that there is time left to recover


@dataclass(frozen=True)
class Fault:
    does: str
    inject: Callable[[Scene], Awaitable[None]]
    mqtt: bool = False  # concerns parts that are there with MQTT only


def _kill(*names: str, number: int = signal.SIGKILL) -> Callable[[Scene], Awaitable[None]]:
    """The whole service with its children; it is started again as after any crash."""

    async def inject(scene: Scene) -> None:
        for name in names:
            os.killpg(scene.platform.pids[name], number)

    return inject


def _stop(name: str, seconds: float) -> Callable[[Scene], Awaitable[None]]:
    """The process stands still, as on a host that swaps: connections stay and nothing answers."""

    async def inject(scene: Scene) -> None:
        group = scene.platform.pids[name]
        os.killpg(group, signal.SIGSTOP)
        try:
            await asyncio.sleep(min(seconds, scene.longest_s))
        finally:
            os.killpg(group, signal.SIGCONT)

    return inject


async def _stop_database(scene: Scene) -> None:
    """Nobody else can write: as long as this lasts, SQLite is to its users what a stopped server would be."""
    path = Path(scene.platform.layout.data) / "hydratwin.sqlite3"
    lock = sqlite3.connect(path, isolation_level=None, timeout=30.0)
    try:
        lock.execute("BEGIN EXCLUSIVE")
        await asyncio.sleep(min(30.0, scene.longest_s))
        lock.execute("ROLLBACK")
    finally:
        lock.close()


async def _pause_runner(scene: Scene) -> None:
    runner = await asyncio.to_thread(lambda: live_runners(scene.platform.client)[0])
    pid = int(runner.split(".")[-2])  # host.pid.random
    os.kill(pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(PAUSE_S)
    finally:
        os.kill(pid, signal.SIGCONT)


async def _jump(scene: Scene) -> None:
    """Half of the machines set their clocks back, the others ahead."""
    for number, machine in enumerate(scene.machines):
        machine.jump(AHEAD_US if number % 2 else BACK_US)


async def _fill_disk(scene: Scene) -> None:
    """The server may not make its file any larger: a write ends in the middle, and nothing of it may be
    acknowledged. After a while there is room again."""
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
    "valkey-stop": Fault("the telemetry server stands still for 30 s", _stop("telemetry", 30.0)),
    "database-stop": Fault("the database takes nothing for 30 s", _stop_database),
    "web-kill": Fault("the web process is killed", _kill("web")),
    "bridge-kill": Fault("the MQTT bridge is killed", _kill("bridge"), mqtt=True),
    "broker-restart": Fault(
        "the MQTT broker is restarted", _kill("mosquitto", number=signal.SIGTERM), mqtt=True
    ),
    "broker-kill": Fault("the MQTT broker is killed", _kill("mosquitto"), mqtt=True),
    "history-stop": Fault("the history writer stands still for 5 minutes", _stop("history", 300.0)),
    "clock-jump": Fault("machines set their clocks back by 30 s or ahead by 1.5 s", _jump),
    "runner-pause": Fault(f"a runner stands still for {PAUSE_S:.0f} s, past its lease", _pause_runner),
    "disk-full": Fault(f"the disk of the telemetry server is full for {FULL_S:.0f} s", _fill_disk),
}
