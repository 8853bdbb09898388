"""Runs the platform under test: every service of the demo, on free ports, with its own data."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from twin.runtime.sharding import live_runners
from twin.valkey.clients import connect_patiently
from workers.demo import services
from workers.demo.child import Child, Service
from workers.demo.ports import free_ports
from workers.demo.readiness import Readiness
from workers.demo.reaper import Reaper
from workers.demo.services import Layout
from workers.demo.supervisor import Supervisor
from workers.loadtest import mosquitto
from workers.loadtest.machine import Credentials

READY_S = 120.0
OUTAGE_S = 60.0  # longer than any fault takes the telemetry server away
LOOK_S = 0.05
STOP_ORDER = (
    ("web", "jobs", "twins", "bridge"),
    ("history", "accounts"),
    ("mosquitto", "broker", "telemetry"),
)


class CannotStart(Exception):
    """Why the platform cannot start."""


@dataclass(frozen=True)
class PlatformOptions:
    root: Path
    data: Path
    twins: int
    mqtt: bool
    keep_streams: bool  # untrimmed, so that they can be replayed
    model: str
    cores: int | None  # reserved for the runners; None: all processes share all cores


def other_cores(cores: int) -> set[int]:
    """Return the cores that the runners do not use; if none is left, return all cores."""
    return set(range(cores, os.cpu_count() or 1)) or set(range(cores))


def pin_to(cores: set[int]) -> None:
    os.sched_setaffinity(0, cores)


class Platform:
    """The running services, with their process ids in `pids`; `restart_crashed` must be called regularly."""

    def __init__(self, options: PlatformOptions, progress: Callable[[str], None]) -> None:
        self._options = options
        self._progress = progress
        web_port, telemetry_port, broker_port, self.mqtt_port = free_ports(4)
        self.layout = Layout(options.root, options.data, web_port, telemetry_port, broker_port)
        self.pids: dict[str, int] = {}
        self.machines: list[Credentials] = []
        self.session = ""
        self._allowed = os.sched_getaffinity(0)
        self.client = connect_patiently(self.layout.telemetry_url, OUTAGE_S)

    def start(self) -> None:
        logs = self._options.data / "logs"
        logs.mkdir(parents=True)
        self._logs, self._reaper = logs, Reaper()
        self.supervisor = Supervisor(logs, self._reaper, self._set_pids)
        layout = self.layout
        readiness = Readiness(layout)
        self._start(services.telemetry(layout), services.broker(layout))
        self._wait(readiness.stores, "the two Valkey servers")
        self._start(self._twins())
        options = self._options
        facts = self._helper(["workers.loadtest.prepare", str(options.twins), options.model])
        self.machines, self.session = [Credentials(**each) for each in facts["machines"]], facts["session"]
        self._start(services.web(layout), services.history(layout))
        if options.mqtt:
            self._start(*mosquitto.parts(layout, self.mqtt_port, self._python))
        self._wait(readiness.runners, "the runners")
        self._wait(readiness.web, "the web process")
        self._start(services.jobs(layout))
        self._wait(self._all_runners, "a runner for every core")

    def stop(self) -> None:
        for names in STOP_ORDER:
            self.supervisor.stop(names, hurry=lambda: False)
        self._reaper.close()
        self.client.close()
        pin_to(self._allowed)

    def restart_crashed(self) -> None:
        self.supervisor.restart_crashed()

    def environment(self) -> dict[str, str]:
        """Return the environment for processes that use this platform's database."""
        return self._with_settings(Service("", [], self.layout.environment())).environment  # type: ignore[return-value]

    def _twins(self) -> Service:
        cores = self._options.cores
        service = services.twins(self.layout, cores)
        if cores is None:
            return service
        pin_to(other_cores(cores))  # this process and all that it starts, except the runners
        return replace(service, command=["taskset", "-c", f"0-{cores - 1}", *service.command])

    def _all_runners(self) -> bool:
        return len(live_runners(self.client)) >= (self._options.cores or os.cpu_count() or 1)

    def _start(self, *parts: Service) -> None:
        for part in parts:
            self._progress(f"starting {part.name}")
            self.supervisor.start(self._with_settings(part))

    def _with_settings(self, part: Service) -> Service:
        more = {"HYDRATWIN_STREAM_KEEP_S": "86400"} if self._options.keep_streams else {}
        if self._options.mqtt:
            more["HYDRATWIN_MQTT_URL"] = mosquitto.url(self.mqtt_port)
        return replace(part, environment={**part.environment, **more})

    def _python(self, name: str, *arguments: str) -> Service:
        return services.python(name, self.layout, list(arguments))

    def _helper(self, module: list[str]) -> dict[str, Any]:
        child = Child(self._python("database", *module), self._logs / "database.log", self._reaper)
        self._wait(lambda: not child.running, "the database")
        child.clean_up()
        if not child.succeeded:
            raise CannotStart(f"the database could not be set up ({child.how_it_ended}); see {self._logs}")
        found: dict[str, Any] = json.loads(child.last_line)
        return found

    def _wait(self, ready: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + READY_S
        while not ready():
            if time.monotonic() > deadline:
                raise CannotStart(f"{what} did not start within {READY_S:.0f} s; see {self._logs}")
            self.restart_crashed()
            time.sleep(LOOK_S)

    def _set_pids(self, pids: dict[str, int]) -> None:
        self.pids = pids
