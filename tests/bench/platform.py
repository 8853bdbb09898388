"""Ingest alone, for load: a Valkey, the web process or the bridge with its broker, machines with tokens."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
from redis import Redis

from tests.conftest import ValkeyServer
from tests.system.mosquitto import Mosquitto, Program, started
from tests.system.stack import ENVIRONMENT
from tests.waiting import wait_for
from twin import keys
from twin.ingest import entries
from workers.demo.ports import free_ports

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"

FLEET = """
import json, sys
from django.core.management import call_command
from twin.fleet import services

call_command("migrate", verbosity=0)
organisation = services.create_organisation("Load")
found = []
for number in range(int(%d)):
    machine = services.create_machine(organisation, f"Machine {number}")
    device = services.create_device(machine, "Controller")
    found.append((str(machine.pk), str(device.pk), services.issue_token(device)))
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Sender:
    """Who a load generator is."""

    machine: str
    device: str
    token: str


@dataclass
class Platform:
    valkey: ValkeyServer
    senders: list[Sender]
    web_port: int
    broker: Mosquitto | None
    processes: dict[str, psutil.Process]

    def client(self) -> Redis:
        return self.valkey.client()

    def cpu_s(self) -> dict[str, float]:
        """Seconds of processor time of each process so far, this one included."""
        times = {name: process.cpu_times() for name, process in self.processes.items()}
        return {name: each.user + each.system for name, each in times.items()}

    def stored(self) -> dict[str, list[tuple[str, int]]]:
        """(boot, seq) of every sample in the stream of each machine."""
        with self.client() as client:
            return {sender.machine: list(_samples(client, sender.machine)) for sender in self.senders}


@contextmanager
def running(data: Path, machines: int, *, mqtt: bool, **settings: str) -> Iterator[Platform]:
    valkey, port = ValkeyServer(data), free_ports(1)[0]
    broker = Mosquitto(data) if mqtt else None
    kept = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("HYDRATWIN_")}
    environment = kept | settings
    environment |= {"HYDRATWIN_DATA": str(data), "HYDRATWIN_TELEMETRY_URL": valkey.url}
    environment |= {"HYDRATWIN_TELEMETRY_DIR": str(valkey.directory)}
    environment |= {"HYDRATWIN_BROKER_URL": valkey.url, "HYDRATWIN_CHANNELS_URL": valkey.url}
    if broker is not None:
        environment["HYDRATWIN_MQTT_URL"] = broker.url
    parts: dict[str, Any] = {"valkey": valkey}
    if broker is not None:
        parts["broker"] = broker
        parts["bridge"] = Program("bridge", ["-m", "workers.bridge"], environment, data)
    else:
        command = ["-m", "uvicorn", "webui.asgi:application", "--port", str(port), "--no-access-log"]
        parts["web"] = Program("web", [*command, "--no-proxy-headers"], environment, data)
    senders = [Sender(*each) for each in json.loads(_manage(environment, FLEET % machines))]
    if broker is not None:
        _command(environment, "broker_accounts", str(data))
    with started(*parts.values()):
        if broker is not None:
            parts["bridge"].wait_for_line("connected to the broker")
        else:
            wait_for(lambda: _answers(port), "the web process")
        processes = {name: psutil.Process(_pid(part)) for name, part in parts.items()}
        yield Platform(valkey, senders, port, broker, processes | {"load": psutil.Process()})


def _manage(environment: dict[str, str], code: str) -> str:
    return _command(environment, "shell", "--no-imports", "--command", code)


def _command(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    answer = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://{HOST}:{port}/healthz").status_code == 200
    except httpx.TransportError:
        return False


def _pid(part: Any) -> int:
    process = part.process if isinstance(part, Program) else part._process
    return int(process.pid)


def _samples(client: Redis, machine: str) -> Iterator[tuple[str, int]]:
    for _, fields in client.xrange(keys.stream(machine)):
        entry = entries.decode(fields[entries.FIELD])
        if isinstance(entry, entries.Samples):
            yield from ((entry.boot, sample[0]) for sample in entry.samples)
