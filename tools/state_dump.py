"""Checks that a refactoring changes no result: writes the results of two checkouts and compares them.

    python tools/state_dump.py record TELEMETRY.npz [--root CHECKOUT]
    python tools/state_dump.py write FILE.npz [--root CHECKOUT] [--telemetry TELEMETRY.npz] [--only PART ...]
    python tools/state_dump.py compare OLD.npz NEW.npz [--by-array]

`write` runs the published cases, filter experiments, live twins and twin sessions of a checkout and stores
the results as named arrays. The same tool works for checkouts before and after a change of layout: a
sub-process in the checkout does the work, and `LAYOUTS` and `NAMES` below list the old and new names of
everything that has moved. Twins of both checkouts follow the same recorded telemetry. The first `write`
records this telemetry as `telemetry.npz` next to the dump, unless that file exists; the dump includes the
digest of the telemetry.

`compare` exits 1 if an array is missing or differs by more than 1e-12, relative to the largest value that the
same component has in any row; with --by-array, relative to the largest value of the whole array.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Where things are: before the folders of simcore and twin were reordered, and since. The first that exists
# is taken.
LAYOUTS: dict[str, tuple[str, ...]] = {
    "build": ("twin.fleet.catalogue:build",),
    "channel_table": ("simcore.model:channel_table",),
    "checkpoint": ("twin.runtime.checkpoint",),
    "entries": ("twin.telemetry.entries", "twin.ingest.entries"),
    "frames": ("twin.runtime.frames",),
    "lease": ("twin.runtime.lease:Lease",),
    "live_twin": ("simcore.estimate.live_twin:LiveTwin", "simcore.estimate.twin.live_twin:LiveTwin"),
    "recording": ("workers.loadtest.recording",),
    "session": ("twin.runtime.session:TwinSession",),
    "simcore_error": ("simcore.errors:SimcoreError",),
    "simulation": ("simcore:Simulation",),
    "spec": ("twin.runtime.specs:MachineSpec",),
    "twin_builder": ("twin.runtime.specs:build_twin",),
    "twin_host": (
        "twin.runtime.keeper:Keeper",
        "twin.runtime.twin_host:TwinHost",
        "twin.runtime.twin_host:Keeper",
    ),
}
# Attributes by the name that dumps use: the names that they have in any of the layouts.
NAMES: dict[str, tuple[str, ...]] = {
    "book": ("book", "timeline", "record"),
    "heard_us": ("heard_us",),
    "uncorrected": ("uncorrected", "open_loop"),
    "watermark_us": ("watermark_us",),
}
DUMP_HEADER = 40  # bytes before the numbers in LiveTwin.dump(), biases first
TIMINGS = {"us_per_cycle", "us_per_step", "cpu_s", "realtime_factor", "date"}  # of JSON results
BY_PLACE = {"biases", "parameters", "model_errors"}  # of JSON results: keys are text for people
WORDS = {"kind", "sensor", "limit", "bucket", "dipper_cylinder"}  # of JSON results: text that is a result

TOLERANCE = 1e-12
MOST_NAMES = 60  # told per group
STEP_US, EVERY = 1000, 20  # model step, and steps from sample to sample: 50 Hz
SECONDS, SPREAD_S = 61.0, 30.0  # of telemetry; the recording code adds the spread
RESTART = 10  # samples in a row that a twin refuses before it is started again from one
T0_US, DELAY_US = 1_763_251_200_000_000, 150_000

CASES = "four-bar-b", "crane", "valve-rig", "loader-crane", "excavator"
OTHER_CASES = "digger-rig", "four-bar-a", "quick-return", "rahikainen-a", "rahikainen-b"
EVENTS = "pick-up", "stuck", "outliers", "loss", "delay", "late", "swapped"
# one experiment of a large machine takes as long as five of a rig: each event on one of the two, some on both
LARGE = {
    "loader-crane": ("pick-up", "stuck", "loss", "delay", "swapped"),
    "excavator": ("pick-up", "outliers", "late", "stuck"),
}

Floats = NDArray[np.float64]


def found(name: str) -> Any:
    """A module, class or function of the checkout, in whichever place it is."""
    tried = []
    for place in LAYOUTS[name]:
        module, _, attribute = place.partition(":")
        try:
            value = importlib.import_module(module)
            return getattr(value, attribute) if attribute else value
        except (ModuleNotFoundError, AttributeError) as error:
            if isinstance(error, ModuleNotFoundError) and not f"{module}.".startswith(f"{error.name}."):
                raise  # it is there, and needs something that is not
            tried.append(f"{place} ({error})")
    raise SystemExit(f"{name} was not found; add its module to LAYOUTS. Tried: {'; '.join(tried)}")


def attribute(thing: Any, name: str) -> Any:
    """An attribute of an object, under whichever name the checkout uses."""
    for candidate in NAMES.get(name, (name,)):
        if hasattr(thing, candidate):
            return getattr(thing, candidate)
    raise SystemExit(
        f"{type(thing).__name__} has no attribute {name}; add its name in this checkout to NAMES"
    )


def in_checkout(root: Path) -> dict[str, str]:
    """The environment of a sub-process that imports this checkout, on one thread."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return os.environ | threads | {"PYTHONPATH": str(root), "DJANGO_SETTINGS_MODULE": "twin.settings"}


