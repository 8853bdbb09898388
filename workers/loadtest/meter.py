"""Measures the processor time and resident memory of every process at regular intervals."""

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import psutil

SETTLE_S = 120.0  # caches fill in the first two minutes, which the slope of memory leaves out
LEAST_S = 60.0  # shortest time for a slope
OWN = "loadtest"


class ProcessMeter:
    """Sums processor time from one measurement to the next, because a fault replaces processes."""

    def __init__(self) -> None:
        self.cpu_s: dict[str, float] = defaultdict(float)
        self.memory: dict[str, list[tuple[float, float]]] = defaultdict(list)  # (s, MB) by service
        self._seen: dict[tuple[int, float], float] = {}  # processor time by process

    def look(self, at_s: float, services: Mapping[str, int]) -> None:
        for name, pid in services.items():
            processes = _family(pid)
            for number, process in enumerate(processes):
                # child processes of a worker are listed separately: each is a runner
                self._add(name if number == 0 else f"{name} {number}", process)
            self.memory[name].append((at_s, sum(map(_resident, processes)) / 2**20))
        self._add(OWN, psutil.Process())
        self.memory[OWN].append((at_s, _resident(psutil.Process()) / 2**20))

    def forget(self) -> None:
        """Discard everything measured so far."""
        self.cpu_s.clear()
        self.memory.clear()

    def slopes(self) -> dict[str, float | None]:
        """Return MB per minute by which memory grows after the first two minutes; None for a short run."""
        return {name: _slope(series) for name, series in self.memory.items()}

    def _add(self, name: str, process: psutil.Process) -> None:
        try:
            key, times = (process.pid, process.create_time()), process.cpu_times()
        except psutil.Error:
            return
        spent = times.user + times.system
        self.cpu_s[name] += spent - self._seen.get(key, 0.0)
        self._seen[key] = spent


def _family(pid: int) -> list[psutil.Process]:
    try:
        process = psutil.Process(pid)
        return [process, *sorted(process.children(recursive=True), key=lambda child: child.pid)]
    except psutil.Error:  # it has just been killed
        return []


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _slope(series: list[tuple[float, float]]) -> float | None:
    settled = np.array([point for point in series if point[0] > SETTLE_S])
    if len(settled) < 3 or settled[-1, 0] - settled[0, 0] < LEAST_S:
        return None
    return float(np.polyfit(settled[:, 0] / 60, settled[:, 1], 1)[0])
