"""The platform that is put under load: every service of the demo, on free ports, with data of its own."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from redis import Redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from twin.runtime.runners import live_runners
from workers.demo import services
from workers.demo.child import Child, Service
from workers.demo.ports import free_ports
from workers.demo.readiness import Readiness
from workers.demo.reaper import Guard
from workers.demo.services import Layout
from workers.demo.supervisor import Crew
from workers.loadtest import mosquitto
from workers.loadtest.machine import Who

READY_S = 120.0
LOOK_S = 0.05
STOP_ORDER = (
    ("web", "jobs", "twins", "bridge"),
    ("history", "accounts"),
    ("mosquitto", "broker", "telemetry"),
)


class CannotStart(Exception):
    """Something is in the way; the message says what."""


@dataclass(frozen=True)
class Setting:
    root: Path
    data: Path
    twins: int
    mqtt: bool
    keep_streams: bool  # whole, so that they can be replayed
    model: str
    cores: int | None  # that the runners have, and nobody else; None: all share all


def rest_of(cores: int) -> set[int]:
    """The cores that are left when runners have the first ones; all of them if none is left."""
    return set(range(cores, os.cpu_count() or 1)) or set(range(cores))


def keep_to(cores: set[int]) -> None:
    os.sched_setaffinity(0, cores)


class Platform:
    """Services by name in `pids`; whatever crashes is started again as soon as `watch` is called."""

    def __init__(self, setting: Setting, tell: Callable[[str], None]) -> None:
        self._setting = setting
        self._tell = tell
        web_port, telemetry_port, broker_port, self.mqtt_port = free_ports(4)
        self.layout = Layout(setting.root, setting.data, web_port, telemetry_port, broker_port)
        self.pids: dict[str, int] = {}
        self.machines: list[Who] = []
        self.session = ""
        self._allowed = os.sched_getaffinity(0)
        patience = Retry(ConstantBackoff(0.2), 300)  # some faults take the server away for long
        self.client = Redis.from_url(self.layout.telemetry_url, retry=patience)

    def start(self) -> None:
        logs = self._setting.data / "logs"
        logs.mkdir(parents=True)
        self._logs, self._guard = logs, Guard()
        self.crew = Crew(logs, self._guard, self._note)
        layout = self.layout
        readiness = Readiness(layout)
        self._start(services.telemetry(layout), services.broker(layout))
        self._wait(readiness.stores, "the two Valkey servers")
        self._start(self._twins())
        facts = self._helper(["workers.loadtest.prepare", str(self._setting.twins), self._setting.model])
        self.machines, self.session = [Who(**each) for each in facts["machines"]], facts["session"]
        self._start(services.web(layout), services.history(layout))
        if self._setting.mqtt:
            self._start(*mosquitto.parts(layout, self.mqtt_port, self._python))
        self._wait(readiness.runners, "the runners")
        self._wait(readiness.web, "the web process")
        self._start(services.jobs(layout))
        self._wait(self._all_runners, "a runner for every core")

    def stop(self) -> None:
        for names in STOP_ORDER:
            self.crew.stop(names, hurry=lambda: False)
        self._guard.close()
        self.client.close()
        keep_to(self._allowed)

    def watch(self) -> None:
        self.crew.watch()

    def environment(self) -> dict[str, str]:
        """For code that looks at this platform's own database."""
        return self._with_settings(Service("", [], self.layout.environment())).environment  # type: ignore[return-value]

    def _twins(self) -> Service:
        cores = self._setting.cores
        service = services.twins(self.layout, cores)
        if cores is None:
            return service
        keep_to(rest_of(cores))  # this process and all that it starts but for the runners
        return replace(service, command=["taskset", "-c", f"0-{cores - 1}", *service.command])

    def _all_runners(self) -> bool:
        return len(live_runners(self.client)) >= (self._setting.cores or os.cpu_count() or 1)

    def _start(self, *parts: Service) -> None:
        for part in parts:
            self._tell(f"starting {part.name}")
            self.crew.start(self._with_settings(part))

    def _with_settings(self, part: Service) -> Service:
        more = {"HYDRATWIN_STREAM_KEEP_S": "86400"} if self._setting.keep_streams else {}
        if self._setting.mqtt:
            more["HYDRATWIN_MQTT_URL"] = mosquitto.url(self.mqtt_port)
        return replace(part, environment={**part.environment, **more})

    def _python(self, name: str, *arguments: str) -> Service:
        return services.python(name, self.layout, list(arguments))

    def _helper(self, module: list[str]) -> dict[str, Any]:
        child = Child(self._python("database", *module), self._logs / "database.log", self._guard)
        self._wait(lambda: not child.running, "the database")
        child.bury()
        if not child.succeeded:
            raise CannotStart(f"the database: {child.how_it_ended}; see {self._logs}")
        found: dict[str, Any] = json.loads(child.last_line)
        return found

    def _wait(self, ready: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + READY_S
        while not ready():
            if time.monotonic() > deadline:
                raise CannotStart(f"{what} did not come up within {READY_S:.0f} s; see {self._logs}")
            self.watch()
            time.sleep(LOOK_S)

    def _note(self, pids: dict[str, int]) -> None:
        self.pids = pids
