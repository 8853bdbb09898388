"""The real services for tests: `manage.py demo` on a free port with data of its own.

The emulator is started by the test, so that a machine can fall silent and come back.
"""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.system.collected import keep_static, lend_static
from tests.waiting import PATIENCE_S, wait_for
from twin import keys
from twin.runtime import frames
from twin.runtime.sharding import live_runners
from twin.settings import SHARDS
from twin.valkey.clients import connect_patiently
from twin.valkey.pipeline_client import PipelineClient
from workers.demo.ports import free_ports

ROOT = Path(__file__).resolve().parents[2]
START_S = 300.0  # kernels may have to be compiled first

# where Python is told to leave no compiled modules beside the sources, all processes share them elsewhere
ENVIRONMENT = dict(os.environ)
if sys.dont_write_bytecode:
    ENVIRONMENT |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / "var" / "bytecode")}

# history is to be seen soon; streams are kept whole, so that tests can replay them
ENVIRONMENT |= {"HYDRATWIN_HISTORY_S": "1", "HYDRATWIN_STREAM_KEEP_S": "3600"}

TWINS_QUEUE = "twins"
RUNNERS = os.cpu_count() or 1


def now_us() -> int:
    return time.time_ns() // 1000


class DemoProcess:
    """`manage.py demo` as a user starts it."""

    def __init__(self, data: Path, *options: str, port: int | None = None) -> None:
        self.data = data
        self.port = port or free_ports(1)[0]
        data.mkdir(parents=True, exist_ok=True)
        self._output = (data / "terminal.txt").open("w")
        command = [sys.executable, "manage.py", "demo", "--data", str(data), "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, *options], cwd=ROOT, env=ENVIRONMENT, stdout=self._output, stderr=subprocess.STDOUT
        )

    def facts(self) -> dict[str, Any]:
        """What the demo says of itself: addresses, logins, process ids."""
        with contextlib.suppress(FileNotFoundError):
            return json.loads((self.data / "run.json").read_text())
        return {}

    def wait_ready(self) -> dict[str, Any]:
        def ready() -> dict[str, Any] | None:
            assert self.process.poll() is None, f"the demo ended:\n{self.terminal()}"
            facts = self.facts()
            return facts if facts.get("ready") else None

        return wait_for(ready, f"demo ready; log in {self.data}", START_S)

    def terminal(self) -> str:
        """What it printed."""
        return (self.data / "terminal.txt").read_text()

    def end(self, number: int = signal.SIGINT, seconds: float = 2 * PATIENCE_S) -> int:
        """Send a signal and wait for the end; returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(seconds)
        finally:
            self._output.close()


class Stack:
    """A running platform with one machine."""

    def __init__(self, demo: DemoProcess) -> None:
        facts = demo.wait_ready()
        self.demo = demo
        self.data = demo.data
        self.url: str = facts["url"]
        self.logins: dict[str, str] = facts["logins"]  # name -> password
        self.machine: str = facts["machine"]
        self.token: str = facts["token"]
        # patient: some tests kill the server
        self.client = connect_patiently(facts["telemetry_url"], PATIENCE_S)
        self.pipeline = PipelineClient(facts["telemetry_url"], PATIENCE_S)
        self.broker = connect_patiently(facts["broker_url"], PATIENCE_S)
        self._emulator: subprocess.Popen[bytes] | None = None

    # the machine

    def start_emulator(self, *options: str, seed: int = 1) -> None:
        """The machine works and reports."""
        if self._emulator is not None and self._emulator.poll() is None:
            return
        command = [sys.executable, "-m", "workers.emulator", "--url", self.url, "--seed", str(seed), *options]
        with (self.data / "logs" / "emulator.log").open("ab") as log:
            self._emulator = subprocess.Popen(
                command,
                cwd=ROOT,
                env=ENVIRONMENT | {"HYDRATWIN_DEVICE_TOKEN": self.token},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def stop_emulator(self) -> None:
        """The machine falls silent; what it had to say is delivered first."""
        if self._emulator is not None:
            self._emulator.terminate()
            self._emulator.wait(PATIENCE_S)
            self._emulator = None

    # what can be seen

    def pid(self, service: str) -> int:
        return int(self.demo.facts()["pids"][service])

    def runner_pids(self) -> list[int]:
        return [pid_of(runner) for runner in live_runners(self.client)]

    def owners(self) -> Counter[str]:
        """How many shards each runner holds."""
        stamps = self.client.mget([keys.lease(shard) for shard in range(SHARDS)])
        return Counter(stamp.decode().rsplit(":", 1)[0] for stamp in stamps if stamp)

    def frame(self, machine: str | None = None) -> frames.Frame | None:
        data = self.client.get(keys.frame(machine or self.machine))
        return frames.decode(data) if data else None

    @contextmanager
    def following_frames(self) -> Iterator[Callable[[], frames.Frame]]:
        """Every frame of the machine from now on, one per call."""
        with self.client.pubsub() as subscription:
            subscription.subscribe(keys.live(self.machine))
            wait_for(lambda: subscription.get_message(timeout=1.0), "the subscription")

            def following() -> frames.Frame:
                message = wait_for(lambda: subscription.get_message(timeout=1.0), "the next frame")
                return frames.decode(message["data"])

            yield following

    # what is waited for

    def wait_steady(self) -> None:
        """Services answer, every runner has its share of the shards, the twin follows its machine.

        Nothing of what an earlier test did is left: what a test sees from here on is its own doing.
        """
        wait_for(self._ready, "every service ready")
        wait_for(self._supervised, "the supervisor offers work again")
        wait_for(self._shared_out, f"{RUNNERS} runners with even shares", 2 * PATIENCE_S)
        self.wait_synced()

    def _ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz", timeout=PATIENCE_S).status_code == 200
        except httpx.HTTPError:
            return False

    def _supervised(self) -> bool:
        """An offer for another runner lies in the queue: beat, jobs and broker work."""
        return bool(self.broker.llen(TWINS_QUEUE))

    def _shared_out(self) -> bool:
        owners = self.owners()
        shares = set(live_runners(self.client)) == set(owners) and sum(owners.values()) == SHARDS
        return shares and len(owners) == RUNNERS and max(owners.values()) <= math.ceil(SHARDS / RUNNERS)

    def wait_status(self, status: str, machine: str | None = None) -> frames.Frame:
        def look() -> frames.Frame | None:
            frame = self.frame(machine)
            return frame if frame and frame.status == status else None

        return wait_for(look, lambda: f"a {status} frame ({self._last_seen(machine)})")

    def wait_synced(self) -> frames.Frame:
        """A synced frame with a reading taken after this call: the whole way from machine to frame works.

        An older synced frame may be one from before a fault; one that coasts for a moment is no fault.
        """
        called_us = now_us()

        def look() -> frames.Frame | None:
            frame = self.frame()
            return frame if frame and frame.status == "synced" and frame.t_sample >= called_us else None

        what = "a synced frame with a new reading"
        return wait_for(look, lambda: f"{what} ({self._last_seen()})", 2 * PATIENCE_S)

    def _last_seen(self, machine: str | None = None) -> str:
        """The last frame in words, for those who have waited for another."""
        frame = self.frame(machine)
        if frame is None:
            return "there is none at all"
        age_s = (now_us() - frame.ts) / 1e6
        return f"the last is {frame.status} {frame.reason!r}, {age_s:.1f} s old, read {frame.t_sample}"

    def log(self, service: str) -> str:
        return (self.data / "logs" / f"{service}.log").read_text()

    def django(self, code: str) -> str:
        """Run a few lines against the stack's own database; returns what they print."""
        facts = self.demo.facts()
        environment = ENVIRONMENT | {
            "HYDRATWIN_DATA": str(self.data),
            "HYDRATWIN_TELEMETRY_URL": facts["telemetry_url"],
            "HYDRATWIN_BROKER_URL": facts["broker_url"],
            "DJANGO_SETTINGS_MODULE": "twin.settings",
        }
        run = subprocess.run(
            [sys.executable, "-c", f"import django; django.setup()\n{code}"],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        return run.stdout.strip()

    def close(self) -> None:
        self.stop_emulator()
        self.client.close()
        self.pipeline.close()
        self.broker.close()
        self.demo.end()


def pid_of(runner: str) -> int:
    """The process of a runner, by its name: host.pid.random."""
    return int(runner.split(".")[-2])


@contextmanager
def running_stack(data: Path) -> Iterator[Stack]:
    """A stack for as long as the block lasts."""
    lend_static(data)
    demo = DemoProcess(data, "--no-emulator")
    try:
        stack = Stack(demo)
        keep_static(data)
        try:
            yield stack
        finally:
            stack.close()
    finally:
        demo.end()