# results by name


class Results:
    """Arrays by name; values added repeatedly under one name become the rows of one array."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Floats]] = defaultdict(list)

    def add(self, name: str, value: Any) -> None:
        self._rows[name].append(np.asarray(value, dtype=np.float64).copy())

    def add_object(self, name: str, value: Any) -> None:
        """Add all numbers of a JSON object, and texts that are results."""
        if isinstance(value, dict):
            for place, (key, inner) in enumerate(value.items()):
                if key not in TIMINGS:
                    self._add_member(f"{name}/{place if Path(name).name in BY_PLACE else key}", key, inner)
        elif value is None or isinstance(value, int | float):
            self.add(name, np.nan if value is None else value)
        elif isinstance(value, list):
            try:
                self.add(name, np.array(value, dtype=np.float64))
            except (TypeError, ValueError):  # no array of numbers
                for place, inner in enumerate(value):
                    self.add_object(f"{name}/{place}", inner)

    def _add_member(self, name: str, key: str, value: Any) -> None:
        if key in WORDS and isinstance(value, str):
            self.add(name, np.frombuffer(value.encode(), dtype=np.uint8))
        else:
            self.add_object(name, value)

    def arrays(self) -> dict[str, Floats]:
        made = {}
        for name, rows in self._rows.items():
            if len({row.shape for row in rows}) == 1:
                made[name] = rows[0] if len(rows) == 1 else np.array(rows)
            else:
                made[name] = np.concatenate([np.append(row.ravel(), np.nan) for row in rows])
        return made


# the command line


def simcore(*arguments: str) -> tuple[int, str]:
    """Run `python -m simcore` in this process; returns exit status and output."""
    out, before = io.StringIO(), sys.argv
    sys.argv = ["simcore", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_module("simcore", run_name="__main__")
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    finally:
        sys.argv = before
    return 0, out.getvalue()


def add_command(results: Results, name: str, *arguments: str) -> int:
    """Add the JSON output of a command and its exit status."""
    status, said = simcore(*arguments, "--json")
    results.add(f"{name}/exit status", status)
    if said.strip():
        results.add_object(name, json.loads(said))
    return status


def write_runs(results: Results) -> None:
    """Run every case with its defaults, then briefly with each integrator, formulation and friction law."""
    status, said = simcore("cases")
    if status:
        raise SystemExit("the command `python -m simcore cases` failed")
    short = ("--t-end", "0.5", "--sample-dt", "0.01")
    tiny = ("--dt", "1e-5", "--t-end", "0.05", "--sample-dt", "0.005")
    variants: dict[str, tuple[str, ...]] = {
        "damped": ("--integrator", "damped", *short),
        "damped double-step": ("--integrator", "damped", "--formulation", "double-step", *short),
        "double-step": ("--formulation", "double-step", *short),
        "rk4": ("--integrator", "rk4", *short),
        "rk4 short steps": ("--integrator", "rk4", *tiny),
        "rk4 index1": ("--integrator", "rk4", "--formulation", "index1", *tiny),
        "reference": ("--mode", "reference", *short),
        "lumped": ("--hydraulics", "lumped", *short),
        "singular-perturbation": ("--hydraulics", "singular-perturbation", *short),
    }
    for law in ("none", "efficiency", "bengisu-akay", "brown-mcphee", "lugre", "modified-lugre"):
        variants[f"friction {law}"] = ("--friction", law, *short)
    for line in said.splitlines():
        case = line.split()[0]
        add_command(results, f"run/{case}", "run", case, "--sample-dt", "0.02")
        for name, options in variants.items():
            add_command(results, f"run-variants/{case}/{name}", "run", case, *options)
    add_command(results, "commands/capacity", "capacity", "loader-crane")
    add_command(results, "commands/variants", "variants", "excavator")


def write_estimates(results: Results) -> None:
    """Run filter experiments with every filter, every real machine and every event."""
    mixed = (("published", "E1"), ("full", "E2"), ("bias", "E3"), ("bias", "E0"))
    for case in CASES:
        for kind, machine in mixed:
            group = "estimate-full" if kind == "full" else "estimate"
            options: tuple[str, ...] = ("--filter", kind, "--machine", machine, "--noise-seed", "1")
            add_command(results, f"{group}/{case}/{kind} {machine}", "estimate", case, *options)
        for event in LARGE.get(case, EVENTS):
            options = ("--event", event, "--noise-seed", "2")
            add_command(results, f"estimate/{case}/{event}", "estimate", case, *options)
    for case in OTHER_CASES:
        add_command(results, f"estimate/{case}/bias", "estimate", case, "--noise-seed", "3")
    for number in range(1, 5):
        options = ("--sensors", f"set-{number}", "--rate", "100")
        add_command(results, f"estimate/four-bar-b/set-{number}", "estimate", "four-bar-b", *options)


# recorded telemetry


class Telemetry(NamedTuple):
    """Telemetry of one working machine: readings and commands in SI units, at 50 Hz."""

    model: str
    parameters: dict[str, Any]  # of its description
    channels: list[str]
    readings: Floats  # by sample and channel

    def sample(self, number: int) -> dict[str, float]:
        return dict(zip(self.channels, self.readings[number].tolist(), strict=True))

    def description(self) -> Any:
        return found("build")(self.model, dict(self.parameters))


def record(target: Path) -> None:
    """Let the emulated machines of the load test work, and record what their controllers report."""
    recording = found("recording")
    models = recording.played_models() if hasattr(recording, "played_models") else recording.MODELS
    kept: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as directory:
        for model, parameters in models.items():
            made = Path(directory) / model
            recording.load_or_make(made, model, 1e6 / STEP_US / EVERY, SECONDS - SPREAD_S, lambda _: None)
            with np.load(next(made.glob("*.npz"))) as one:
                kept[f"{model}/channels"], kept[f"{model}/readings"] = one["channels"], one["readings"]
            kept[f"{model}/parameters"] = np.array(json.dumps(dict(parameters)))
    np.savez_compressed(target, **kept)


def read_telemetry(source: Path) -> Iterator[Telemetry]:
    with np.load(source) as kept:
        for model in sorted({name.split("/")[0] for name in kept.files}):
            yield Telemetry(
                model,
                json.loads(str(kept[f"{model}/parameters"])),
                kept[f"{model}/channels"].tolist(),
                kept[f"{model}/readings"],
            )


def digest(telemetry: Iterable[Telemetry]) -> Floats:
    """Digest of everything that was recorded; equal only for equal telemetry."""
    summed = hashlib.sha256()
    for one in telemetry:
        summed.update(json.dumps([one.model, one.parameters, one.channels]).encode())
        summed.update(np.ascontiguousarray(one.readings, dtype="<f8").tobytes())
    return np.frombuffer(summed.digest(), dtype=np.uint8).astype(np.float64)


# live twins


class Arrival(NamedTuple):
    """Data that reach a twin at one time."""

    number: int  # of the sample
    steps: int  # since the last arrival
    sample: dict[str, float]
    commands: dict[str, float]  # given separately, after the sample


class Outliers(NamedTuple):
    share: float  # of readings
    size: float  # standard deviation, over that of the channel in the recording


# rough: twins get lost, and recover or are started again
COURSES = {"twin": Outliers(0.01, 1.0), "twin-rough": Outliers(0.05, 4.0)}


def arrivals(
    telemetry: Telemetry, inputs: set[str], sensors: list[str], outliers: Outliers
) -> Iterator[Arrival]:
    """The recording with disturbances, each in its own period. Times are in seconds of the recording.

    10, 14 and 20: silence of 0.3, 1 and 3 s. 26 to 32: a stuck pressure sensor. 34 to 40: outliers.
    42 to 47: commands are lost, all of them for one second. 48 to 52: commands arrive late and in the wrong
    order. 53 to 57: a sensor is missing. At the end the machine is suddenly where it was at 5 s.
    """
    chance = np.random.default_rng(11)
    pressures = [name for name in sensors if ".p" in name]
    stuck, missing = pressures[0], sensors[-1]
    spread = dict(zip(telemetry.channels, np.std(telemetry.readings, axis=0).tolist(), strict=True))
    held, steps = 0.0, 0
    count = len(telemetry.readings)
    order = [*range(1, count), *range(250, 750)]
    for number, row in enumerate(order, start=1):
        steps += EVERY
        t = number * EVERY * STEP_US * 1e-6
        if 10 <= t < 10.3 or 14 <= t < 15 or 20 <= t < 23:
            continue
        sample, commands = telemetry.sample(row), {}
        if 26 <= t < 32:
            sample[stuck] = held
        else:
            held = sample[stuck]
        if 34 <= t < 40:
            for name in sensors:
                if chance.random() < outliers.share:
                    sample[name] += outliers.size * spread[name] * float(chance.standard_normal())
        if 44 <= t < 45 or (42 <= t < 47 and chance.random() < 0.5):
            sample = {name: value for name, value in sample.items() if name not in inputs}
        if 48 <= t < 52:
            older = telemetry.sample(row - int(chance.integers(0, 5)))
            late = {name: older[name] for name in sample if name in inputs}
            sample |= late
            if number % 3 == 0:
                sample = {name: value for name, value in sample.items() if name not in inputs}
                commands = late
        if 53 <= t < 57:
            del sample[missing]
        yield Arrival(number, steps, sample, commands)
        steps = 0


def write_twins(results: Results, telemetry: Iterable[Telemetry]) -> None:
    """Let twins follow the recorded machines through all disturbances."""
    for one in telemetry:
        for course, outliers in COURSES.items():
            _write_twin(results, one, course, outliers)


def _write_twin(results: Results, telemetry: Telemetry, course: str, outliers: Outliers) -> None:
    machine = telemetry.description()
    channels = found("channel_table")(machine)
    inputs = {c.name for c in channels if c.role == "input"}
    sensors = [c.name for c in channels if c.role == "sensor" and c.name in telemetry.channels]
    live_twin, refusal = found("live_twin"), found("simcore_error")
    name = f"{course}/{telemetry.model}"
    twin = live_twin(machine, dt_us=STEP_US)
    twin.start(telemetry.sample(0))
    last: set[tuple[str, str]] = set()
    failures = 0
    for arrival in arrivals(telemetry, inputs, sensors, outliers):
        try:
            before = 7 if 300 <= arrival.number < 600 else 0  # steps may be divided between calls
            if before:
                twin.advance(before)
            twin.correct(arrival.sample, arrival.steps - before)
            if arrival.commands:
                twin.command(arrival.commands)
            failures = 0
        except refusal as error:
            failures += 1
            results.add(f"{name}/errors", [arrival.number, getattr(error, "time", np.nan)])
            if failures % RESTART == 0:
                with contextlib.suppress(refusal):
                    twin.start(arrival.sample)
        if arrival.number % 10 == 0:
            if hasattr(twin, "findings"):  # since 0.1.0 with times in microseconds
                last = _add_findings(results, name, arrival.number, twin.findings(), last, unit=1e-6)
            else:
                last = _add_findings(results, name, arrival.number, twin.health().findings, last)
        if arrival.number % 50 == 0:
            _add_twin(results, name, twin)
        if arrival.number in (1500, 2100, 2775):  # amid a stuck sensor, lost commands and a missing sensor
            kept = twin.dump()
            results.add(f"{course}-memory/{telemetry.model}/{arrival.number}", _memory(kept))
            twin = live_twin(machine, dt_us=STEP_US)
            twin.load(kept)
    results.add(f"{course}-memory/{telemetry.model}/end", _memory(twin.dump()))


def _memory(dump: bytes) -> Floats:
    """Everything that a twin's future steps depend on."""
    return np.frombuffer(dump, dtype="<f8", offset=DUMP_HEADER)


