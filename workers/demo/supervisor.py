"""Starts services, restarts those that crash, and stops them in order."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

from workers.demo import console
from workers.demo.child import Child, Service
from workers.demo.reaper import Reaper

CRASHES = 5  # allowed within CRASH_WINDOW_S
CRASH_WINDOW_S = 60.0
BACKOFF_S = (0.2, 5.0)
STEADY_S = 10.0  # a service that ran longer than this is restarted at once
STOP_S = 10.0  # time to save and leave, also on a busy computer


class GaveUp(Exception):
    """A service keeps crashing."""


class Supervisor:
    """The services that should run."""

    def __init__(self, logs: Path, reaper: Reaper, changed: Callable[[dict[str, int]], None]) -> None:
        self._logs = logs
        self._reaper = reaper
        self._changed = changed  # called with the process ids after each change
        self._children: dict[str, Child] = {}
        self._crashes: dict[str, deque[float]] = {}
        self._again_at: dict[str, float] = {}
        self._started_at: dict[str, float] = {}

    def start(self, service: Service) -> Child:
        """Start a service and keep it running."""
        child = Child(service, self._logs / f"{service.name}.log", self._reaper)
        self._children[service.name] = child
        self._started_at[service.name] = time.monotonic()
        self._changed({name: member.pid for name, member in self._children.items()})
        return child

    def restart_crashed(self) -> None:
        """Restart crashed services; raises GaveUp if one crashes too often."""
        now = time.monotonic()
        for name, child in list(self._children.items()):
            if child.running:
                continue
            if name not in self._again_at:
                self._again_at[name] = now + self._note_crash(child, now)
            if now >= self._again_at[name]:
                del self._again_at[name]
                self.start(child.service)

    def _note_crash(self, child: Child, now: float) -> float:
        """Count a crash; returns how long to wait before the restart."""
        name = child.service.name
        child.clean_up()
        crashes = self._crashes.setdefault(name, deque())
        crashes.append(now)
        while now - crashes[0] > CRASH_WINDOW_S:
            crashes.popleft()
        if len(crashes) > CRASHES:
            raise GaveUp(f"{name} crashed {len(crashes)} times within a minute; last: {child.how_it_ended}")
        first, longest = BACKOFF_S
        steady = now - self._started_at[name] >= STEADY_S
        pause_s = 0.0 if steady else min(longest, first * 2.0 ** (len(crashes) - 1))
        console.say(name, f"{child.how_it_ended}; restarting in {pause_s:.1f} s")
        return pause_s

    def stop(self, names: Iterable[str], hurry: Callable[[], bool]) -> None:
        """Stop services together; kill those that do not end in time, or all at once if `hurry` is true."""
        leaving = [self._children.pop(name) for name in names if name in self._children]
        for child in leaving:
            child.ask_to_stop()
        deadline = time.monotonic() + STOP_S
        for child in leaving:
            while not child.wait(0.05) and time.monotonic() < deadline and not hurry():
                pass
            if child.running:
                console.say(child.service.name, "did not stop in time, killed")
            child.clean_up()
