"""A real Mosquitto with deploy/mosquitto.conf, the bridge beside it, and devices that speak MQTT."""

import getpass
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from tests.waiting import PATIENCE_S, wait_for
from twin.ingest.topics import TopicOwner, topic
from workers.demo.ports import free_ports

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
PASSWORD = "the bridge's own"


def find_mosquitto() -> str | None:
    """Debian puts it where only root's PATH leads."""
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


class Mosquitto:
    """The broker on a free port, with the settings we deploy and files of its own."""

    def __init__(self, directory: Path, **changes: str) -> None:
        self.directory = directory
        self.port = free_ports(1)[0]
        self.pid_file = directory / "broker.pid"
        self.url = f"mqtt://bridge:{PASSWORD.replace(' ', '%20')}@{HOST}:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None
        changes = {
            "listener": f"{self.port} {HOST}",
            "password_file": str(directory / "passwords"),
            "acl_file": str(directory / "access"),
            "persistence_location": f"{directory}/",
            "pid_file": str(self.pid_file),
        } | changes
        text = (ROOT / "deploy" / "mosquitto.conf").read_text()
        for name, value in changes.items():
            text, found = re.subn(rf"^{name} .*$", f"{name} {value}", text, flags=re.MULTILINE)
            assert found == 1, f"deploy/mosquitto.conf has no {name}"
        (directory / "mosquitto.conf").write_text(f"{text}\nuser {getpass.getuser()}\n")
        for name in ("passwords", "access"):
            (directory / name).touch()

    def start(self) -> None:
        command = [find_mosquitto() or "mosquitto", "-c", str(self.directory / "mosquitto.conf")]
        with (self.directory / "mosquitto.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        wait_for(self._listens, "Mosquitto")

    def stop(self, number: int = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(PATIENCE_S)
            self._process = None

    def _listens(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.directory / "mosquitto.log").read_text()
        return f"{self.port}" in _listening_ports()


def _listening_ports() -> set[str]:
    rows = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return {str(int(row.split()[1].split(":")[1], 16)) for row in rows if row.split()[3] == "0A"}


class Program:
    """One of our processes, with its log in a file."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str], directory: Path) -> None:
        self._command = [sys.executable, *command]
        self._environment = environment
        self.log_file = directory / f"{name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdout=log, stderr=log
            )

    def stop(self, number: int = signal.SIGTERM) -> int:
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE_S)
        self.process = None
        return code

    def log(self) -> str:
        return self.log_file.read_text() if self.log_file.exists() else ""

    def wait_for_line(self, words: str, after: int = 0) -> None:
        def look() -> bool:
            assert self.process is None or self.process.poll() is None or words in self.log()[after:], (
                f"ended: {self.log()}"
            )
            return words in self.log()[after:]

        wait_for(look, f"{words!r} in {self.log_file.name}")


class Device:
    """A machine's controller as anybody would write it: publishes, and listens to its ack topic."""

    def __init__(self, port: int, machine: str, user: str, token: str) -> None:
        self.acks: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.owner = TopicOwner(machine, None)  # type: ignore[arg-type]
        self.refused: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._ready: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        if user:
            self.client.username_pw_set(user, token)
        self.client.on_connect = self._on_connect
        self.client.on_subscribe = lambda c, d, mid, codes, p: self._ready.put([str(code) for code in codes])
        self.client.on_message = lambda c, d, message: self.acks.put(json.loads(message.payload))
        self.client.reconnect_delay_set(1, 1)
        self.client.connect(HOST, port)
        self.client.loop_start()

    def _on_connect(self, client: Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        self.refused.put(reason.is_failure)
        if not reason.is_failure:
            client.subscribe(topic("ack", self.owner), qos=1)

    def ready(self) -> "Device":
        """Wait until the broker has let it in and it listens."""
        assert not self.refused.get(timeout=PATIENCE_S), "the broker refuses the device"
        self._ready.get(timeout=PATIENCE_S)
        return self

    def is_refused(self) -> bool:
        return self.refused.get(timeout=PATIENCE_S)

    def send(self, body: Any, to: str | None = None, qos: int = 1) -> Any:
        """Returns when the broker has taken it, which does not mean that it is durable."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = self.client.publish(to or topic("telemetry", self.owner), data, qos=qos)
        sent.wait_for_publish(PATIENCE_S)
        return sent

    def ack(self) -> dict[str, Any]:
        return self.acks.get(timeout=PATIENCE_S)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@contextmanager
def started(*parts: Any) -> Iterator[None]:
    """Mosquitto and programs, in order; stopped in the other order."""
    running = []
    try:
        for part in parts:
            running.append(part)
            part.start()
        yield
    finally:
        for part in reversed(running):
            part.stop()