def _add_twin(results: Results, name: str, twin: Any) -> None:
    count = len(attribute(twin, "biases"))
    results.add(f"{name}/state", attribute(attribute(twin, "engine"), "state"))
    results.add(f"{name}/covariance", attribute(twin, "covariance"))
    results.add(f"{name}/biases", _memory(twin.dump())[:count])
    results.add(f"{name}/values", twin.values())
    results.add(f"{name}/sigmas", twin.sigmas())
    results.add(f"{name}/uncorrected", attribute(twin, "uncorrected")())
    innovations, spreads = twin.innovations()
    results.add(f"{name}/innovations", innovations)
    results.add(f"{name}/innovations sigma", spreads)
    health = twin.health()
    results.add(f"{name}/health", [health.nis, health.low, health.high])
    diagnostics = twin.diagnostics()
    results.add(f"{name}/diagnostics", list(diagnostics.values()))


def _add_findings(
    results: Results,
    name: str,
    when: float,
    findings: Iterable[Any],
    last: set[tuple[str, str]],
    zero: int = 0,
    unit: float = 1.0,
) -> set[tuple[str, str]]:
    """Add findings as they come and go; array names contain kind and channel. zero, unit: of their times."""
    now = {}
    for finding in findings:
        sensor = finding.sensor if hasattr(finding, "sensor") else finding.channel
        now[(finding.kind, sensor or "twin")] = float(finding.since - zero) * unit
    for kind, sensor in sorted(now.keys() - last):
        results.add(f"{name}/findings/{kind} {sensor}", [when, now[(kind, sensor)]])
    for kind, sensor in sorted(last - now.keys()):
        results.add(f"{name}/findings gone/{kind} {sensor}", [when])
    return set(now)


