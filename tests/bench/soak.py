"""`make soak`: the platform with one live twin for a long while; nothing lost, no memory creeping up.

python -m tests.bench.soak [--minutes 30]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import psutil

from tests.system.stack import DemoProcess, Stack
from twin import keys
from twin.telemetry import entries

SETTLE_S = 120.0  # caches fill in the first two minutes
LOOK_S = 10.0
SLOPE_MB_MIN = 1.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory(prefix="ht-soak-") as folder:
        demo = DemoProcess(Path(folder))
        try:
            stack = Stack(demo)
            memory = watch(stack, minutes * 60)
            problems = [*lost_samples(stack), *creeping(memory)]
        finally:
            demo.end()
    for problem in problems:
        print(f"FAILED {problem}")
    return 1 if problems else 0


def watch(stack: Stack, seconds: float) -> dict[str, list[tuple[float, float]]]:
    """Resident memory of every service with its children, over time: (s, MB)."""
    memory: dict[str, list[tuple[float, float]]] = defaultdict(list)
    began = time.monotonic()
    while (now := time.monotonic() - began) < seconds:
        for name, pid in stack.demo.facts()["pids"].items():
            memory[name].append((now, resident_mb(pid)))
        frame = stack.frame()
        status = frame.status if frame else "no frame"
        total = sum(series[-1][1] for series in memory.values())
        print(f"{now / 60:5.1f} of {seconds / 60:.0f} min  {status:8}  {total:.0f} MB", flush=True)
        time.sleep(LOOK_S)
    return memory


def resident_mb(pid: int) -> float:
    process = psutil.Process(pid)
    return sum(p.memory_info().rss for p in (process, *process.children(recursive=True))) / 2**20


def lost_samples(stack: Stack) -> list[str]:
    """The emulator numbers its samples without gaps: what is in the stream must be, too."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for _, fields in stack.client.xrange(keys.stream(stack.machine)):
        entry = entries.decode(fields[entries.FIELD])
        if isinstance(entry, entries.Samples):
            numbers[entry.boot] += [seq for seq, _, _ in entry.samples]
    print(f"{sum(map(len, numbers.values()))} samples stored")
    return [
        f"{boot}: {len(seqs)} samples stored of {max(seqs) - min(seqs) + 1}"
        for boot, seqs in numbers.items()
        if sorted(seqs) != list(range(min(seqs), max(seqs) + 1))
    ]


def creeping(memory: dict[str, list[tuple[float, float]]]) -> list[str]:
    problems = []
    for name, series in memory.items():
        settled = np.array([point for point in series if point[0] > SETTLE_S])
        if len(settled) < 3:
            continue
        slope = float(np.polyfit(settled[:, 0] / 60, settled[:, 1], 1)[0])
        print(f"{name:10} {settled[-1, 1]:7.1f} MB  {slope:+.2f} MB/min")
        # the telemetry server keeps an hour of stream by design
        if slope > SLOPE_MB_MIN and name != "telemetry":
            problems.append(f"{name} grows by {slope:.2f} MB/min; allowed is {SLOPE_MB_MIN:g}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
