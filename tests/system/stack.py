"""The real services for tests: `manage.py demo` on a free port with data of its own.

The emulator is started by the test, so that a machine can fall silent and come back.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from redis import Redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from twin import keys
from twin.runtime import frames
from twin.runtime.runners import live_runners
from workers.demo.ports import free_ports

ROOT = Path(__file__).resolve().parents[2]
START_S = 300.0  # kernels may have to be compiled first

# where Python is told to leave no compiled modules beside the sources, all processes share them elsewhere
ENVIRONMENT = dict(os.environ)
if sys.dont_write_bytecode:
    ENVIRONMENT |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / "var" / "bytecode")}

_Found = TypeVar("_Found")


def wait_for(look: Callable[[], _Found | None], seconds: float, what: str) -> _Found:
    """What `look` finds in the end; fails when it takes too long."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds:g} s")
        time.sleep(0.02)


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

        return wait_for(ready, START_S, f"demo ready; log in {self.data}")

    def terminal(self) -> str:
        """What it printed."""
        return (self.data / "terminal.txt").read_text()

    def end(self, number: int = signal.SIGINT, seconds: float = 20.0) -> int:
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
        self.client = Redis.from_url(facts["telemetry_url"], retry=Retry(ConstantBackoff(0.2), 50))
        self._emulator: subprocess.Popen[bytes] | None = None

    # the machine

    def start_emulator(self, seed: int = 1) -> None:
        """The machine works and reports."""
        if self._emulator is not None:
            return
        command = [sys.executable, "-m", "workers.emulator", "--url", self.url, "--seed", str(seed)]
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
            self._emulator.wait(10)
            self._emulator = None

    # what can be seen

    def pid(self, service: str) -> int:
        return int(self.demo.facts()["pids"][service])

    def runner_pids(self) -> list[int]:
        return [int(runner.split(".")[-2]) for runner in live_runners(self.client)]

    def frame(self, machine: str | None = None) -> frames.Frame | None:
        data = self.client.get(keys.frame(machine or self.machine))
        return frames.decode(data) if data else None

    def wait_status(self, status: str, seconds: float = 20.0, machine: str | None = None) -> frames.Frame:
        def look() -> frames.Frame | None:
            frame = self.frame(machine)
            return frame if frame and frame.status == status else None

        return wait_for(look, seconds, f"a {status} frame")

    def wait_next_frame(self, seconds: float = 20.0) -> frames.Frame:
        """A frame newer than the present one."""
        before = self.frame()
        seq = before.seq if before else 0

        def look() -> frames.Frame | None:
            frame = self.frame()
            return frame if frame and frame.seq > seq else None

        return wait_for(look, seconds, "the next frame")

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
        self.demo.end()


@contextmanager
def running_stack(data: Path) -> Iterator[Stack]:
    """A stack for as long as the block lasts."""
    demo = DemoProcess(data, "--no-emulator")
    try:
        stack = Stack(demo)
        try:
            yield stack
        finally:
            stack.close()
    finally:
        demo.end()