# sessions


def stream(telemetry: Telemetry, seed: int) -> Iterator[tuple[int, list[tuple[int, int, dict[str, float]]]]]:
    """Chunks as they reach the platform: arrival times, and the samples in them.

    Samples are delayed, in the wrong order and distributed over chunks at random. There are silences of 0.3,
    1, 3 and 7 s; one sample comes from a clock that is a minute ahead, and some have an unknown channel. From
    40 to 46 s the first pressure sensor is stuck.
    """
    stuck = next(place for place, name in enumerate(telemetry.channels) if ".p" in name)
    chance = np.random.default_rng(seed)
    waiting = []
    for number in range(len(telemetry.readings)):
        t = number * EVERY * STEP_US * 1e-6
        if 8 <= t < 8.3 or 14 <= t < 15 or 20 <= t < 23 or 30 <= t < 37:
            continue
        exact_us = T0_US + number * EVERY * STEP_US
        arrival_us = exact_us + 15_000 + int(chance.choice([0, 0, 0, 40_000, 90_000, 400_000]))
        taken_us = exact_us + int(chance.integers(-400, 400)) + (60_000_000 if number == 2400 else 0)
        sample = telemetry.sample(number) | ({"no such channel": 1.0} if number % 500 == 7 else {})
        if 40 <= t < 46:
            sample[telemetry.channels[stuck]] = float(telemetry.readings[2000, stuck])
        waiting.append((arrival_us, number, taken_us, sample))
    waiting.sort(key=lambda one: one[:2])
    while waiting:
        count = int(chance.integers(1, 7))
        chunk, waiting = waiting[:count], waiting[count:]
        yield chunk[-1][0], [(number, taken_us, sample) for _, number, taken_us, sample in chunk]


