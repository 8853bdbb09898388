"""Compares kernel times of two checkouts: model step, twin cycle, and a runner's work per chunk.

    python tools/kernel_times.py OLD_ROOT NEW_ROOT [--best-of 15] [--core N] [--telemetry TELEMETRY.npz]

Each checkout has its own process. Both are pinned to the same core and measure alternately (old, new, old,
new ...), so that other load on the computer affects both equally. The table shows the best processor time of
each checkout, and whether both computed the same results. `tools/state_dump.py` handles differences in code
layout.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from state_dump import (  # type: ignore[import-not-found]  # beside this script
    DELAY_US,
    EVERY,
    STEP_US,
    T0_US,
    Telemetry,
    attribute,
    found,
    in_checkout,
    read_telemetry,
)

SETTLED = 100  # samples before the first that is measured: everything has been called, the twin has settled
SAMPLES = 250  # per measurement: five seconds of machine time
PER_CHUNK = 5  # samples, as the load test sends them
FRAME_US = 45_000  # at least, from frame to frame


class Measured(NamedTuple):
    """One measurement."""

    us: float  # processor time per step, cycle or chunk
    check: float  # a number that depends on all that was computed


Measure = Callable[[], Measured]


def timed(count: int, work: Callable[[], None]) -> float:
    """Processor time of some work, us per repetition."""
    gc.collect()
    gc.disable()
    began = time.process_time()
    work()
    spent = time.process_time() - began
    gc.enable()
    return 1e6 * spent / count


def model_step(telemetry: Telemetry) -> Measure:
    """Time steps of the model alone, with the recorded commands."""
    machine = telemetry.description()
    inputs = {c.name for c in found("channel_table")(machine) if c.role == "input"}
    commands = [
        {name: value for name, value in telemetry.sample(number).items() if name in inputs}
        for number in range(SAMPLES)
    ]

    def measure() -> Measured:
        simulation = found("simulation")(machine, dt=STEP_US * 1e-6)

        def work() -> None:
            for command in commands:
                simulation.advance(EVERY, command)

        us = timed(SAMPLES * EVERY, work)
        return Measured(us, float(np.sum(attribute(simulation, "state"))))

    return measure


def twin_cycle(telemetry: Telemetry) -> Measure:
    """Time cycles of a live twin at 50 Hz: the steps up to a sample, and the correction."""
    twin = found("live_twin")(telemetry.description(), dt_us=STEP_US)
    samples = [telemetry.sample(number) for number in range(SETTLED + SAMPLES)]
    twin.start(samples[0])
    for sample in samples[1:SETTLED]:
        twin.correct(sample, EVERY)
    settled = twin.dump()

    def measure() -> Measured:
        twin.load(settled)

        def work() -> None:
            for sample in samples[SETTLED:]:
                twin.correct(sample, EVERY)

        us = timed(SAMPLES, work)
        return Measured(us, float(np.sum(twin.values())))

    return measure


def hosted_chunk(telemetry: Telemetry) -> Measure:
    """Time a runner's work for a chunk, from the bytes of an entry to the bytes of a frame."""
    import django

    django.setup()
    entries, frames = found("entries"), found("frames")
    spec = found("spec")(UUID(int=1), telemetry.model, telemetry.parameters)
    batches = []
    for first in range(0, SETTLED + SAMPLES, PER_CHUNK):
        numbers = range(first, first + PER_CHUNK)
        samples = [(n, T0_US + n * EVERY * STEP_US, telemetry.sample(n)) for n in numbers]
        received_us = samples[-1][1] + 15_000
        data = entries.encode(entries.Samples("device", "boot", received_us, samples))
        batches.append((received_us, [(b"%d-0" % (received_us // 1000), [entries.FIELD, data])]))
    settled = SETTLED // PER_CHUNK

    def measure() -> Measured:
        lease = found("lease")(0, "owner", 1)
        host = found("twin_host")(spec, lease, found("twin_builder"), DELAY_US, FRAME_US)
        last = b""

        def work(part: list[Any]) -> None:
            nonlocal last
            for received_us, batch in part:
                while not host.take(batch):  # another process had the core for longer than its turn
                    pass
                commit = host.commit(received_us + 5_000)
                if commit is not None and commit.frame is not None:
                    last = commit.frame

        work(batches[:settled])
        us = timed(len(batches) - settled, lambda: work(batches[settled:]))
        values = np.frombuffer(frames.decode(last).value, dtype="<f4")
        return Measured(us, float(np.sum(values.astype(np.float64))))

    return measure


KINDS: dict[str, Callable[[Telemetry], Measure]] = {
    "model step": model_step,
    "twin cycle": twin_cycle,
    "chunk to frame": hosted_chunk,
}


def serve(source: Path) -> None:
    """Runs in the sub-process: measure what standard input requests, one name per line."""
    measures = {
        f"{kind}, {telemetry.model}": make(telemetry)
        for kind, make in KINDS.items()
        for telemetry in read_telemetry(source)
    }
    for measure in measures.values():
        measure()
    print(json.dumps(list(measures)), flush=True)
    for line in sys.stdin:
        print(json.dumps(measures[line.strip()]()), flush=True)


class Checkout:
    """A process that measures one checkout."""

    def __init__(self, root: Path, source: Path, core: int, data: str) -> None:
        self._root = root
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "serve", str(source)],
            cwd=root,
            env=in_checkout(root) | {"HYDRATWIN_DATA": data},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        os.sched_setaffinity(self._process.pid, {core})

    def answer(self) -> Any:
        """The next line that the process prints."""
        if self._process.stdout is None or not (line := self._process.stdout.readline()):
            raise SystemExit(f"the measuring process of {self._root} ended unexpectedly")
        return json.loads(line)

    def measure(self, name: str) -> Measured:
        if self._process.stdin is None:
            raise SystemExit(f"the measuring process of {self._root} does not accept requests")
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        return Measured(*self.answer())

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()


def measure_both(old: Checkout, new: Checkout, best_of: int) -> None:
    """Measure both checkouts alternately and print the table."""
    names = old.answer()
    if new.answer() != names:
        raise SystemExit("the two checkouts do not offer the same measurements")
    print(f"{'':30} {'old us':>9} {'new us':>9} {'new/old':>8}  results")
    for name in names:
        pairs = [(old.measure(name), new.measure(name)) for _ in range(best_of)]
        before, after = (min(pair[side].us for pair in pairs) for side in (0, 1))
        same = all(one.check == other.check for one, other in pairs)
        print(
            f"{name:30} {before:9.2f} {after:9.2f} {after / before:8.3f}  {'same' if same else 'DIFFERENT'}",
            flush=True,
        )


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["serve"]:
        serve(Path(arguments[1]))
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("old", type=Path, metavar="OLD_ROOT")
    parser.add_argument("new", type=Path, metavar="NEW_ROOT")
    parser.add_argument("--best-of", type=int, default=15, metavar="N")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument(
        "--telemetry", type=Path, help="recorded telemetry; default: recorded now by OLD_ROOT"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as data:
        source = options.telemetry or Path(data) / "telemetry.npz"
        if not source.exists():
            tool = Path(__file__).resolve().with_name("state_dump.py")
            command = [sys.executable, str(tool), "record", str(source), "--root", str(options.old)]
            subprocess.run(command, check=True)
        roots = [root.resolve() for root in (options.old, options.new)]
        both = [Checkout(root, source.resolve(), options.core, data) for root in roots]
        try:
            measure_both(both[0], both[1], options.best_of)
        finally:
            for one in both:
                one.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
