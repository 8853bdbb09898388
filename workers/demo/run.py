"""Runs the demo once: checks, starts, supervises and stops all services."""

import fcntl
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Literal

from workers.demo import console, services
from workers.demo.child import Child, Service
from workers.demo.kernels import KernelStamp
from workers.demo.ports import PortTaken, check_free, free_ports
from workers.demo.readiness import Readiness
from workers.demo.reaper import Reaper
from workers.demo.supervisor import GaveUp, Supervisor

Emulated = Literal["none", "rig", "fleet"]

READY_S = 120.0
BEAT_S = 0.05
PRIVATE = 0o077  # the data contain passwords, sessions and tokens: only the owner may read them


class CannotStart(Exception):
    """Why the demo cannot start, and what to do."""


class Stop(Exception):
    """A signal asked the demo to stop."""


class Demo:
    """Starts all services, keeps them running and stops them."""

    def __init__(self, root: Path, data: Path, port: int, emulated: Emulated = "rig") -> None:
        """emulated: which emulated machines send telemetry; the fleet is the rig and ten other machines."""
        self._root = root
        self._data = data
        self._port = port
        self._with_emulator, self._with_fleet = emulated != "none", emulated == "fleet"
        self._signals = 0
        self._facts: dict[str, Any] = {}  # content of run.json: addresses, logins, process ids
        self._supervisor: Supervisor

    def run(self) -> int:
        """Run the demo; return the exit code: 0 after a requested stop, 1 if a service keeps crashing."""
        os.umask(PRIVATE)
        self._layout = self._check()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        reaper = Reaper()
        self._supervisor = Supervisor(self._logs, reaper, self._note_pids)
        try:
            self._start_all(reaper)
            while True:
                self._beat()
        except Stop:
            console.say("demo", "stopping")
            return 0
        except (GaveUp, CannotStart) as error:
            console.say("demo", f"{error}; see {self._logs}")
            return 1
        finally:
            for names in services.STOP_ORDER:
                self._supervisor.stop(names, hurry=lambda: self._signals > 1)
            reaper.close()
            self._run_file.unlink(missing_ok=True)
            console.say("demo", "all services have stopped")

    # before anything is started

    def _check(self) -> services.Layout:
        port, data = self._port, self._data
        if not any((self._root / "webui" / "static" / "dist").glob("*.js")):
            hint = "run `make demo`, or `npm run build` in webui/frontend"
            raise CannotStart(f"the front end is not built: {hint}")
        try:
            check_free(port)
        except PortTaken:
            hint = "stop the program that uses it, or choose another port with --port"
            raise CannotStart(f"port {port} is in use: {hint}") from None
        except OSError as error:
            reason = error.strerror
            raise CannotStart(
                f"port {port} cannot be used ({reason}): choose another port with --port"
            ) from None
        try:
            self._logs.mkdir(parents=True, exist_ok=True)
            self._lock: IO[str] = (data / "lock").open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            hint = "stop that demo, or choose another directory with --data"
            raise CannotStart(f"another demo already uses {data}: {hint}") from None
        except OSError as error:
            hint = "choose another directory with --data"
            raise CannotStart(f"cannot write to {data} ({error.strerror}): {hint}") from None
        for old in self._logs.glob("*.log"):
            old.unlink()
        telemetry_port, broker_port = free_ports(2)
        return services.Layout(self._root, data, port, telemetry_port, broker_port)

    # the start: each service as soon as those that it needs are ready

    def _start_all(self, reaper: Reaper) -> None:
        began = time.monotonic()
        console.say("demo", f"starting; data and logs in {self._data}")
        layout = self._layout
        self._supervisor.start(services.telemetry(layout))
        self._supervisor.start(services.broker(layout))
        readiness = Readiness(layout)
        self._wait_for(readiness.stores, "the two Valkey servers")
        preparation = self._helper(services.preparation(layout, self._with_fleet), reaper)
        if not KernelStamp(self._root).valid():
            self._compile(reaper)
        self._supervisor.start(services.twins(layout))
        self._facts |= self._finish(preparation)
        self._supervisor.start(services.web(layout))
        if self._with_emulator:
            self._supervisor.start(services.emulator(layout, self._facts["token"]))
        self._wait_for(readiness.runners, "the runners")
        self._wait_for(readiness.web, "the web process")
        if self._with_emulator:
            self._wait_for(lambda: readiness.frame(self._facts["machine"]), "the first frame of the twin")
        self._supervisor.start(services.history(layout))  # last: the first page needs none of these
        self._supervisor.start(services.jobs(layout))
        self._supervisor.start(services.showroom(layout))
        if self._with_fleet:
            tokens = {name: machine["token"] for name, machine in self._facts["fleet"].items()}
            self._supervisor.start(services.fleet_at_work(layout, tokens))
        self._facts |= {"ready": True}
        self._write_facts()
        self._welcome(time.monotonic() - began)

    def _compile(self, reaper: Reaper) -> None:
        console.say("kernels", "compiling the numerical kernels (once per version, about two minutes)")
        helper = self._helper(services.kernels(self._layout), reaper)
        shown = ""
        while helper.running:
            self._beat()
            if helper.last_line != shown:
                shown = helper.last_line
                console.say("kernels", shown)
        self._finish_ok(helper)

    def _helper(self, service: Service, reaper: Reaper) -> Child:
        return Child(service, self._logs / f"{service.name}.log", reaper)

    def _finish(self, helper: Child) -> dict[str, Any]:
        """Return the result of a helper process."""
        while helper.running:
            self._beat()
        self._finish_ok(helper)
        facts: dict[str, Any] = json.loads(helper.last_line)
        return facts

    def _finish_ok(self, helper: Child) -> None:
        helper.clean_up()
        if not helper.succeeded:
            raise CannotStart(f"{helper.service.name} {helper.how_it_ended}")

    def _wait_for(self, ready: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + READY_S
        while not ready():
            if time.monotonic() > deadline:
                raise CannotStart(f"{what} did not start within {READY_S:.0f} s")
            self._beat()

    def _welcome(self, seconds: float) -> None:
        console.say("demo", f"ready after {seconds:.1f} s")
        console.blank()
        console.say("open", self._layout.url)
        for name, password in self._facts["logins"].items():
            console.say("login", f"{name:12} {password}")
        console.say("stop", "Ctrl-C")
        console.blank()

    # while it runs

    def _beat(self) -> None:
        if self._signals:
            raise Stop
        self._supervisor.restart_crashed()
        time.sleep(BEAT_S)

    def _on_signal(self, *_: object) -> None:
        self._signals += 1

    @property
    def _logs(self) -> Path:
        return self._data / "logs"

    @property
    def _run_file(self) -> Path:
        return self._data / "run.json"

    def _note_pids(self, pids: dict[str, int]) -> None:
        self._facts["pids"] = pids
        self._write_facts()

    def _write_facts(self) -> None:
        """Write run.json with addresses, logins and process ids; readable only by its owner."""
        layout = self._layout
        facts = {"url": layout.url, "telemetry_url": layout.telemetry_url, "broker_url": layout.broker_url}
        draft = self._run_file.with_suffix(".draft")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(facts | self._facts, file)
        draft.replace(self._run_file)