def write_sessions(results: Results, telemetry: Iterable[Telemetry]) -> None:
    """Run twin sessions as a runner does: with chunks, ticks in silence and restarts from checkpoints."""
    for seed, one in enumerate(telemetry, start=21):
        _write_session(results, one, seed)


def _write_session(results: Results, telemetry: Telemetry, seed: int) -> None:
    entries, checkpoint = found("entries"), found("checkpoint")
    machine = telemetry.description()
    channels = found("channel_table")(machine)
    live_twin, make = found("live_twin"), found("session")
    name = f"session/{telemetry.model}"

    def fresh() -> Any:
        return make(live_twin(machine, dt_us=STEP_US), channels, dt_us=STEP_US, delay_us=DELAY_US)

    session, now_us, last = fresh(), T0_US, set[tuple[str, str]]()
    for number, (received_us, samples) in enumerate(stream(telemetry, seed)):
        while now_us + 25_000 < received_us:
            now_us += 25_000
            due_us = session.tick_due(now_us)
            if due_us is not None:
                session.feed(entries.Tick(due_us, now_us))
                results.add(f"{name}/ticks", [now_us - T0_US, due_us - T0_US])
                _add_session(results, f"{name}/in silence", session)
        now_us = received_us
        data = entries.encode(entries.Samples("device", "boot", received_us, samples))
        session.feed(entries.decode(data))
        _, findings = session.health()
        last = _add_findings(results, name, number, findings, last, T0_US)
        if number % 10 == 0:
            _add_session(results, name, session)
        if number % 150 == 149:
            kept = checkpoint.dump(session, model="m", token=1, last_id="1-0")
            session = fresh()
            checkpoint.restore(session, kept, model="m")
    results.add(f"{name}/memory", _memory(session.twin.dump()))


