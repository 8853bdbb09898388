"""Runs one service as a process; writes its output to a log file and its important events to the terminal."""

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.demo import console
from workers.demo.reaper import Reaper, kill_group

PUMP_S = 10.0  # for its last lines; the pipe ends with the process group, but the computer may be busy


@dataclass(frozen=True)
class Service:
    """How to start a service."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]


class Child:
    """A running service in its own process group."""

    def __init__(self, service: Service, log_file: Path, reaper: Reaper) -> None:
        self.service = service
        self.last_line = ""
        self._reaper = reaper
        reading, writing = os.pipe()
        self._process = subprocess.Popen(
            service.command,
            env=dict(service.environment),
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.STDOUT,
            # Ctrl-C reaches only the demo, which then stops all services in order. A group, not a session:
            # Linux gives every session the same share of the processor, whatever the niceness inside.
            process_group=0,
            # With a file size limit (ulimit -f) a write then fails as on a full disk, instead of killing.
            restore_signals=False,
        )
        reaper.register(self.pid)
        os.close(writing)
        self._pump = threading.Thread(target=self._copy, args=(reading, log_file), daemon=True)
        self._pump.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def how_it_ended(self) -> str:
        """The exit code or signal, with the last log line, which usually gives the reason."""
        code = self._process.returncode
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return f"{how}: {self.last_line}" if code and self.last_line else how

    @property
    def succeeded(self) -> bool:
        return self._process.returncode == 0

    def ask_to_stop(self) -> None:
        """Send SIGTERM to the service itself; it stops its own children."""
        if self.running:
            os.kill(self.pid, signal.SIGTERM)

    def wait(self, seconds: float) -> bool:
        """Wait for the service to end; return False if it takes longer."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def clean_up(self) -> None:
        """Kill whatever remains of the service and its children."""
        kill_group(self.pid)
        self._process.wait()
        self._reaper.unregister(self.pid)
        self._pump.join(timeout=PUMP_S)

    def _copy(self, reading: int, log_file: Path) -> None:
        with os.fdopen(reading, "rb") as source, log_file.open("ab") as log:
            for line in source:
                log.write(line)
                log.flush()
                self._show(line.decode(errors="replace").strip())

    def _show(self, line: str) -> None:
        if line:
            self.last_line = line
        event = console.event_in(line)
        if event is not None:
            console.say(self.service.name, event)