def _add_session(results: Results, name: str, session: Any) -> None:
    book = attribute(session, "book")
    times = [attribute(book, each) - T0_US for each in ("epoch_us", "watermark_us", "heard_us", "fused_us")]
    counts = [attribute(book, each) for each in ("epoch", "step", "late", "refused", "failures")]
    statuses = ["synced", "coasting", "stale", "failed"]
    results.add(f"{name}/times", [*times, session.state_us - T0_US])
    results.add(f"{name}/counts", [*counts, statuses.index(session.status)])
    results.add(f"{name}/values", session.values())
    results.add(f"{name}/sigmas", session.sigmas())
    packed = session.arrays()
    for part in ("value", "sigma", "measured", "uncorrected", "innovation", "spread"):
        results.add(f"{name}/frame/{part}", np.frombuffer(attribute(packed, part), dtype="<f4"))
    results.add(f"{name}/frame/flags", np.frombuffer(packed.flags, dtype=np.uint8))
    health, _ = session.health()
    results.add(f"{name}/health", [np.nan] * 3 if health is None else [health.nis, health.low, health.high])


# the commands of this tool


def work(root: Path, task: str, target: Path, source: Path, only: list[str]) -> None:
    """Runs in the sub-process: record or write."""
    import simcore as package

    if not Path(str(package.__file__)).resolve().is_relative_to(root):
        raise SystemExit(f"simcore was imported from {package.__file__}; must be imported from {root}")
    if task == "record":
        record(target)
        return
    telemetry = list(read_telemetry(source))
    results = Results()
    results.add("telemetry/digest", digest(telemetry))
    parts: dict[str, Callable[[], None]] = {
        "run": lambda: write_runs(results),
        "estimate": lambda: write_estimates(results),
        "twin": lambda: write_twins(results, telemetry),
        "session": lambda: write_sessions(results, telemetry),
    }
    for name in only or parts:
        began, spent = time.monotonic(), time.process_time()
        parts[name]()
        took = f"{time.monotonic() - began:.0f} s, {time.process_time() - spent:.0f} s of processor time"
        print(f"{name}: {took}", flush=True)
    np.savez_compressed(target, **results.arrays())  # type: ignore[arg-type]  # names are free in numpy


def start(root: Path, *arguments: str) -> None:
    """Start the work in a sub-process of the checkout."""
    command = [sys.executable, str(Path(__file__).resolve()), "work", str(root), *arguments]
    done = subprocess.run(command, cwd=root, env=in_checkout(root), check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


class Difference(NamedTuple):
    """Largest difference between two arrays; infinite if they cannot be compared."""

    of_array: float  # over the largest value of the array
    of_component: float  # over the largest value of the same component in all rows


def difference(old: Floats, new: Floats) -> Difference:
    if old.shape != new.shape:
        return Difference(np.inf, np.inf)
    same = (old == new) | (np.isnan(old) & np.isnan(new))
    if same.all():
        return Difference(0.0, 0.0)
    if not (np.isfinite(old[~same]) & np.isfinite(new[~same])).all():
        return Difference(np.inf, np.inf)
    sizes = np.where(np.isfinite(old), np.abs(old), 0.0)
    off = np.zeros_like(old)
    off[~same] = np.abs(old[~same] - new[~same])
    # a row holds angles beside pressures: a changed angle would be nothing beside the largest pressure
    by_component = np.broadcast_to(sizes.max(axis=0), old.shape) if old.ndim > 1 else sizes.max()
    with np.errstate(divide="ignore", invalid="ignore"):
        found_off = [np.where(same, 0.0, off / size).max() for size in (sizes.max(), by_component)]
    return Difference(*map(float, found_off))


def compare(old_file: Path, new_file: Path, by_array: bool) -> int:
    """Print how two dumps differ, by group; returns 1 if they differ."""
    with np.load(old_file) as old, np.load(new_file) as new:
        before, after = dict(old), dict(new)
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(before.keys() | after.keys()):
        groups[name.split("/")[0]].append(name)
    print(f"{'group':18} {'arrays':>7} {'identical':>10} {'missing':>8} {'of array':>9} {'of component':>13}")
    bad, told = 0, []
    for group, names in groups.items():
        both = [name for name in names if name in before and name in after]
        missing = [name for name in names if name not in both]
        differ = {
            name: difference(before[name], after[name])
            for name in both
            if before[name].shape != after[name].shape or before[name].tobytes() != after[name].tobytes()
        }
        of_array, of_component = (max((d[k] for d in differ.values()), default=0.0) for k in (0, 1))
        print(
            f"{group:18} {len(names):7d} {len(both) - len(differ):10d} {len(missing):8d} "
            f"{of_array:9.2g} {of_component:13.2g}"
        )
        limited = {name: d.of_array if by_array else d.of_component for name, d in differ.items()}
        bad += len(missing) + sum(off > TOLERANCE for off in limited.values())
        lines = [
            f"{name}: {differ[name].of_array:.2g} of array, {differ[name].of_component:.2g} of component"
            for name in sorted(limited, key=lambda one: -limited[one])
        ]
        lines += [f"{name}: only in {old_file if name in before else new_file}" for name in missing]
        told += lines[:MOST_NAMES]
        if len(lines) > MOST_NAMES:
            told.append(f"{group}: and {len(lines) - MOST_NAMES} more")
    print(*told, sep="\n", end="\n" if told else "")
    changed = f"{bad} arrays differ by more than {TOLERANCE:g} or are missing"
    print(changed if bad else "nothing differs by more than rounding" if told else "no difference")
    return 1 if bad else 0


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["work"]:
        root, task, target, source, *only = arguments[1:]
        work(Path(root), task, Path(target), Path(source), only)
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    here = Path(__file__).resolve().parent.parent
    for name in ("record", "write"):
        command = commands.add_parser(name)
        command.add_argument("file", type=Path)
        command.add_argument(
            "--root", type=Path, default=here, help="checkout; default: the one that contains this tool"
        )
    command.add_argument(
        "--telemetry", type=Path, help="recorded telemetry; default: telemetry.npz next to the dump"
    )
    command.add_argument("--only", nargs="+", default=[], choices=("run", "estimate", "twin", "session"))
    command = commands.add_parser("compare")
    command.add_argument("old", type=Path)
    command.add_argument("new", type=Path)
    command.add_argument(
        "--by-array", action="store_true", help="relate differences to the largest value of the array"
    )
    options = parser.parse_args(arguments)
    if options.command == "compare":
        return compare(options.old, options.new, options.by_array)
    root, target = options.root.resolve(), options.file.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    if options.command == "record":
        start(root, "record", str(target), str(target))
        return 0
    source = (options.telemetry or target.with_name("telemetry.npz")).resolve()
    if not source.exists():
        print(f"recording telemetry: {source}", flush=True)
        start(root, "record", str(source), str(source))
    start(root, "write", str(target), str(source), *options.only)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
